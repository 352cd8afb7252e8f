//! One trace through reader and simulator into a sink, sorted by time if it must be.

use super::options::{ImportOptions, Strictness};
use super::pipeline;
use crate::diagnostics::{Code, Diagnostics, SourcePosition};
use crate::error::{Error, Result};
use crate::model::{EventBatch, EventRow, LinkRow, OwnedExtra, RowSink, StateRow, VariableRow, World};
use crate::reader::{TraceFormat, TraceOrigin, TraceReader, bytes_of};
use crate::simulator::{EventSorter, Precision, Simulated, Simulator};
use crate::time::TimeUnit;

/// A trace that has been read.
pub(crate) struct TraceRun<S> {
    pub simulated: Simulated,
    pub sink: S,
    pub format: TraceFormat,
    /// Date of time 0 of the trace.
    pub origin_ms: Option<i64>,
    /// The unit that its times were taken in; `None` when the format says it.
    pub time_unit: Option<TimeUnit>,
    /// Bytes of all files of the trace.
    pub bytes: u64,
}

/// Reads a trace in the order of the file. When its lines are not in time order, starts again with a
/// new sink and sorts the events first. Where that would cost lines, because a container is used
/// before the time of its creation, and the order of the file did no harm, the first result stands.
pub(crate) fn run<S: RowSink + Send>(
    origin: &TraceOrigin,
    options: &ImportOptions,
    precision: Precision,
    mut new_sink: impl FnMut() -> Result<S>,
) -> Result<TraceRun<S>> {
    let format = match options.format {
        Some(format) => format,
        None => TraceFormat::of(origin)?,
    };
    let bytes = match format.files(origin)? {
        files if files.is_empty() => origin.bytes,
        files => bytes_of(&files),
    };
    let mut work = RunWork { origin, reader: format.reader(&options.reader()), total: None, options, precision };
    work.total = work.reader.total(origin, bytes)?;
    let mut sink = new_sink()?;
    let first = work.in_file_order(&mut sink)?;
    let (origin_ms, time_unit) = (work.reader.origin_ms(), work.reader.time_unit());
    let run = |simulated, sink| TraceRun { simulated, sink, format, origin_ms, time_unit, bytes };
    let disorder = match first {
        FirstPass::InOrder(simulated) => return Ok(run(simulated, sink)),
        FirstPass::HarmlessDisorder(simulated, disorder) => (Some(simulated), disorder),
        FirstPass::Disorder(disorder) => (None, disorder),
    };
    let (unsorted, (count, place)) = disorder;
    let mut sorted_sink = new_sink()?;
    let mut sorted = work.in_time_order(&mut sorted_sink)?;
    if let Some(mut unsorted) = unsorted
        && unsorted.diagnostics.lost_lines() < sorted.diagnostics.lost_lines()
    {
        unsorted.diagnostics.report_many(Code::OutOfOrder, place, count, || {
                format!("{count} lines come after one of a later time; containers are used before the time of their creation, so the order of the file was kept")
            });
        return Ok(run(unsorted, sink));
    }
    sorted.diagnostics.report_many(Code::OutOfOrder, place, count, || {
        format!("{count} lines come after one of a later time; the events were sorted by time, lines of one time in the order of the file")
    });
    Ok(run(sorted, sorted_sink))
}

/// How many lines were out of order, and the first of them.
type Disorder = (u64, SourcePosition);

/// What reading in the order of the file showed.
enum FirstPass {
    InOrder(Simulated),
    /// Time ran backwards, but never within a container and type.
    HarmlessDisorder(Simulated, Disorder),
    /// The trace must be sorted; it was read to its end to count the lines.
    Disorder(Disorder),
}

struct RunWork<'a> {
    origin: &'a TraceOrigin,
    reader: Box<dyn TraceReader>,
    /// Bytes to read, where that is known.
    total: Option<u64>,
    options: &'a ImportOptions,
    precision: Precision,
}

impl RunWork<'_> {
    fn in_file_order<S: RowSink + Send>(&mut self, sink: &mut S) -> Result<FirstPass> {
        let mut simulator = Simulator::new(self.precision);
        let (total, options) = (self.total, self.options);
        pipeline::read(self.reader.as_mut(), self.origin, |batch| {
            simulator.batch(batch, sink)?;
            check(&mut simulator, batch, total, options)
        })?;
        let disorder = simulator.out_of_order();
        if simulator.is_unordered() {
            return Ok(FirstPass::Disorder(disorder));
        }
        let simulated = finish(simulator, sink, self.options)?;
        Ok(match disorder {
            (0, _) => FirstPass::InOrder(simulated),
            _ => FirstPass::HarmlessDisorder(simulated, disorder),
        })
    }

    fn in_time_order<S: RowSink + Send>(&mut self, sink: &mut S) -> Result<Simulated> {
        let mut simulator = Simulator::new(self.precision);
        let mut sorter = EventSorter::default();
        let (total, options) = (self.total, self.options);
        pipeline::read(self.reader.as_mut(), self.origin, |batch| {
            let lines_before = simulator.lines();
            simulator.observe(batch);
            sorter.add(batch, lines_before)?;
            check(&mut simulator, batch, total, options)
        })?;
        sorter.finish(|batch| {
            simulator.batch(batch, sink)?;
            check(&mut simulator, batch, None, self.options)
        })?;
        finish(simulator, sink, self.options)
    }
}

/// Tells the progress, and stops where the user wants to.
fn check(simulator: &mut Simulator, batch: &EventBatch, total: Option<u64>, options: &ImportOptions) -> Result<()> {
    if batch.lines > 0 {
        options.progress.advance(batch.first_byte, total);
    }
    if options.progress.is_cancelled() {
        return Err(Error::Cancelled);
    }
    stop_if_strict(simulator.diagnostics(), options)
}

fn finish<S: RowSink>(simulator: Simulator, sink: &mut S, options: &ImportOptions) -> Result<Simulated> {
    let simulated = simulator.finish(sink)?;
    stop_if_strict(&simulated.diagnostics, options)?;
    Ok(simulated)
}

fn stop_if_strict(diagnostics: &Diagnostics, options: &ImportOptions) -> Result<()> {
    match diagnostics.first_error() {
        Some(first) if options.strictness == Strictness::Stop => Err(Error::Trace(format!(
            "line {}: {}: {}; without --strict the import records this and goes on",
            first.place.line,
            first.code.name(),
            first.message
        ))),
        _ => Ok(()),
    }
}

/// A sink that keeps nothing.
pub(super) struct NullSink;

impl RowSink for NullSink {
    fn state(&mut self, _: &World, _: &StateRow, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }

    fn segment(&mut self, _: &World, _: &StateRow, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }

    fn event(&mut self, _: &World, _: &EventRow, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }

    fn variable(&mut self, _: &World, _: &VariableRow, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }

    fn link(&mut self, _: &World, _: &LinkRow<'_>, _: &[OwnedExtra]) -> Result<()> {
        Ok(())
    }
}

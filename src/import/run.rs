//! One trace through reader and simulator into a sink, sorted by time if it must be.

use super::{ImportOptions, Strictness};
use crate::diagnostics::{Code, Diagnostics};
use crate::error::{Error, Result};
use crate::model::{Batch, EventRow, LinkRow, OwnedExtra, RowSink, StateRow, VariableRow, World};
use crate::reader::{Flow, Format, Origin};
use crate::simulator::{Simulated, Simulator, Sorter};

/// A trace that has been read.
pub(super) struct Run<S> {
    pub simulated: Simulated,
    pub sink: S,
    pub format: Format,
}

/// Reads a trace in the order of the file. When time runs backwards within a container and type,
/// starts again with a new sink and sorts the events first.
pub(super) fn run<S: RowSink + Send>(
    origin: &Origin,
    options: &ImportOptions,
    mut new_sink: impl FnMut() -> Result<S>,
) -> Result<Run<S>> {
    let format = Format::detect(origin.input()?.head()?, &origin.name)?;
    let mut sink = new_sink()?;
    if let Some(simulated) = in_file_order(origin, format, options, &mut sink)? {
        return Ok(Run { simulated, sink, format });
    }
    // The first sink goes before the second comes: both may own the same folder.
    drop(sink);
    let mut sink = new_sink()?;
    let simulated = in_time_order(origin, format, options, &mut sink)?;
    Ok(Run { simulated, sink, format })
}

/// `None` when the trace is not in time order.
fn in_file_order<S: RowSink + Send>(
    origin: &Origin,
    format: Format,
    options: &ImportOptions,
    sink: &mut S,
) -> Result<Option<Simulated>> {
    let mut simulator = Simulator::default();
    let mut is_unordered = false;
    let input = origin.input()?;
    let total = input.total;
    format.reader(options.clock).read(input, &mut |batch| {
        simulator.batch(batch, sink)?;
        is_unordered = simulator.is_unordered();
        check(&mut simulator, batch, total, options)?;
        Ok(if is_unordered { Flow::Stop } else { Flow::GoOn })
    })?;
    if is_unordered {
        return Ok(None);
    }
    finish(simulator, sink, options).map(Some)
}

fn in_time_order<S: RowSink + Send>(
    origin: &Origin,
    format: Format,
    options: &ImportOptions,
    sink: &mut S,
) -> Result<Simulated> {
    let mut simulator = Simulator::default();
    let mut sorter = Sorter::default();
    let input = origin.input()?;
    let total = input.total;
    format.reader(options.clock).read(input, &mut |batch| {
        let lines_before = simulator.lines();
        simulator.observe(batch);
        sorter.add(batch, lines_before)?;
        check(&mut simulator, batch, total, options)?;
        Ok(Flow::GoOn)
    })?;
    let (count, first) = sorter.out_of_order();
    simulator.diagnostics().report_many(Code::OutOfOrder, first, count, || {
        format!("{count} lines come after one of a later time; the events were sorted by time, lines of one time in the order of the file")
    });
    sorter.finish(|batch| {
        simulator.batch(batch, sink)?;
        check(&mut simulator, batch, None, options)
    })?;
    finish(simulator, sink, options)
}

/// Tells the progress, and stops where the user wants to.
fn check(simulator: &mut Simulator, batch: &Batch, total: Option<u64>, options: &ImportOptions) -> Result<()> {
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
pub(super) struct Nowhere;

impl RowSink for Nowhere {
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

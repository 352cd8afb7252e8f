//! Paraver traces (`.prv`, with `.pcf` and `.row` beside it), as Extrae, Dimemas, ovni and others write them.
//!
//! ```text
//! .pcf ─► labels ─┐
//! .row ─► names ──┤
//! .prv ─► survey ─┼─► event types, threads, lines that come too late
//!      └► record ─┴─► emitter
//! ```
//! The trace is read twice: what an event type means shows in all of its values.

mod companions;
mod emitter;
mod event_types;
mod header;
mod labels;
mod names;
mod record;
mod survey;
#[cfg(test)]
mod tests;
mod threads;

pub use self::companions::files;

use self::emitter::ParaverEmitter;
use self::event_types::EventTypes;
use self::header::ParaverHeader;
use self::labels::ParaverLabels;
use self::names::RowNames;
use self::record::{ParaverMessage, ParaverRecord};
use self::survey::{LineOrder, ParaverSurvey};
use self::threads::Threads;
use super::chrome::{RecordGroups, Sorted};
use super::text_lines::{TextLines, WindowLine};
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, quote};
use crate::error::{Error, Result};

/// Bytes of lines that come too late and are sorted in memory.
const SORTED_IN_MEMORY: usize = 64 << 20;
/// Lines of one time that are taken together.
const LARGEST_GROUP: usize = 1 << 16;
/// How much of a line of communicators or of a comment is kept.
const KEPT_TEXT: usize = 1000;

/// Reads Paraver traces.
pub struct ParaverReader {
    options: ReaderOptions,
    sorted_in_memory: usize,
}

impl ParaverReader {
    pub fn new(options: &ReaderOptions) -> ParaverReader {
        ParaverReader { options: *options, sorted_in_memory: SORTED_IN_MEMORY }
    }
}

impl TraceReader for ParaverReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let header = header_of(origin, &mut writer)?;
        let survey = ParaverSurvey::of(origin, self.sorted_in_memory, || writer.pause())?;
        if survey.disorder > 0 {
            let message = format!(
                "{} lines come after one of a later time; they were sorted by time, lines of one time in the order of the file",
                survey.disorder
            );
            writer.at(survey.first_disorder);
            writer.fault(Code::OutOfOrder, message)?;
        }
        let mut work = ParaverWork::start(origin, header, &survey, &mut writer)?;
        work.lines(origin, survey.late.sorted()?, &mut writer)?;
        work.finish(&mut writer)?;
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }
}

/// The first line; what is wrong with it is reported, and what could be read of it counts.
fn header_of(origin: &TraceOrigin, writer: &mut EventWriter<'_>) -> Result<ParaverHeader> {
    let mut lines = TextLines::new(origin.input()?);
    let line = match lines.next()? {
        Some((_, line)) => String::from_utf8_lossy(line).into_owned(),
        None => String::new(),
    };
    if line.trim() == "new format" {
        return Err(Error::Trace(format!(
            "{} is a Paraver trace of version 2, which is not read; Extrae writes version 1",
            origin.name
        )));
    }
    let (header, fault) = ParaverHeader::parse(&line);
    if let Some(fault) = fault {
        writer.fault(Code::DamagedFile, fault)?;
    }
    if !header.date.is_empty() {
        writer.fault(Code::TraceProperty, format!("written on {}", quote(header.date.as_bytes())))?;
    }
    Ok(header)
}

/// What is needed while the records are read.
struct ParaverWork {
    header: ParaverHeader,
    /// Ticks of a unit of time, where that is a whole number.
    scale: Option<i64>,
    emitter: ParaverEmitter,
    /// Lines that describe communicators.
    communicators: u64,
    /// Records of global communication, which have no place in a table.
    globals: u64,
    /// The largest time of a record, in units of the trace.
    last: i64,
}

impl ParaverWork {
    fn start(
        origin: &TraceOrigin,
        header: ParaverHeader,
        survey: &ParaverSurvey,
        writer: &mut EventWriter<'_>,
    ) -> Result<ParaverWork> {
        let (labels, names) = (companions::text(origin, "pcf"), companions::text(origin, "row"));
        if labels.is_none() {
            let message = "no .pcf file lies beside the trace; states, types and values are called by their numbers";
            writer.fault(Code::UndefinedReference, message.to_string())?;
        }
        let labels = ParaverLabels::parse(&labels.unwrap_or_default());
        let names = RowNames::parse(&names.unwrap_or_default());
        let first = survey.first.map_or(0, |first| first.min(0));
        let first = writer.tick(first.into(), header.per_second).unwrap_or(0);
        let threads = Threads::create(first, &header, names, writer)?;
        let types = EventTypes::define(survey, &labels, threads.types.thread, writer)?;
        let emitter = ParaverEmitter::new(threads, labels, types, writer)?;
        let (ticks, units) = (writer.resolution().ticks_per_second(), header.per_second as i64);
        let scale = (ticks % units == 0).then_some(ticks / units);
        Ok(ParaverWork { header, scale, emitter, communicators: 0, globals: 0, last: 0 })
    }

    /// Takes the lines in the order of time: those of the file, and those that come too late between them.
    fn lines(&mut self, origin: &TraceOrigin, mut late: Sorted, writer: &mut EventWriter<'_>) -> Result<()> {
        let mut lines = TextLines::new(origin.input()?);
        let mut order = LineOrder::default();
        let mut groups = RecordGroups::default();
        while let Some(line) = lines.line()? {
            writer.advance(line.byte);
            if !is_whole(&line, writer)? {
                continue;
            }
            let record = ParaverRecord::parse(line.text);
            if let Some(time) = record.time() {
                if order.is_late(time) {
                    continue;
                }
                self.late_lines(time, &mut late, &mut groups, writer)?;
                writer.at(line.byte);
            }
            self.record(record, line.text, writer)?;
            if writer.is_stopped() {
                return Ok(());
            }
        }
        self.late_lines(i64::MAX, &mut late, &mut groups, writer)?;
        match lines.damage() {
            Some(damage) => writer.fault(Code::DamagedStream, format!("the compressed stream is damaged: {damage}")),
            None => Ok(()),
        }
    }

    /// Takes the late lines before a time.
    fn late_lines(
        &mut self,
        until: i64,
        late: &mut Sorted,
        groups: &mut RecordGroups,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        while late.time().is_some_and(|time| time < until) && !writer.is_stopped() {
            late.group(groups, LARGEST_GROUP)?;
            for record in groups.each().flat_map(|group| (0..group.len()).map(move |place| group.record(place))) {
                writer.at(record.byte);
                self.record(ParaverRecord::parse(record.arguments), record.arguments, writer)?;
            }
        }
        Ok(())
    }

    fn record(&mut self, record: ParaverRecord<'_>, line: &[u8], writer: &mut EventWriter<'_>) -> Result<()> {
        match record {
            ParaverRecord::State { at, begin, end, state } => {
                let Some([begin_tick]) = self.ticks([begin], writer)? else { return Ok(()) };
                let end = match end {
                    -1 => None,
                    end if end < begin => {
                        let message = format!("a state from {begin} ends at {end}; it gets zero length");
                        writer.fault(Code::TimeBackwards, message)?;
                        Some(begin_tick)
                    }
                    end => match self.ticks([end], writer)? {
                        Some([end]) => Some(end),
                        None => return Ok(()),
                    },
                };
                self.emitter.state(at, begin_tick, end, state, writer)
            }
            ParaverRecord::Events { at, time, pairs } => match self.ticks([time], writer)? {
                Some([tick]) => self.emitter.events(at, tick, pairs, writer),
                None => Ok(()),
            },
            ParaverRecord::Message(message) => self.message(&message, writer),
            ParaverRecord::Communicator => {
                self.communicators += 1;
                writer.fault(Code::TraceProperty, format!("communicator {}", shown(line)))
            }
            ParaverRecord::Comment(text) => writer.fault(Code::TraceProperty, shown(text)),
            ParaverRecord::Empty => Ok(()),
            ParaverRecord::Global => {
                self.globals += 1;
                Ok(())
            }
            ParaverRecord::Unknown => {
                writer.fault(Code::UnknownRecord, format!("{} is no record that is known", quote(line)))
            }
            ParaverRecord::Broken => {
                writer.fault(Code::BadRecord, format!("the fields of {} cannot be read", quote(line)))
            }
        }
    }

    fn message(&mut self, message: &ParaverMessage, writer: &mut EventWriter<'_>) -> Result<()> {
        let times = [message.logical_send, message.physical_send, message.logical_receive, message.physical_receive];
        match self.ticks(times, writer)? {
            Some(ticks) => self.emitter.message(message, ticks, writer),
            None => Ok(()),
        }
    }

    /// Times as ticks; one that does not fit loses the line.
    fn ticks<const N: usize>(&mut self, times: [i64; N], writer: &mut EventWriter<'_>) -> Result<Option<[i64; N]>> {
        let mut ticks = [0; N];
        for (tick, time) in ticks.iter_mut().zip(times) {
            let found = match self.scale {
                Some(scale) => time.checked_mul(scale),
                None => writer.tick(time.into(), self.header.per_second),
            };
            let Some(found) = found else {
                let message = format!("the time {time} does not fit into 64 bits of ticks");
                writer.fault(Code::TimeOutOfRange, message)?;
                return Ok(None);
            };
            *tick = found;
            self.last = self.last.max(time);
        }
        Ok(Some(ticks))
    }

    fn finish(&mut self, writer: &mut EventWriter<'_>) -> Result<()> {
        self.emitter.advance(i64::MAX, writer)?;
        for type_ in self.emitter.types.iter().filter(|type_| type_.unmatched_ends > 0) {
            let message = format!(
                "{} values 0 of {} came while no state of it was open, and were left out",
                type_.unmatched_ends,
                quote(type_.label.as_bytes())
            );
            writer.fault(Code::IgnoredEvent, message)?;
        }
        let counted = [
            (Code::IgnoredEvent, self.globals, "records of global communication were left out"),
            (
                Code::OverlappingStates,
                self.emitter.displaced,
                "states overlap others of their thread without nesting; they are on lanes below it",
            ),
            (
                Code::BadField,
                self.emitter.saturated,
                "values are beyond 64 bits, and were taken as the nearest that is not",
            ),
            (
                Code::UndefinedReference,
                self.emitter.threads.undefined,
                "threads are named by records and missing in the header",
            ),
        ];
        for (code, count, words) in counted.into_iter().filter(|(_, count, _)| *count > 0) {
            writer.fault(code, format!("{count} {words}"))?;
        }
        if self.communicators != self.header.communicators {
            let message = format!(
                "the header announces {} lines of communicators, and there are {}",
                self.header.communicators, self.communicators
            );
            writer.fault(Code::CountMismatch, message)?;
        }
        if self.header.end > self.last {
            let message =
                format!("the header says that the trace ends at {}; its last time is {}", self.header.end, self.last);
            writer.fault(Code::TraceProperty, message)?;
        }
        Ok(())
    }
}

/// Whether a line is there from its start to its end; the first one is the header, and no record.
fn is_whole(line: &WindowLine<'_>, writer: &mut EventWriter<'_>) -> Result<bool> {
    writer.at(line.byte);
    if line.is_cut {
        writer.fault(Code::LineTooLong, "a line is too long; it was skipped".to_string())?;
    }
    if line.is_unfinished {
        let message = "the last line has no line end; it may have been cut";
        writer.fault(Code::TruncatedLine, message.to_string())?;
    }
    Ok(line.byte > 0 && !line.is_cut)
}

/// The beginning of a line.
fn shown(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(KEPT_TEXT)]).into_owned()
}

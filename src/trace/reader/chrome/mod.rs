//! Chrome trace event JSON, as PyTorch, Chrome, Perfetto and many runtimes write it.
//!
//! ```text
//! text ─► stream ─► event ─► record, sorted by time ─► lanes ─► emitter
//!                     └─► tracks, names, arguments (all known before the first event is emitted)
//! ```
//! The file is read once. Its events are sorted before they are emitted: files are not in order, and names
//! of threads may stand at their end. Memory is bounded; what does not fit goes to a temporary file.

mod arguments;
mod asynchronous;
mod columns;
mod emitter;
mod event;
mod json;
mod lane_room;
mod lanes;
mod names;
mod open_tracks;
mod record;
mod stream;
#[cfg(test)]
mod tests;
mod track_names;
mod tracks;

use std::collections::BTreeMap;

use self::arguments::Arguments;
use self::columns::ChromeColumns;
use self::emitter::ChromeEmitter;
use self::event::{RawEvent, picoseconds};
use self::names::ChromeNames;
use self::record::{ChromeRecord, RecordSorter};
use self::stream::{ChromeElement, ElementStream};
use self::tracks::Tracks;
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, quote};
use crate::error::{Error, Result};
use crate::model::StoredTable;

/// Bytes of events that are sorted in memory.
const SORTED_IN_MEMORY: usize = 64 << 20;
/// Events of one time that are put in order together.
const LARGEST_GROUP: usize = 1 << 20;
/// Timestamps beyond this are counted from another zero: as seconds, a double would no longer distinguish
/// neighboring ticks apart.
const LARGEST_TICK: i64 = 1 << 53;
/// Events between two pauses.
const PAUSE: u64 = 1 << 16;
const PICOSECONDS: u64 = 1_000_000_000_000;

/// Reads Chrome traces.
pub struct ChromeReader {
    options: ReaderOptions,
    sorted_in_memory: usize,
    origin_ms: Option<i64>,
}

impl ChromeReader {
    pub fn new(options: &ReaderOptions) -> ChromeReader {
        ChromeReader { options: *options, sorted_in_memory: SORTED_IN_MEMORY, origin_ms: None }
    }
}

impl TraceReader for ChromeReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.options.resolution, consume);
        let mut intake = EventCollector::new(self.sorted_in_memory);
        let mut events = ElementStream::new(origin.reader()?);
        events.read(&mut |piece, byte| intake.take(piece, byte, &mut writer))?;
        if !events.has_array {
            return Err(Error::Trace(format!(
                "{} is JSON but no trace: a Chrome trace is an array of events, or an object with an array traceEvents",
                origin.name
            )));
        }
        if let Some(damage) = events.damage {
            writer.fault(Code::DamagedStream, format!("the compressed stream is damaged: {damage}"))?;
        }
        intake.report(&mut writer)?;
        let mut sorted = intake.sorter.sorted()?;
        let first = sorted.time().unwrap_or(0);
        let zero = zero_of(first, self.options.resolution.ticks_per_second(), &mut writer)?;
        self.origin_ms = intake.origin_ms.or_else(|| date_of(zero, self.options.resolution.ticks_per_second()));
        intake.tracks.emit(first - zero, &mut writer)?;
        intake.arguments.declare(&mut writer);
        let fields = ChromeColumns::declare(&mut writer);
        let mut emitter = ChromeEmitter::new(intake.tracks, intake.names, intake.arguments, fields);
        let mut group = vec![];
        while sorted.time().is_some() {
            sorted.group(&mut group, LARGEST_GROUP)?;
            for record in &mut group {
                record.start -= zero;
                record.end -= zero;
            }
            emitter.group(&mut group, &mut writer)?;
            if writer.is_stopped() {
                return Ok(());
            }
        }
        emitter.advance(i64::MAX, &mut writer)?;
        if emitter.displaced > 0 {
            let message = format!(
                "{} slices overlap others of their thread without nesting; they are on lanes below it",
                emitter.displaced
            );
            writer.fault(Code::OverlappingStates, message)?;
        }
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn origin_ms(&self) -> Option<i64> {
        self.origin_ms
    }
}

/// The tick that becomes zero: 0, or a whole second when timestamps are too large for seconds.
fn zero_of(first: i64, ticks_per_second: i64, writer: &mut EventWriter<'_>) -> Result<i64> {
    if first.saturating_abs() < LARGEST_TICK {
        return Ok(0);
    }
    let seconds = first.div_euclid(ticks_per_second);
    let message =
        format!("times are counted from second {seconds} of the clock of the trace, so that they are exact as seconds");
    writer.fault(Code::TraceProperty, message)?;
    Ok(seconds * ticks_per_second)
}

/// The date of a zero that is one, between 2000 and 2100.
fn date_of(zero: i64, ticks_per_second: i64) -> Option<i64> {
    let seconds = zero / ticks_per_second;
    (946_684_800..4_102_444_800).contains(&seconds).then_some(seconds * 1000)
}

/// What is collected while the file is read.
struct EventCollector {
    sorter: RecordSorter,
    tracks: Tracks,
    names: ChromeNames,
    arguments: Arguments,
    /// Events that are left out, by phase.
    ignored: BTreeMap<u8, u64>,
    origin_ms: Option<i64>,
    record: ChromeRecord,
    pieces: u64,
}

impl EventCollector {
    fn new(sorted_in_memory: usize) -> EventCollector {
        EventCollector {
            sorter: RecordSorter::new(sorted_in_memory),
            tracks: Tracks::default(),
            names: ChromeNames::default(),
            arguments: Arguments::default(),
            ignored: BTreeMap::new(),
            origin_ms: None,
            record: ChromeRecord::default(),
            pieces: 0,
        }
    }

    fn take(&mut self, piece: ChromeElement<'_>, byte: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        writer.at(byte);
        self.pieces += 1;
        if self.pieces.is_multiple_of(PAUSE) {
            writer.pause()?;
        }
        match piece {
            ChromeElement::Event(event) => self.event(&event, byte, writer),
            ChromeElement::Fault(what) => writer.fault(Code::BadRecord, what.to_string()),
            ChromeElement::Cut(what) => writer.fault(Code::DamagedFile, what.to_string()),
            ChromeElement::Skipped(key) => {
                writer.fault(Code::TraceProperty, format!("{key} is too long to be kept, and was left out"))
            }
            ChromeElement::Property(key, value) => {
                if key == "baseTimeNanoseconds" {
                    self.origin_ms =
                        json::text(value).parse::<i64>().ok().map(|nanoseconds| nanoseconds.div_euclid(1_000_000));
                }
                writer.fault(Code::TraceProperty, format!("{key}: {}", json::text(value)))
            }
        }
    }

    fn event(&mut self, event: &RawEvent<'_>, byte: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        match event.phase {
            0 => return writer.fault(Code::BadRecord, "an event has no phase (ph)".to_string()),
            b'M' => {
                if !self.tracks.metadata(event) {
                    let (name, arguments) = (json::text(event.name), String::from_utf8_lossy(event.arguments));
                    writer.fault(Code::TraceProperty, format!("{name}: {arguments}"))?;
                }
                return Ok(());
            }
            phase if table_of(phase).is_none() => {
                *self.ignored.entry(phase).or_default() += 1;
                return Ok(());
            }
            _ => (),
        }
        let Some(start) = picoseconds(event.start) else {
            let message = format!("the time (ts) of an event is {}", quote(event.start));
            return writer.fault(Code::BadTime, message);
        };
        let length = self.length(event, writer)?;
        let end = if length == 0 { None } else { Some(writer.tick(start + length, PICOSECONDS)) };
        let start = writer.tick(start, PICOSECONDS);
        let (Some(start), Some(end)) = (start, end.unwrap_or(start)) else {
            let message = format!("the time {} does not fit into 64 bits of ticks", quote(event.start));
            return writer.fault(Code::TimeOutOfRange, message);
        };
        self.fill(event, byte, start, end);
        if matches!(event.phase, b'b' | b'S') {
            self.tracks.observe_asynchronous(self.record.name, self.record.thread);
        }
        if let Some(table) = table_of(event.phase).flatten() {
            self.arguments.observe(table, event.arguments);
        }
        self.sorter.push(&self.record)?;
        self.bound_flow(event)
    }

    /// The length of a complete event; a missing or negative one counts as nothing.
    fn length(&self, event: &RawEvent<'_>, writer: &mut EventWriter<'_>) -> Result<i128> {
        if event.phase != b'X' {
            return Ok(0);
        }
        match picoseconds(event.duration).filter(|length| *length >= 0) {
            Some(length) => Ok(length),
            None => {
                let message =
                    format!("the length (dur) of a complete event is {}; it counts as 0", quote(event.duration));
                writer.fault(Code::BadField, message)?;
                Ok(0)
            }
        }
    }

    fn fill(&mut self, event: &RawEvent<'_>, byte: u64, start: i64, end: i64) {
        let record = &mut self.record;
        record.thread = self.tracks.thread(event);
        record.name = self.names.number(event.name);
        record.category = self.names.number(event.category);
        (record.start, record.end, record.byte, record.phase) = (start, end, byte, event.phase);
        record.mode = match event.phase {
            b'f' if event.binding == b"\"e\"" => b'e',
            b'f' => 0,
            _ => event.reach,
        };
        record.id.clear();
        record.id.extend_from_slice(event.id);
        if !event.scope.is_empty() {
            record.id.extend_from_slice(event.scope);
        }
        record.arguments.clear();
        record.arguments.extend_from_slice(event.arguments);
    }

    /// The newer way to write flows: a slice that says that one goes out of it or into it.
    fn bound_flow(&mut self, event: &RawEvent<'_>) -> Result<()> {
        self.record.phase = match (event.flow_in, event.flow_out) {
            _ if event.flow_id.is_empty() => return Ok(()),
            (false, false) => return Ok(()),
            (false, true) => b's',
            (true, true) => b't',
            (true, false) => b'f',
        };
        self.record.mode = b'e';
        self.record.end = self.record.start;
        self.record.name = self.names.number(b"\"flow\"");
        self.record.id.clear();
        self.record.id.extend_from_slice(event.flow_id);
        self.record.arguments.clear();
        self.sorter.push(&self.record)
    }

    fn report(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        for (phase, count) in &self.ignored {
            let message = format!("{count} events of phase {} were left out", quote(&[*phase]));
            writer.fault(Code::IgnoredEvent, message)?;
        }
        Ok(())
    }
}

/// The table whose columns the arguments of a phase become, if they do; `None` for a phase that is left
/// out.
fn table_of(phase: u8) -> Option<Option<StoredTable>> {
    match phase {
        b'X' | b'B' | b'E' | b'b' | b'e' | b'S' | b'F' => Some(Some(StoredTable::States)),
        b'n' | b'T' | b'p' | b'i' | b'I' | b'R' | b'P' => Some(Some(StoredTable::Events)),
        b's' | b't' | b'f' => Some(Some(StoredTable::Links)),
        b'C' => Some(None),
        _ => None,
    }
}

//! Chrome trace event JSON, as PyTorch, Chrome, Perfetto and many runtimes write it.
//!
//! ```text
//! text ─► stream ─► quick, else event ─► scanned ─► record, sorted by time ─► lanes ─► emitter
//!                                            └─► tracks, names, arguments (all known before the first event is emitted)
//! ```
//! The file is read once, by a thread of its own; what it found is collected beside it. Its events are sorted before they
//! are emitted: files are not in order, and names of threads may stand at their end. Memory is bounded; what does not fit
//! goes to a temporary file.

pub(super) mod arguments;
mod asynchronous;
mod columns;
mod element;
mod emitter;
mod event;
pub(super) mod group_order;
mod json;
mod known_keys;
mod lane_room;
pub(super) mod lanes;
mod names;
mod open_tracks;
mod packed;
mod packed_record;
mod quick;
pub(super) mod record;
mod record_run;
mod record_spill;
mod scanned;
mod stream;
#[cfg(test)]
mod tests;
mod track_names;
mod tracks;

pub(super) use self::lanes::{SliceLane, SliceLanes};
pub(crate) use self::record::{ChromeRecord, RecordGroup, RecordGroups, RecordSorter, Sorted};

use std::collections::BTreeMap;

use self::arguments::Arguments;
use self::columns::ChromeColumns;
use self::element::ChromeElement;
use self::emitter::ChromeEmitter;
use self::event::{MicrosecondTicks, RawEvent, picoseconds};
use self::names::ChromeNames;
use self::stream::ElementStream;
use self::tracks::Tracks;
use super::ahead::take_ahead;
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, quote};
use crate::error::{Error, Result};
use crate::model::StoredTable;

/// Bytes of events that are sorted in memory.
const SORTED_IN_MEMORY: usize = 16 << 20;
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
        let mut intake = EventCollector::new(self.sorted_in_memory, self.options.resolution.ticks_per_second());
        let mut events = ElementStream::new(origin.reader()?);
        take_ahead(&mut events, |piece| {
            piece.each(|element, byte| intake.take(element, byte, &mut writer))?;
            Ok(writer.flow())
        })?;
        if writer.is_stopped() {
            return Ok(());
        }
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
        let sorted = intake.sorter.sorted()?;
        let first = sorted.time().unwrap_or(0);
        let zero = zero_of(first, self.options.resolution.ticks_per_second(), &mut writer)?;
        self.origin_ms = intake.origin_ms.or_else(|| date_of(zero, self.options.resolution.ticks_per_second()));
        intake.tracks.emit(first - zero, &mut writer)?;
        intake.arguments.declare(&mut writer);
        let fields = ChromeColumns::declare(&mut writer);
        let mut emitter = ChromeEmitter::new(intake.tracks, intake.names, intake.arguments, fields);
        sorted.each_group(LARGEST_GROUP, |group| {
            emitter.group(group, zero, &mut writer)?;
            Ok(writer.flow())
        })?;
        if writer.is_stopped() {
            return Ok(());
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
pub(super) fn zero_of(first: i64, ticks_per_second: i64, writer: &mut EventWriter<'_>) -> Result<i64> {
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
    (946_684_800..4_102_444_800).contains(&seconds).then(|| seconds * 1000)
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
    microsecond: MicrosecondTicks,
    /// Id and scope of an event that has both.
    scoped_id: Vec<u8>,
    /// The packed arguments of the event at hand.
    packed: Vec<u8>,
    elements: u64,
}

impl EventCollector {
    fn new(sorted_in_memory: usize, ticks_per_second: i64) -> EventCollector {
        EventCollector {
            sorter: RecordSorter::new(sorted_in_memory),
            tracks: Tracks::default(),
            names: ChromeNames::default(),
            arguments: Arguments::default(),
            ignored: BTreeMap::new(),
            origin_ms: None,
            microsecond: MicrosecondTicks::new(ticks_per_second),
            scoped_id: vec![],
            packed: vec![],
            elements: 0,
        }
    }

    fn take(&mut self, element: ChromeElement<'_>, byte: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        writer.at(byte);
        self.elements += 1;
        if self.elements.is_multiple_of(PAUSE) {
            writer.pause()?;
        }
        match element {
            ChromeElement::Event(event, _) => self.event(event, byte, writer),
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
        let (start, end) = match self.exact_times(event) {
            Some(times) => times,
            None => match self.times(event, writer)? {
                Some(times) => times,
                None => return Ok(()),
            },
        };
        self.keep(event, byte, start, end)
    }

    /// Start and end, when the event was read quickly and its times are whole ticks: no wide numbers, no rounding.
    #[inline(always)]
    fn exact_times(&self, event: &RawEvent<'_>) -> Option<(i64, i64)> {
        let start = self.microsecond.of(event.start_number?)?;
        if event.phase != b'X' {
            return Some((start, start));
        }
        let length = self.microsecond.of(event.duration_number?).filter(|length| *length >= 0)?;
        Some((start, start.checked_add(length)?))
    }

    /// Start and end of any event; reports those that are no times.
    fn times(&self, event: &RawEvent<'_>, writer: &mut EventWriter<'_>) -> Result<Option<(i64, i64)>> {
        let Some(start) = picoseconds(event.start) else {
            let message = format!("the time (ts) of an event is {}", quote(event.start));
            writer.fault(Code::BadTime, message)?;
            return Ok(None);
        };
        let length = self.length(event, writer)?;
        let end = if length == 0 { None } else { Some(writer.tick(start + length, PICOSECONDS)) };
        let start = writer.tick(start, PICOSECONDS);
        let (Some(start), Some(end)) = (start, end.unwrap_or(start)) else {
            let message = format!("the time {} does not fit into 64 bits of ticks", quote(event.start));
            writer.fault(Code::TimeOutOfRange, message)?;
            return Ok(None);
        };
        Ok(Some((start, end)))
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

    /// Keeps an event, and what it shows of tracks, names and arguments.
    fn keep(&mut self, event: &RawEvent<'_>, byte: u64, start: i64, end: i64) -> Result<()> {
        let thread = self.tracks.thread(event);
        let name = self.names.number(event.name);
        let category = self.names.number(event.category);
        let mode = match event.phase {
            b'f' if event.binding == b"\"e\"" => b'e',
            b'f' => 0,
            _ => event.reach,
        };
        let mut id = event.id;
        if !event.scope.is_empty() {
            self.scoped_id.clear();
            self.scoped_id.extend_from_slice(event.id);
            self.scoped_id.extend_from_slice(event.scope);
            id = &self.scoped_id;
        }
        if matches!(event.phase, b'b' | b'S') {
            self.tracks.observe_asynchronous(name, thread);
        }
        let mut arguments = event.arguments;
        if let Some(table) = table_of(event.phase).flatten() {
            self.packed.clear();
            self.arguments.pack(table, event, &mut self.packed);
            arguments = &self.packed;
        }
        let phase = event.phase;
        let record = ChromeRecord { start, end, byte, thread, name, category, phase, mode, id, arguments };
        self.sorter.push(&record)?;
        if event.flow_id.is_empty() { Ok(()) } else { self.bound_flow(event, byte, start, thread, category) }
    }

    /// The newer way to write flows: a slice that says that one goes out of it or into it.
    fn bound_flow(&mut self, event: &RawEvent<'_>, byte: u64, start: i64, thread: u32, category: u32) -> Result<()> {
        let phase = match (event.flow_in, event.flow_out) {
            (false, false) => return Ok(()),
            (false, true) => b's',
            (true, true) => b't',
            (true, false) => b'f',
        };
        let name = self.names.number(b"\"flow\"");
        let (id, arguments) = (event.flow_id, &[][..]);
        let flow = ChromeRecord { start, end: start, byte, thread, name, category, phase, mode: b'e', id, arguments };
        self.sorter.push(&flow)
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

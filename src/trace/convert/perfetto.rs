//! Perfetto track events, in protocol buffers.
//!
//! | row | packets |
//! |---|---|
//! | container, type | descriptors of tracks, see [`PerfettoTracks`] |
//! | state | a slice: begin and end |
//! | event | an instant |
//! | variable | values of a counter |
//! | link | two instants with one flow |
//!
//! Names are interned at their first use; extra fields are annotations. In: the rows, sorted by the times at which they
//! begin and end. Out: packets in the order of time.

#[cfg(test)]
mod tests;

use std::io::Write;

use hashbrown::{HashMap, HashSet};

use super::conversion::Conversion;
use super::flow_numbers::FlowNumbers;
use super::lives::ContainerLives;
use super::one_time::OneTime;
use super::packed_row::{RowBody, RowData, RowExtra, body, extras, phase};
use super::perfetto_tracks::PerfettoTracks;
use super::wire_message::WireMessage;
use super::zero_length::{StackRow, StackStep, steps};
use crate::error::{Error, Result};
use crate::model::{StoredTable, ValueId, World};
use crate::reader::{ChromeRecord, ReadFlow, RecordGroup, Sorted};
use crate::simulator::Simulated;
use crate::time::Resolution;

/// Rows of one time that are put in order together.
const LARGEST_GROUP: usize = 1 << 22;
/// The column that the reader makes of categories.
const CATEGORY: &str = "category";
/// Numbers of the names of annotations that are no columns.
const KEY_NAME: u64 = 1;
const VOLUME_NAME: u64 = 2;
const FIRST_COLUMN_NAME: u64 = 3;

/// Fields of packets, events and interned data.
mod field {
    pub const PACKET: u32 = 1;
    pub const CLOCKS: u32 = 6;
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED: u32 = 12;
    pub const FLAGS: u32 = 13;
    pub const TRACK_DESCRIPTOR: u32 = 60;

    pub const ANNOTATION: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_ID: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const CATEGORY: u32 = 22;
    pub const COUNTER: u32 = 44;
    pub const FLOW: u32 = 47;
    pub const LAST_FLOW: u32 = 48;

    pub const EVENT_NAMES: u32 = 2;
    pub const ANNOTATION_NAMES: u32 = 3;
}

/// Types of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TrackEventKind {
    Begin = 1,
    End = 2,
    Instant = 3,
    Counter = 4,
}

/// Writes a trace.
pub(super) fn write(
    simulated: &Simulated,
    sorted: Sorted,
    origin_ms: Option<i64>,
    resolution: Resolution,
    out: &mut dyn Write,
) -> Result<Conversion> {
    let lives = ContainerLives::of(simulated);
    let starts = simulated.world.containers.iter().map(|container| container.start);
    let first = starts.chain(sorted.time()).min().unwrap_or(0);
    let mut packets = PerfettoPackets {
        world: &simulated.world,
        tracks: PerfettoTracks::new(&simulated.world),
        clock: NanosecondClock { digits: resolution.digits(), first: first.min(0), rounded: 0 },
        out,
        conversion: Conversion::default(),
        flows: FlowNumbers::default(),
        names: HashSet::new(),
        heights: HashMap::new(),
        interned: WireMessage::default(),
        event: WireMessage::default(),
        short_variables: 0,
        ended_variables: 0,
        variable_fields: 0,
    };
    packets.begin(origin_ms)?;
    packets.containers(&lives)?;
    sorted.each_group(LARGEST_GROUP, |group| {
        packets.group(group.start(), group, &lives)?;
        Ok(ReadFlow::GoOn)
    })?;
    packets.finish()
}

/// Turns ticks into nanoseconds since the zero of the trace, or since its first time when that is before.
struct NanosecondClock {
    digits: u8,
    first: i64,
    /// Times that were finer.
    rounded: u64,
}

impl NanosecondClock {
    fn nanoseconds(&mut self, tick: i64) -> u64 {
        let count = u64::try_from(i128::from(tick) - i128::from(self.first)).unwrap_or(0);
        match self.digits {
            digits @ 0..=9 => count.saturating_mul(10_u64.pow(9 - u32::from(digits))),
            digits => {
                let unit = 10_u64.saturating_pow(u32::from(digits) - 9);
                self.rounded += u64::from(count % unit != 0);
                count / unit + u64::from(count % unit >= unit.div_ceil(2))
            }
        }
    }
}

struct PerfettoPackets<'a> {
    world: &'a World,
    tracks: PerfettoTracks<'a>,
    clock: NanosecondClock,
    out: &'a mut dyn Write,
    conversion: Conversion,
    flows: FlowNumbers,
    /// Names that were interned, by field of the interned data and number.
    names: HashSet<(u32, u64)>,
    /// By container and type: open states.
    heights: HashMap<(u32, u32), u32>,
    /// Names that the packet at hand interns.
    interned: WireMessage,
    /// The event at hand.
    event: WireMessage,
    short_variables: u64,
    ended_variables: u64,
    variable_fields: u64,
}

impl PerfettoPackets<'_> {
    /// Writes the first packet: interned names start here, and the clock has its date.
    fn begin(&mut self, origin_ms: Option<i64>) -> Result<()> {
        let mut packet = WireMessage::default();
        packet.number(field::FLAGS, 1);
        let date = origin_ms.and_then(|origin| u64::try_from(origin).ok()).and_then(|ms| ms.checked_mul(1_000_000));
        if let Some(date) = date {
            let before_zero = self.clock.nanoseconds(0);
            let mut snapshot = WireMessage::default();
            for (clock, time) in [(6, before_zero), (1, date)] {
                let mut reading = WireMessage::default();
                reading.number(1, clock);
                reading.number(2, time);
                snapshot.message(1, &reading);
            }
            packet.message(field::CLOCKS, &snapshot);
        }
        self.packet(packet)
    }

    fn containers(&mut self, lives: &ContainerLives) -> Result<()> {
        for container in 0..self.world.containers.len() as u32 {
            let start = self.world.containers[container as usize].start;
            let span = [start, lives.end(container)].map(|tick| self.clock.nanoseconds(tick) as i64);
            let track = self.tracks.container(container, span.into());
            self.descriptor(&track)?;
        }
        Ok(())
    }

    fn descriptor(&mut self, track: &WireMessage) -> Result<()> {
        let mut packet = WireMessage::default();
        packet.message(field::TRACK_DESCRIPTOR, track);
        self.packet(packet)
    }

    fn packet(&mut self, mut packet: WireMessage) -> Result<()> {
        packet.number(field::SEQUENCE, 1);
        let mut framed = WireMessage::default();
        framed.message(field::PACKET, &packet);
        self.out.write_all(&framed.bytes).map_err(failed)
    }

    /// Writes the rows of one time.
    fn group(&mut self, tick: i64, group: &RecordGroup<'_>, lives: &ContainerLives) -> Result<()> {
        let together = OneTime::of(tick, group);
        for stack in together.stacks() {
            self.stack(tick, group, stack)?;
        }
        for place in 0..group.len() {
            let record = group.record(place);
            match record.phase {
                phase::VARIABLE => self.variable(tick, &record, lives)?,
                phase::VARIABLE_END => {
                    let is_lost = together.leaves_nothing(record.thread, record.name, lives.end(record.thread));
                    self.ended_variables += u64::from(is_lost);
                }
                phase::EVENT => {
                    self.start_event(TrackEventKind::Instant, record.thread, record.name, 0)?;
                    self.add_name(record.category);
                    self.add_fields(&record);
                    self.finish_event(tick)?;
                }
                phase::LINK => self.link(tick, &record, field::FLOW, |body| body.source)?,
                phase::LINK_END => self.link(tick, &record, field::LAST_FLOW, |body| body.target)?,
                _ => (),
            }
        }
        Ok(())
    }

    /// Writes what happens to one stack of states at one time.
    fn stack(&mut self, tick: i64, group: &RecordGroup<'_>, places: &[(u32, u32, usize)]) -> Result<()> {
        let (container, type_, _) = places[0];
        let row = |(_, _, place): &(u32, u32, usize)| {
            let record = group.record(*place);
            let depth = body(record.arguments).number as u32;
            match record.phase {
                phase::STATE_END => StackRow::Ends,
                phase::INSTANT_STATE => StackRow::Instant { depth },
                _ => StackRow::Begins { depth },
            }
        };
        let rows: Vec<StackRow> = places.iter().map(row).collect();
        let mut height = self.heights.get(&(container, type_)).copied().unwrap_or(0);
        for step in steps(&rows, height) {
            match step {
                StackStep::Push(row) => {
                    height += 1;
                    let record = group.record(places[row].2);
                    self.start_event(TrackEventKind::Begin, container, type_, 0)?;
                    self.add_name(record.category);
                    self.add_fields(&record);
                }
                StackStep::Pop => {
                    height = height.saturating_sub(1);
                    self.start_event(TrackEventKind::End, container, type_, 0)?;
                }
            }
            self.finish_event(tick)?;
        }
        self.heights.insert((container, type_), height);
        Ok(())
    }

    fn variable(&mut self, tick: i64, record: &ChromeRecord<'_>, lives: &ContainerLives) -> Result<()> {
        // Two values at one time leave the last; only one that is set where everything ends has no length.
        if record.end == tick && tick != lives.end(record.thread) {
            self.short_variables += 1;
            return Ok(());
        }
        self.variable_fields += u64::from(extras(record.arguments).next().is_some());
        self.start_event(TrackEventKind::Counter, record.thread, record.name, 0)?;
        self.event.fixed(field::COUNTER, body(record.arguments).number.to_bits());
        self.finish_event(tick)
    }

    fn link(&mut self, tick: i64, record: &ChromeRecord<'_>, flow: u32, end_of: fn(&RowBody) -> u32) -> Result<()> {
        let body = body(record.arguments);
        let number = self.flows.number(record, &body);
        self.start_event(TrackEventKind::Instant, end_of(&body), record.name, record.thread)?;
        self.add_name(record.category);
        self.add_annotation(KEY_NAME, "key", RowData::Text(&String::from_utf8_lossy(record.id)));
        if flow == field::FLOW && !body.number.is_nan() {
            self.add_annotation(VOLUME_NAME, "volume", RowData::Double(body.number));
        }
        self.add_fields(record);
        self.event.fixed(flow, number);
        self.finish_event(tick)
    }

    fn start_event(&mut self, type_: TrackEventKind, container: u32, row_type: u32, of_links: u32) -> Result<()> {
        let (track, new) = self.tracks.track(container, row_type, of_links);
        if let Some(new) = new {
            self.descriptor(&new)?;
        }
        self.event.clear();
        self.interned.clear();
        self.event.number(field::TYPE, type_ as u64);
        self.event.number(field::TRACK, track);
        Ok(())
    }

    fn add_name(&mut self, value: u32) {
        let name = self.world.values[value as usize].name;
        let number = u64::from(name.0) + 1;
        self.intern(field::EVENT_NAMES, number, self.world.value_name(ValueId(value)));
        self.event.number(field::NAME_ID, number);
    }

    fn add_fields(&mut self, record: &ChromeRecord<'_>) {
        for RowExtra { field: place, data } in extras(record.arguments) {
            let Some(column) = self.world.extra_fields.get(place as usize) else { continue };
            match data {
                // The category of an instant is not that of the link that ends there.
                RowData::Text(category) if column.column == CATEGORY && column.table != StoredTable::Links => {
                    self.event.text(field::CATEGORY, category);
                }
                data => self.add_annotation(FIRST_COLUMN_NAME + u64::from(place), &column.column, data),
            }
        }
    }

    fn add_annotation(&mut self, number: u64, name: &str, data: RowData<'_>) {
        self.intern(field::ANNOTATION_NAMES, number, name);
        let mut annotation = WireMessage::default();
        annotation.number(1, number);
        match data {
            RowData::UInt(value) => annotation.number(3, value),
            RowData::Int(value) => annotation.number(4, value as u64),
            RowData::Double(value) => annotation.fixed(5, value.to_bits()),
            RowData::Text(text) => annotation.text(6, text),
        }
        self.event.message(field::ANNOTATION, &annotation);
    }

    /// Interns a name with the packet at hand, unless an earlier one did.
    fn intern(&mut self, kind: u32, number: u64, text: &str) {
        if !self.names.insert((kind, number)) {
            return;
        }
        let mut name = WireMessage::default();
        name.number(1, number);
        name.text(2, text);
        self.interned.message(kind, &name);
    }

    fn finish_event(&mut self, tick: i64) -> Result<()> {
        self.conversion.events += 1;
        let mut packet = WireMessage::default();
        packet.number(field::TIMESTAMP, self.clock.nanoseconds(tick));
        // The names of the event may have been interned by an earlier packet.
        packet.number(field::FLAGS, 2);
        if !self.interned.bytes.is_empty() {
            packet.message(field::INTERNED, &self.interned);
        }
        packet.message(field::TRACK_EVENT, &self.event);
        self.packet(packet)
    }

    fn finish(self) -> Result<Conversion> {
        self.out.flush().map_err(failed)?;
        let before_zero = u64::from(self.clock.first < 0);
        let unsaid = [
            (self.short_variables, "values of variables that last no time"),
            (self.ended_variables, "ends of variables before their next value"),
            (self.variable_fields, "extra fields of variables"),
            (before_zero, "times before zero: all are later by the first of them"),
            (self.clock.rounded, "times finer than a nanosecond"),
        ];
        let unsaid = unsaid.into_iter().filter(|(count, _)| *count > 0).collect();
        Ok(Conversion { unsaid, ..self.conversion })
    }
}

fn failed(source: std::io::Error) -> Error {
    Error::Io { context: "cannot write the trace".to_string(), source }
}

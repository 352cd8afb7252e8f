//! Emits the events of a Chrome trace as Pajé events, by time.
//!
//! | event | becomes |
//! |---|---|
//! | X, and B with E | states of type `slice` on the thread, or on a lane of it when they do not nest |
//! | b with e, S with F | states on tracks of their own below the process, as many as are open at once |
//! | n, T, p, i, I, R, P | events |
//! | C | a variable per series on the process |
//! | s, t, f | links between threads, from step to step |
//! | M | names of processes and threads |

use hashbrown::{Equivalent, HashMap, HashSet};

use super::arguments::Arguments;
use super::columns::ChromeColumns;
use super::group_order::GroupOrder;
use super::lanes::{SliceLane, SliceLanes};
use super::names::ChromeNames;
use super::open_tracks::Asynchronous;
use super::record::{ChromeRecord, RecordGroup};
use super::tracks::{Track, TrackKind, Tracks, type_of};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{StoredTable, TypeKind};
use crate::reader::{EventWriter, ExtraValue, LinkEnd, NameHandle};

/// Which end of a flow is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FlowEnd {
    Source,
    Target,
}

/// Emits events.
pub(super) struct ChromeEmitter {
    pub(super) tracks: Tracks,
    pub(super) names: ChromeNames,
    pub(super) arguments: Arguments,
    fields: ChromeColumns,
    lanes: SliceLanes,
    /// Lanes of threads beyond the first.
    lane_tracks: HashMap<SliceLane, Track>,
    types: HashMap<(TypeKind, String, TrackKind), NameHandle>,
    values: HashSet<(NameHandle, u32)>,
    /// By kind of track: the type of slices.
    slice_types: [Option<NameHandle>; TrackKind::ALL.len()],
    /// By kind of track and name: the value of slices, once it is defined.
    slice_values: [Vec<Option<NameHandle>>; TrackKind::ALL.len()],
    order: GroupOrder,
    flow_type: Option<NameHandle>,
    /// Flows with steps between: how many were emitted.
    steps: HashMap<Vec<u8>, u32>,
    pub(super) asynchronous: Asynchronous,
    /// Slices that found no place on their thread.
    pub(super) displaced: u64,
}

impl ChromeEmitter {
    pub fn new(tracks: Tracks, names: ChromeNames, arguments: Arguments, fields: ChromeColumns) -> ChromeEmitter {
        ChromeEmitter {
            tracks,
            names,
            arguments,
            fields,
            lanes: SliceLanes::default(),
            lane_tracks: HashMap::new(),
            types: HashMap::new(),
            values: HashSet::new(),
            slice_types: [None; TrackKind::ALL.len()],
            slice_values: std::array::from_fn(|_| vec![]),
            order: GroupOrder::default(),
            flow_type: None,
            steps: HashMap::new(),
            asynchronous: Asynchronous::default(),
            displaced: 0,
        }
    }

    /// Ends the slices that end at or before a time.
    pub fn advance(&mut self, until: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        while let Some(due) = self.lanes.next_due(until) {
            let track = self.track_of(due.end, due.lane, writer)?;
            let type_ = self.slice_type(track.kind, writer)?;
            if due.count > 1 {
                let message = format!("a slice ends with {} slices open inside it", due.count - 1);
                writer.fault(Code::UnbalancedEnd, message)?;
            }
            for _ in 0..due.count {
                writer.pop_state(due.end, track.container, type_, &[])?;
            }
        }
        Ok(())
    }

    /// Emits the events of one time; times are counted from `zero`.
    pub fn group(&mut self, group: &RecordGroup<'_>, zero: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        self.advance(group.start() - zero, writer)?;
        // Most are by themselves.
        if group.len() == 1 {
            return self.record_at(group, 0, zero, writer);
        }
        let mut order = std::mem::take(&mut self.order);
        for place in order.arrange(group) {
            self.record_at(group, place, zero, writer)?;
        }
        self.order = order;
        Ok(())
    }

    #[inline(always)]
    fn record_at(
        &mut self,
        group: &RecordGroup<'_>,
        place: usize,
        zero: i64,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let mut record = group.record(place);
        record.start -= zero;
        record.end -= zero;
        writer.at(record.byte);
        self.record(&record, writer)
    }

    fn record(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        match record.phase {
            b'X' => self.complete(record, writer),
            b'B' => {
                let lane = self.lanes.open_begin(record.thread, record.name);
                self.push_slice(record, lane, writer)
            }
            b'E' => self.end(record, writer),
            b'C' => self.counter(record, writer),
            b'b' | b'S' => self.begin_asynchronous(record, writer),
            b'e' | b'F' => self.end_asynchronous(record, writer),
            b'n' | b'T' | b'p' => self.step_asynchronous(record, writer),
            b's' => self.flow(record, FlowEnd::Source, writer),
            b'f' => {
                self.flow(record, FlowEnd::Target, writer)?;
                self.steps.remove(&flow_key(record));
                Ok(())
            }
            b't' => {
                self.flow(record, FlowEnd::Target, writer)?;
                *self.steps.entry(flow_key(record)).or_default() += 1;
                self.flow(record, FlowEnd::Source, writer)
            }
            _ => {
                let is_wide = matches!(record.mode, b'g' | b'p');
                let track = if is_wide {
                    self.tracks.process_track(record.thread)
                } else {
                    self.tracks.thread_track(record.thread)
                };
                let type_ = if record.phase == b'P' { "sample" } else { "instant" };
                self.instant(record, track, type_, writer)
            }
        }
    }

    fn complete(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let lane = self.lanes.open_complete(record.thread, record.end, record.name);
        if lane.lane > 0 {
            self.displaced += 1;
        }
        self.push_slice(record, lane, writer)?;
        if record.end == record.start { self.advance(record.end, writer) } else { Ok(()) }
    }

    fn push_slice(&mut self, record: &ChromeRecord<'_>, lane: SliceLane, writer: &mut EventWriter<'_>) -> Result<()> {
        let track = self.track_of(record.start, lane, writer)?;
        self.push(record, track, writer)
    }

    /// Starts a state on a track.
    pub(super) fn push(&mut self, record: &ChromeRecord<'_>, track: Track, writer: &mut EventWriter<'_>) -> Result<()> {
        let type_ = self.slice_type(track.kind, writer)?;
        let value = self.slice_value(type_, track.kind, record.name, writer)?;
        self.add_fields(StoredTable::States, record, writer);
        writer.push_state(record.start, track.container, type_, value, &[])
    }

    /// Ends a state on a track.
    pub(super) fn pop(&mut self, record: &ChromeRecord<'_>, track: Track, writer: &mut EventWriter<'_>) -> Result<()> {
        let type_ = self.slice_type(track.kind, writer)?;
        self.add_fields(StoredTable::States, record, writer);
        writer.pop_state(record.start, track.container, type_, &[])
    }

    fn end(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(count) = self.lanes.end(record.thread) else {
            return writer.fault(Code::EmptyStack, "an E event ends a slice that no B event started".to_string());
        };
        let track = self.tracks.thread_track(record.thread);
        let type_ = self.slice_type(track.kind, writer)?;
        if count > 1 {
            let message = format!("an E event ends a slice with {} slices open inside it", count - 1);
            writer.fault(Code::UnbalancedEnd, message)?;
        }
        for _ in 1..count {
            writer.pop_state(record.start, track.container, type_, &[])?;
        }
        self.pop(record, track, writer)
    }

    /// Emits an event on a track.
    pub(super) fn instant(
        &mut self,
        record: &ChromeRecord<'_>,
        track: Track,
        type_: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::Event, type_, track.kind, writer)?;
        let value = self.value_of(type_, record.name, writer)?;
        self.add_fields(StoredTable::Events, record, writer);
        writer.new_event(record.start, track.container, type_, value, &[])
    }

    fn counter(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let track = self.tracks.process_track(record.thread);
        let mut series = vec![];
        super::arguments::members(record.arguments, |key, value| {
            series.push((super::json::unescape(key).into_owned(), super::json::text(value).into_owned()));
        });
        if series.is_empty() {
            return writer.fault(Code::MissingField, "a counter event has no series in its args".to_string());
        }
        let name = &self.names.texts[record.name as usize];
        let name = match record.id {
            [] => name.clone(),
            id => format!("{name}[{}]", String::from_utf8_lossy(id)),
        };
        for (key, value) in series {
            let Ok(number) = value.parse::<f64>() else {
                let message = format!("series {key} of counter {name} is {value}, which is no number");
                writer.fault(Code::BadNumber, message)?;
                continue;
            };
            let type_ = self.type_of(TypeKind::Variable, &format!("{name} {key}"), track.kind, writer)?;
            writer.set_variable(record.start, track.container, type_, number, &[])?;
        }
        Ok(())
    }

    fn flow(&mut self, record: &ChromeRecord<'_>, end: FlowEnd, writer: &mut EventWriter<'_>) -> Result<()> {
        let type_ = self.flow_type(writer)?;
        let value = self.value_of(type_, record.name, writer)?;
        let step = self.steps.get(&flow_key(record)).copied().unwrap_or(0);
        let name = &self.names.texts[record.name as usize];
        let category = &self.names.texts[record.category as usize];
        let key = format!("{category}:{name}:{}:{step}", String::from_utf8_lossy(record.id));
        let (root, track) = (writer.root(), self.tracks.thread_track(record.thread));
        self.add_fields(StoredTable::Links, record, writer);
        // The end of a flow is bound to the slice around it only when the event says so.
        let is_bound = record.phase != b'f' || record.mode == b'e';
        let field = match end {
            FlowEnd::Source => self.fields.source_slice,
            FlowEnd::Target => self.fields.target_slice,
        };
        if let Some(slice) = self.lanes.innermost(record.thread).filter(|_| is_bound) {
            writer.add_field(field, ExtraValue::Text(&self.names.texts[slice as usize]));
        }
        let link =
            LinkEnd { tick: record.start, container: root, end: track.container, type_, value, key: &key, fields: &[] };
        match end {
            FlowEnd::Source => writer.start_link(&link),
            FlowEnd::Target => writer.end_link(&link),
        }
    }

    fn flow_type(&mut self, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(type_) = self.flow_type {
            return Ok(type_);
        }
        let (type_, root, thread) = (writer.intern("flow"), writer.root(), type_of(TrackKind::Thread, writer));
        writer.define_link_type(type_, root, (thread, thread), "flow")?;
        self.flow_type = Some(type_);
        Ok(type_)
    }

    /// Adds category and arguments to the event that is emitted next.
    fn add_fields(&self, table: StoredTable, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) {
        let category = &self.names.texts[record.category as usize];
        if !category.is_empty() {
            writer.add_field(self.fields.category(table), ExtraValue::Text(category));
        }
        self.arguments.values(table, record.arguments, |field, value| writer.add_field(field, value));
    }

    /// The type of slices on tracks of a kind.
    #[inline(always)]
    fn slice_type(&mut self, holder: TrackKind, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        match self.slice_types[holder as usize] {
            Some(type_) => Ok(type_),
            None => {
                let type_ = self.type_of(TypeKind::State, "slice", holder, writer)?;
                self.slice_types[holder as usize] = Some(type_);
                Ok(type_)
            }
        }
    }

    /// The value of slices of a name, on tracks of a kind.
    #[inline(always)]
    fn slice_value(
        &mut self,
        type_: NameHandle,
        holder: TrackKind,
        name: u32,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(Some(value)) = self.slice_values[holder as usize].get(name as usize) {
            return Ok(*value);
        }
        let value = self.value_of(type_, name, writer)?;
        let values = &mut self.slice_values[holder as usize];
        values.resize(values.len().max(name as usize + 1), None);
        values[name as usize] = Some(value);
        Ok(value)
    }

    fn track_of(&mut self, tick: i64, lane: SliceLane, writer: &mut EventWriter<'_>) -> Result<Track> {
        if lane.lane == 0 {
            return Ok(self.tracks.thread_track(lane.thread));
        }
        if let Some(track) = self.lane_tracks.get(&lane) {
            return Ok(*track);
        }
        let track = self.tracks.lane(tick, lane.thread, lane.lane, writer)?;
        self.lane_tracks.insert(lane, track);
        Ok(track)
    }

    fn type_of(
        &mut self,
        kind: TypeKind,
        name: &str,
        holder: TrackKind,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(type_) = self.types.get(&TrackTypeKey(kind, name, holder)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}#{}", self.types.len()));
        let parent = type_of(holder, writer);
        writer.define_type(kind, type_, parent, name, None)?;
        self.types.insert((kind, name.to_string(), holder), type_);
        Ok(type_)
    }

    /// A value of a type; defined at its first use.
    fn value_of(&mut self, type_: NameHandle, name: u32, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let text = match self.names.texts[name as usize].as_str() {
            "" => "unnamed",
            text => text,
        };
        let value = writer.intern(text);
        if self.values.insert((type_, name)) {
            writer.define_value(value, type_, text, None)?;
        }
        Ok(value)
    }
}

/// Looks a type up without a copy of its name.
#[derive(Hash)]
struct TrackTypeKey<'a>(TypeKind, &'a str, TrackKind);

impl Equivalent<(TypeKind, String, TrackKind)> for TrackTypeKey<'_> {
    fn equivalent(&self, key: &(TypeKind, String, TrackKind)) -> bool {
        (self.0, self.1, self.2) == (key.0, key.1.as_str(), key.2)
    }
}

fn flow_key(record: &ChromeRecord<'_>) -> Vec<u8> {
    let mut key = record.id.to_vec();
    key.extend_from_slice(&record.name.to_le_bytes());
    key.extend_from_slice(&record.category.to_le_bytes());
    key
}

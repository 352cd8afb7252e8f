//! Emits the records of a Perfetto trace as Pajé events, by time.
//!
//! | record | becomes |
//! |---|---|
//! | begin with end, complete | states of type `slice` on the track, or on a lane of it when they do not nest |
//! | asynchronous begin with end | states on containers of their own below the process, as many as are open at once |
//! | state | a state of type `state` that lasts until the next |
//! | instant | events |
//! | counter | variables |
//! | flow | links from event to event |
//! | switch, waking | see [`super::scheduling`] |

use hashbrown::{HashMap, HashSet};

use super::collector::phase;
use super::containers::{TrackContainer, TrackContainers};
use super::open_entities::{AsyncTracks, Flows, Scheduling};
use super::track_role::TrackRole;
use super::tracks::TrackTable;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind, WordTable};
use crate::reader::chrome::arguments::Arguments;
use crate::reader::chrome::lanes::{SliceLane, SliceLanes};
use crate::reader::chrome::record::{ChromeRecord, RecordGroup};
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue, NameHandle};

/// The type of slices.
const SLICE: &str = "slice";

/// Emits records.
pub(super) struct PerfettoEmitter {
    pub tracks: TrackTable,
    pub containers: TrackContainers,
    pub names: WordTable,
    pub arguments: Arguments,
    pub lanes: SliceLanes,
    /// Lanes of tracks beyond the first.
    lane_containers: HashMap<SliceLane, TrackContainer>,
    /// By kind, name and the type of container.
    pub types: HashMap<(TypeKind, String, NameHandle), NameHandle>,
    /// The type of container that a slice was on last, and the type of its slices.
    recent_slices: Option<(NameHandle, NameHandle)>,
    values: HashSet<(NameHandle, NameHandle)>,
    /// By type and number of the name.
    named_values: HashMap<(NameHandle, u32), NameHandle>,
    categories: [ExtraFieldId; 2],
    pub asynchronous: AsyncTracks,
    pub flows: Flows,
    pub scheduling: Scheduling,
    /// By track and type: how many states of a type of their own are open.
    open: HashMap<(u32, u32), u64>,
    /// Tracks that have a state of type `state`.
    set: HashSet<u32>,
    /// Slices that found no place on their track.
    pub displaced: u64,
}

impl PerfettoEmitter {
    pub fn new(
        tracks: TrackTable,
        containers: TrackContainers,
        (names, arguments): (WordTable, Arguments),
        flows: Flows,
        writer: &mut EventWriter<'_>,
    ) -> PerfettoEmitter {
        let mut category = |table| writer.field(table, "category", FieldKind::Text, ExtraRole::Column);
        PerfettoEmitter {
            tracks,
            containers,
            names,
            arguments,
            lanes: SliceLanes::default(),
            lane_containers: HashMap::new(),
            types: HashMap::new(),
            recent_slices: None,
            values: HashSet::new(),
            named_values: HashMap::new(),
            categories: [category(StoredTable::States), category(StoredTable::Events)],
            asynchronous: AsyncTracks::default(),
            flows,
            scheduling: Scheduling::default(),
            open: HashMap::new(),
            set: HashSet::new(),
            displaced: 0,
        }
    }

    /// Ends the slices that end at or before a time.
    pub fn advance(&mut self, until: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        while let Some(due) = self.lanes.next_due(until) {
            let Some(home) = self.lane_container(due.end, due.lane, writer)? else { continue };
            let type_ = self.type_of(TypeKind::State, SLICE, home, writer)?;
            if due.count > 1 {
                let message = format!("a slice ends with {} slices open inside it", due.count - 1);
                writer.fault(Code::UnbalancedEnd, message)?;
            }
            for _ in 0..due.count {
                writer.pop_state(due.end, home.container, type_, &[])?;
            }
        }
        Ok(())
    }

    /// Emits the records of one time; times are counted from `zero`.
    pub fn group(&mut self, group: &RecordGroup<'_>, zero: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        self.advance(group.start() - zero, writer)?;
        for place in 0..group.len() {
            let mut record = group.record(place);
            record.start -= zero;
            record.end = record.end.saturating_sub(zero);
            writer.at(record.byte);
            self.record(&record, writer)?;
        }
        Ok(())
    }

    fn record(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(home) = self.containers.of(record.thread) else {
            return if record.phase == phase::CREATE { self.create_container(record, writer) } else { Ok(()) };
        };
        match record.phase {
            phase::BEGIN => {
                self.lanes.open_begin(record.thread, record.name);
                let role = self.tracks.role(record.thread);
                self.push(record, home, slice_type(role.as_deref()), writer)
            }
            phase::END => self.end(record, home, writer),
            phase::COMPLETE => self.complete(record, writer),
            phase::INSTANT => {
                let role = self.tracks.role(record.thread);
                let type_ = role.as_ref().and_then(|role| role.event_type.as_deref());
                self.instant(record, home, type_.unwrap_or("instant"), writer)
            }
            phase::COUNTER => {
                let name = self.name(record.name).unwrap_or_else(|| "counter".to_string());
                let bits = record.arguments.first_chunk().copied().unwrap_or_default();
                let type_ = self.type_of(TypeKind::Variable, &name, home, writer)?;
                writer.set_variable(record.start, home.container, type_, f64::from_le_bytes(bits), &[])
            }
            phase::SET_STATE => self.set_state(record, home, writer),
            phase::FLOW => self.flow(record, home, writer),
            phase::ASYNC_BEGIN => self.begin_asynchronous(record, home, writer),
            phase::ASYNC_END => self.end_asynchronous(record, writer),
            phase::ASYNC_STEP => self.step_asynchronous(record, home, writer),
            phase::PUSH => {
                let type_ = self.name(record.category).unwrap_or_default();
                *self.open.entry((record.thread, record.category)).or_default() += 1;
                self.push_typed(record, home, &type_, writer)
            }
            phase::POP => self.pop_typed(record, home, writer),
            phase::LINK => self.link_end(record, home, writer),
            phase::DESTROY => writer.destroy_container(record.start, home.container, home.type_),
            phase::SWITCH => self.switch(record, home, writer),
            phase::WAKING => self.waking(record, home, writer),
            _ => Ok(()),
        }
    }

    fn complete(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let lane = self.lanes.open_complete(record.thread, record.end, record.name);
        if lane.lane > 0 {
            self.displaced += 1;
        }
        let Some(home) = self.lane_container(record.start, lane, writer)? else { return Ok(()) };
        self.push(record, home, "slice", writer)?;
        if record.end == record.start { self.advance(record.end, writer) } else { Ok(()) }
    }

    fn end(&mut self, record: &ChromeRecord<'_>, home: TrackContainer, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(count) = self.lanes.end(record.thread) else {
            return writer.fault(Code::EmptyStack, "an event ends a slice that none began".to_string());
        };
        let role = self.tracks.role(record.thread);
        let name = slice_type(role.as_deref());
        let type_ = self.type_of(TypeKind::State, name, home, writer)?;
        if count > 1 {
            let message = format!("an event ends a slice with {} slices open inside it", count - 1);
            writer.fault(Code::UnbalancedEnd, message)?;
        }
        for _ in 1..count {
            writer.pop_state(record.start, home.container, type_, &[])?;
        }
        self.pop(record, home, name, writer)
    }

    fn set_state(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, "state", home, writer)?;
        if record.name == 0 {
            // Without a name the state ends.
            return match self.set.remove(&record.thread) {
                true => writer.pop_state(record.start, home.container, type_, &[]),
                false => Ok(()),
            };
        }
        self.set.insert(record.thread);
        let value = self.value_of(type_, record.name, writer)?;
        self.add_fields(StoredTable::States, record, writer);
        writer.set_state(record.start, home.container, type_, value, &[])
    }

    /// Starts a state with the arguments of its record.
    pub fn push(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        type_: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, type_, home, writer)?;
        let value = self.value_of(type_, record.name, writer)?;
        self.add_fields(StoredTable::States, record, writer);
        writer.push_state(record.start, home.container, type_, value, &[])
    }

    /// Ends a state with the arguments of its record.
    pub fn pop(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        type_: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, type_, home, writer)?;
        self.add_fields(StoredTable::States, record, writer);
        writer.pop_state(record.start, home.container, type_, &[])
    }

    fn push_typed(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        type_: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, type_, home, writer)?;
        let value = self.value_of(type_, record.name, writer)?;
        writer.push_state(record.start, home.container, type_, value, &[])
    }

    fn pop_typed(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let name = self.name(record.category).unwrap_or_default();
        let open = self.open.entry((record.thread, record.category)).or_default();
        if *open == 0 {
            return writer.fault(Code::EmptyStack, format!("a {name} ends that did not begin"));
        }
        *open -= 1;
        let type_ = self.type_of(TypeKind::State, &name, home, writer)?;
        writer.pop_state(record.start, home.container, type_, &[])
    }

    /// Emits an event.
    pub fn instant(
        &mut self,
        record: &ChromeRecord<'_>,
        home: TrackContainer,
        type_: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::Event, type_, home, writer)?;
        let value = self.value_of(type_, record.name, writer)?;
        self.add_fields(StoredTable::Events, record, writer);
        writer.new_event(record.start, home.container, type_, value, &[])
    }

    /// Adds category and arguments to the event that is emitted next.
    fn add_fields(&self, table: StoredTable, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) {
        let category = self.names.text(record.category);
        if !category.is_empty() {
            let category = String::from_utf8_lossy(category);
            let field = self.categories[usize::from(table == StoredTable::Events)];
            writer.add_field(field, ExtraValue::Text(&category));
        }
        self.arguments.values(table, record.arguments, |field, value| writer.add_field(field, value));
    }

    /// A name by its number; `None` when it is empty.
    pub fn name(&self, number: u32) -> Option<String> {
        let text = self.names.text(number);
        (!text.is_empty()).then(|| String::from_utf8_lossy(text).into_owned())
    }

    fn lane_container(
        &mut self,
        tick: i64,
        lane: SliceLane,
        writer: &mut EventWriter<'_>,
    ) -> Result<Option<TrackContainer>> {
        let Some(home) = self.containers.of(lane.thread).filter(|_| lane.lane > 0) else {
            return Ok(self.containers.of(lane.thread));
        };
        if let Some(container) = self.lane_containers.get(&lane) {
            return Ok(Some(*container));
        }
        let plain = format!("lane {}", lane.lane);
        let name = format!("{} {plain}", self.containers.names[lane.thread as usize]);
        let container = self.containers.below(tick, home, "lane", (&name, &plain), writer)?;
        self.lane_containers.insert(lane, container);
        Ok(Some(container))
    }

    /// A type of states, events or variables of a container; defined at its first use.
    pub fn type_of(
        &mut self,
        kind: TypeKind,
        name: &str,
        home: TrackContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        // Nearly all events are slices of threads.
        let is_slice = kind == TypeKind::State && name == SLICE;
        if is_slice
            && let Some((of, type_)) = self.recent_slices
            && of == home.type_
        {
            return Ok(type_);
        }
        if let Some(type_) = self.types.get(&TypeOfContainer(kind, name, home.type_)) {
            if is_slice {
                self.recent_slices = Some((home.type_, *type_));
            }
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}#{}", self.types.len()));
        writer.define_type(kind, type_, home.type_, name, None)?;
        self.types.insert((kind, name.to_string(), home.type_), type_);
        Ok(type_)
    }

    /// A value of a type by the number of its name; defined at its first use.
    pub fn value_of(&mut self, type_: NameHandle, name: u32, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(value) = self.named_values.get(&(type_, name)) {
            return Ok(*value);
        }
        let text = self.name(name).unwrap_or_else(|| "unnamed".to_string());
        let value = self.value(type_, &text, writer)?;
        self.named_values.insert((type_, name), value);
        Ok(value)
    }

    /// A value of a type; defined at its first use.
    pub fn value(&mut self, type_: NameHandle, text: &str, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let value = writer.intern(text);
        if self.values.insert((type_, value)) {
            writer.define_value(value, type_, text, None)?;
        }
        Ok(value)
    }
}

/// The type of the slices on a track.
fn slice_type(role: Option<&TrackRole>) -> &str {
    role.and_then(|role| role.state_type.as_deref()).unwrap_or(SLICE)
}

/// Looks a type up without a copy of its name.
#[derive(Hash)]
struct TypeOfContainer<'a>(TypeKind, &'a str, NameHandle);

impl hashbrown::Equivalent<(TypeKind, String, NameHandle)> for TypeOfContainer<'_> {
    fn equivalent(&self, key: &(TypeKind, String, NameHandle)) -> bool {
        (self.0, self.1, self.2) == (key.0, key.1.as_str(), key.2)
    }
}

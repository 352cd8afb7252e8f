//! Emits the rows of a dump, in time order, as events of the model.

// size: one method per kind of row, and what waits for its time.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::{HashMap, HashSet};

use super::containers::DumpContainers;
use super::words::DumpWords;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::TypeKind;
use crate::reader::chrome::{ChromeRecord, RecordGroup, SliceLane, SliceLanes};
use crate::reader::{EventWriter, LinkEnd, NameHandle};

/// The root, in the place of a container.
pub(super) const ROOT: u32 = u32::MAX;

/// Something that happens later, in the order of time; of one time in the order of their ranks.
type Pending = Reverse<(i64, u8, u64, PendingItem)>;

const FIRST: u8 = 0;
const MIDDLE: u8 = 1;
const LAST: u8 = 2;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum PendingItem {
    Create(usize),
    Destroy(usize),
    /// Container, type and bits of the number.
    EndVariable(u32, u32, u64),
    /// The other half of a link.
    Link(Box<PendingHalf>),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct PendingHalf {
    is_start: bool,
    container: u32,
    type_: u32,
    value: u32,
    at: u32,
    key: String,
    /// Distinguishes links of one key that are open at once.
    number: u32,
}

/// Emits rows.
pub(super) struct DumpEmitter<'w> {
    containers: DumpContainers,
    words: &'w DumpWords,
    /// By container: its alias, and the alias of its type.
    handles: Vec<Option<(NameHandle, NameHandle)>>,
    types: HashMap<(u8, NameHandle, u32), NameHandle>,
    values: HashSet<(NameHandle, u32)>,
    lanes: SliceLanes,
    /// Places of states: a container and a type.
    slots: HashMap<(u32, u32), u32>,
    slot_places: Vec<(u32, u32)>,
    lane_containers: HashMap<SliceLane, (NameHandle, NameHandle)>,
    pending: BinaryHeap<Pending>,
    count: u64,
    /// Keys of links that are open: how many there are, and how many there were.
    open_keys: HashMap<(u32, u32, String), (u32, u32)>,
    displaced: u64,
}

impl<'w> DumpEmitter<'w> {
    /// Plans the lives of containers; `last` is the end of the trace, after `last_row`.
    pub fn new(mut containers: DumpContainers, words: &'w DumpWords, last_row: Option<i64>) -> (DumpEmitter<'w>, u64) {
        let (order, orphans) = containers.arrange();
        let last = last_time(&containers, last_row);
        let mut pending = BinaryHeap::new();
        let lives = containers.lives(&order, last);
        for (number, place) in (0_u64..).zip(order) {
            let (start, end) = lives[place];
            pending.push(Reverse((start, FIRST, number, PendingItem::Create(place))));
            // Where no row reaches the end of the trace, the end of a container does.
            let is_top = containers.all[place].parent.is_none();
            let end = end.or_else(|| (is_top && last_row.is_none_or(|row| row < last)).then_some(last));
            pending.extend(end.map(|end| Reverse((end, LAST, u64::MAX - number, PendingItem::Destroy(place)))));
        }
        let emitter = DumpEmitter {
            handles: vec![None; containers.all.len()],
            containers,
            words,
            types: HashMap::new(),
            values: HashSet::new(),
            lanes: SliceLanes::default(),
            slots: HashMap::new(),
            slot_places: vec![],
            lane_containers: HashMap::new(),
            pending,
            count: 0,
            open_keys: HashMap::new(),
            displaced: 0,
        };
        (emitter, orphans)
    }

    /// Emits what happens before a time, and what must come first at it.
    pub fn advance(&mut self, until: i64, ranks: u8, writer: &mut EventWriter<'_>) -> Result<()> {
        while let Some(Reverse((tick, rank, _, _))) = self.pending.peek() {
            let (tick, rank) = (*tick, *rank);
            if (tick, rank) > (until, ranks) {
                break;
            }
            self.end_states(tick, writer)?;
            if let Some(Reverse((tick, _, _, item))) = self.pending.pop() {
                self.happen(tick, item, writer)?;
            }
        }
        self.end_states(until, writer)
    }

    /// Ends everything.
    pub fn finish(&mut self, writer: &mut EventWriter<'_>) -> Result<()> {
        self.advance(i64::MAX, LAST, writer)
    }

    fn happen(&mut self, tick: i64, item: PendingItem, writer: &mut EventWriter<'_>) -> Result<()> {
        match item {
            PendingItem::Create(place) => self.create(tick, place, writer).map(|_| ()),
            PendingItem::Destroy(place) => {
                let (container, type_) = self.create(tick, place, writer)?;
                writer.destroy_container(tick, container, type_)
            }
            PendingItem::EndVariable(container, type_, bits) => {
                let (container, holder) = self.container(tick, container, writer)?;
                let type_ = self.type_of(TypeKind::Variable, holder, type_, writer)?;
                writer.measure_variable(tick, container, type_, f64::from_bits(bits), &[])
            }
            PendingItem::Link(half) => {
                self.half(tick, &half, writer)?;
                let key = (half.container, half.type_, half.key);
                if let Some((open, _)) = self.open_keys.get_mut(&key) {
                    *open -= 1;
                    if *open == 0 {
                        self.open_keys.remove(&key);
                    }
                }
                Ok(())
            }
        }
    }

    fn end_states(&mut self, until: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        while let Some(due) = self.lanes.next_due(until) {
            let (container, type_) = self.place_of(due.end, due.lane, writer)?;
            for _ in 0..due.count {
                writer.pop_state(due.end, container, type_, &[])?;
            }
        }
        Ok(())
    }

    /// Emits the rows of one time: states from the outside inwards, short ones first.
    pub fn group(&mut self, group: &RecordGroup<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let mut order: Vec<usize> = (0..group.len()).collect();
        order.sort_by_key(|place| {
            let record = group.record(*place);
            match record.phase {
                b'S' => (0, depth_of(&record), record.end),
                _ => (1, 0, 0),
            }
        });
        for (count, place) in order.into_iter().enumerate() {
            let record = group.record(place);
            if count == 0 {
                self.advance(record.start, MIDDLE, writer)?;
            }
            writer.at(record.byte);
            self.record(&record, writer)?;
        }
        Ok(())
    }

    fn record(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        match record.phase {
            b'S' => self.state(record, writer),
            b'V' => {
                let (container, holder) = self.container(record.start, record.thread, writer)?;
                let type_ = self.type_of(TypeKind::Variable, holder, record.name, writer)?;
                writer.reset_variable(record.start, container, type_)?;
                let bits = record.arguments.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
                self.push(record.end, PendingItem::EndVariable(record.thread, record.name, bits));
                self.advance_at(record, writer)
            }
            b'E' => {
                let (container, holder) = self.container(record.start, record.thread, writer)?;
                let type_ = self.type_of(TypeKind::Event, holder, record.name, writer)?;
                let value = self.value_of(type_, record.category, writer)?;
                writer.new_event(record.start, container, type_, value, &[])
            }
            _ => self.link(record, writer),
        }
    }

    /// What ends where it begins ends now.
    fn advance_at(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        if record.end == record.start { self.advance(record.start, MIDDLE, writer) } else { Ok(()) }
    }

    fn push(&mut self, tick: i64, item: PendingItem) {
        self.count += 1;
        self.pending.push(Reverse((tick, MIDDLE, self.count, item)));
    }

    fn state(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let key = (record.thread, record.name);
        let slot = *self.slots.entry(key).or_insert(self.slot_places.len() as u32);
        if slot as usize == self.slot_places.len() {
            self.slot_places.push(key);
        }
        let lane = self.lanes.open_complete(slot, record.end, 0);
        self.displaced += u64::from(lane.lane > 0);
        let (container, type_) = self.place_of(record.start, lane, writer)?;
        let value = self.value_of(type_, record.category, writer)?;
        writer.push_state(record.start, container, type_, value, &[])?;
        if record.end == record.start { self.end_states(record.end, writer) } else { Ok(()) }
    }

    /// The container and the type of the states of a lane.
    fn place_of(
        &mut self,
        tick: i64,
        lane: SliceLane,
        writer: &mut EventWriter<'_>,
    ) -> Result<(NameHandle, NameHandle)> {
        let (place, type_) = self.slot_places[lane.thread as usize];
        let (container, holder) = self.container(tick, place, writer)?;
        if lane.lane == 0 {
            let type_ = self.type_of(TypeKind::State, holder, type_, writer)?;
            return Ok((container, type_));
        }
        if let Some(found) = self.lane_containers.get(&lane) {
            return Ok(*found);
        }
        let lane_type = self.container_type("lane", holder, writer)?;
        let alias = writer.intern(&format!("l{}.{}", lane.thread, lane.lane));
        let name = self.containers.all.get(place as usize).map_or("0", |container| &container.name);
        let name = format!("{name} lane {}", lane.lane);
        writer.create_container(tick, alias, &name, lane_type, container, &[])?;
        let type_ = self.type_of(TypeKind::State, lane_type, type_, writer)?;
        self.lane_containers.insert(lane, (alias, type_));
        Ok((alias, type_))
    }

    fn link(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let is_start = record.mode == 0;
        let number = |at: usize| record.arguments.get(at..at + 4).and_then(|bytes| bytes.first_chunk().copied());
        let [source, target] = [0, 4].map(|at| number(at).map_or(ROOT, u32::from_le_bytes));
        let key = String::from_utf8_lossy(record.id).into_owned();
        let (open, number) = self.open_keys.entry((record.thread, record.name, key.clone())).or_default();
        (*open, *number) = (*open + 1, *number + 1);
        let first = PendingHalf {
            is_start,
            container: record.thread,
            type_: record.name,
            value: record.category,
            at: if is_start { source } else { target },
            key,
            number: *number,
        };
        self.half(record.start, &first, writer)?;
        let at = if is_start { target } else { source };
        self.push(record.end, PendingItem::Link(Box::new(PendingHalf { is_start: !is_start, at, ..first })));
        self.advance_at(record, writer)
    }

    fn half(&mut self, tick: i64, half: &PendingHalf, writer: &mut EventWriter<'_>) -> Result<()> {
        let (container, holder) = self.container(tick, half.container, writer)?;
        let (end, end_type) = self.container(tick, half.at, writer)?;
        let key = (LINK, holder, half.type_);
        let type_ = match self.types.get(&key) {
            Some(type_) => *type_,
            None => {
                let type_ = writer.intern(&format!("t{}", self.types.len()));
                writer.define_link_type(type_, holder, (end_type, end_type), self.words.text(half.type_))?;
                self.types.insert(key, type_);
                type_
            }
        };
        let value = self.value_of(type_, half.value, writer)?;
        let numbered;
        let key = match half.number {
            1 => &half.key,
            number => {
                numbered = format!("{} #{number}", half.key);
                &numbered
            }
        };
        let link = LinkEnd { tick, container, end, type_, value, key, fields: &[] };
        if half.is_start { writer.start_link(&link) } else { writer.end_link(&link) }
    }

    /// A container by its place, with its type; it exists.
    fn container(&mut self, tick: i64, place: u32, writer: &mut EventWriter<'_>) -> Result<(NameHandle, NameHandle)> {
        if place == ROOT {
            let root = writer.root();
            return Ok((root, root));
        }
        self.create(tick, place as usize, writer)
    }

    /// Creates a container, and those above it, unless they exist.
    fn create(&mut self, tick: i64, place: usize, writer: &mut EventWriter<'_>) -> Result<(NameHandle, NameHandle)> {
        // Parents were put before their children, so that this goes one step up at most.
        if let Some(found) = self.handles[place] {
            return Ok(found);
        }
        let (parent, parent_type) = match self.containers.all[place].parent {
            Some(parent) => match self.handles[parent] {
                Some(found) => found,
                None => (writer.root(), writer.root()),
            },
            None => (writer.root(), writer.root()),
        };
        let type_name = self.containers.all[place].type_.clone();
        let type_ = self.container_type(&type_name, parent_type, writer)?;
        let alias = writer.intern(&format!("c{place}"));
        writer.create_container(tick, alias, &self.containers.all[place].name, type_, parent, &[])?;
        self.handles[place] = Some((alias, type_));
        Ok((alias, type_))
    }

    fn container_type(&mut self, name: &str, parent: NameHandle, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let key = (CONTAINER, parent, self.words.find(name));
        if let Some(type_) = self.types.get(&key) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("t{}", self.types.len()));
        writer.define_type(TypeKind::Container, type_, parent, name, None)?;
        self.types.insert(key, type_);
        Ok(type_)
    }

    fn type_of(
        &mut self,
        kind: TypeKind,
        holder: NameHandle,
        name: u32,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        let letter = match kind {
            TypeKind::State => b'S',
            TypeKind::Variable => b'V',
            _ => b'E',
        };
        if let Some(type_) = self.types.get(&(letter, holder, name)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("t{}", self.types.len()));
        writer.define_type(kind, type_, holder, self.words.text(name), None)?;
        self.types.insert((letter, holder, name), type_);
        Ok(type_)
    }

    fn value_of(&mut self, type_: NameHandle, value: u32, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let text = self.words.text(value);
        let handle = writer.intern(text);
        if self.values.insert((type_, value)) {
            writer.define_value(handle, type_, text, None)?;
        }
        Ok(handle)
    }

    /// Says how many states found no place on their container.
    pub fn report_displaced(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        match self.displaced {
            0 => Ok(()),
            count => {
                let message = format!(
                    "{count} states overlap others of their container without nesting; they are on lanes below it"
                );
                writer.fault(Code::OverlappingStates, message)
            }
        }
    }

    /// Says what was done with rows that are not as they should be.
    pub fn report(&self, orphans: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        let counted = [
            (
                Code::UndefinedReference,
                self.containers.undefined,
                "containers have no row of their own; they are below the root, with the type 'container'",
            ),
            (Code::UndefinedReference, orphans, "containers have a parent that has no row; they are below the root"),
            (
                Code::AmbiguousContainer,
                self.containers.ambiguous,
                "rows name a container of which there are several; the first that lives at their time was taken",
            ),
        ];
        for (code, count, words) in counted.into_iter().filter(|(_, count, _)| *count > 0) {
            writer.fault(code, format!("{count} {words}"))?;
        }
        Ok(())
    }
}

const LINK: u8 = b'L';
const CONTAINER: u8 = b'C';

fn depth_of(record: &ChromeRecord<'_>) -> u32 {
    record.id.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The end of the trace: the last time of a row, unless the root or a container ends later.
fn last_time(containers: &DumpContainers, last_row: Option<i64>) -> i64 {
    let printed = containers.all.iter().filter_map(|container| container.printed).map(|(_, end)| end).max();
    let printed = containers.root_end.max(printed);
    match (printed, last_row) {
        (Some(printed), Some(row)) if printed < row || super::containers::is_near(printed, row) => row,
        (Some(printed), _) => printed,
        (None, row) => row.unwrap_or(0),
    }
}

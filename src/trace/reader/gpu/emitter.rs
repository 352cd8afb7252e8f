//! Emits what was collected as Pajé events, by time.

use hashbrown::{HashMap, HashSet};

use super::collector::{ActivityCollector, OPEN, phase};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::chrome::group_order::GroupOrder;
use crate::reader::chrome::lanes::{SliceLane, SliceLanes};
use crate::reader::chrome::record::ChromeRecord;
use crate::reader::chrome::zero_of;
use crate::reader::distinct_names::{number, repeated};
use crate::reader::{EventWriter, ExtraRole, ExtraValue, LinkEnd, NameHandle, PLAIN_NAME};

/// Events of one time that are put in order together.
const LARGEST_GROUP: usize = 1 << 20;

/// A container and its type.
#[derive(Debug, Clone, Copy)]
struct CreatedContainer {
    container: NameHandle,
    type_: NameHandle,
}

/// Emits records.
struct ActivityEmitter {
    collector: ActivityCollector,
    containers: Vec<Option<CreatedContainer>>,
    names: Vec<String>,
    container_types: HashMap<(&'static str, NameHandle), NameHandle>,
    types: HashMap<(TypeKind, u32, NameHandle), NameHandle>,
    values: HashSet<(NameHandle, NameHandle)>,
    lanes: SliceLanes,
    lane_containers: HashMap<(u32, usize), CreatedContainer>,
    /// The lines with a state that ends by a step.
    open: HashSet<u32>,
    displaced: u64,
    /// States that ended without having begun in the recording, and those that began a second time.
    unbegun: u64,
    begun_twice: u64,
}

/// Sorts and emits all that was collected; returns the tick that became zero.
pub(super) fn emit(
    mut collector: ActivityCollector,
    ticks_per_second: i64,
    writer: &mut EventWriter<'_>,
) -> Result<i64> {
    let sorter = std::mem::replace(&mut collector.sorter, crate::reader::chrome::record::RecordSorter::new(0));
    let sorted = sorter.sorted()?;
    let first = sorted.time().unwrap_or(0);
    let zero = zero_of(first, ticks_per_second, writer)?;
    writer.field(StoredTable::Links, "bytes", FieldKind::Int, ExtraRole::Volume);
    collector.arguments.declare(writer);
    let names = names_of(&collector);
    let count = collector.containers.len();
    let mut emitter = ActivityEmitter {
        collector,
        containers: vec![None; count],
        names,
        container_types: HashMap::new(),
        types: HashMap::new(),
        values: HashSet::new(),
        lanes: SliceLanes::default(),
        lane_containers: HashMap::new(),
        open: HashSet::new(),
        displaced: 0,
        unbegun: 0,
        begun_twice: 0,
    };
    for container in 0..count as u32 {
        if emitter.collector.containers[container as usize].is_used {
            emitter.create(container, first - zero, writer)?;
        }
    }
    let mut order = GroupOrder::default();
    sorted.each_group(LARGEST_GROUP, |group| {
        emitter.advance(group.start().saturating_sub(zero), writer)?;
        for place in order.arrange(group) {
            let mut record = group.record(place);
            let end = if record.end == OPEN { emitter.collector.last } else { record.end };
            record.start = record.start.saturating_sub(zero);
            record.end = end.saturating_sub(zero);
            writer.at(record.byte);
            emitter.record(&record, writer)?;
        }
        Ok(writer.flow())
    })?;
    if writer.is_stopped() {
        return Ok(zero);
    }
    emitter.advance(i64::MAX, writer)?;
    emitter.report(writer)?;
    Ok(zero)
}

/// Names that differ from each other among the containers of a type: with the parent where they are equal.
fn names_of(collector: &ActivityCollector) -> Vec<String> {
    let containers = &collector.containers;
    let mut names: Vec<String> = containers.iter().map(|container| container.name.clone()).collect();
    let used = || (0..containers.len()).filter(|place| containers[*place].is_used);
    let alike = repeated(used().map(|place| (containers[place].type_, names[place].clone())));
    for place in used() {
        if let Some(parent) = containers[place].parent
            && alike.contains(&(containers[place].type_, names[place].clone()))
        {
            names[place] = format!("{} {}", names[parent as usize], names[place]);
        }
    }
    for type_ in ["host", "process", "thread", "device", "stream"] {
        let mut all = containers.iter();
        number(names.iter_mut().filter(|_| all.next().is_some_and(|one| one.is_used && one.type_ == type_)));
    }
    names
}

impl ActivityEmitter {
    fn create(&mut self, place: u32, tick: i64, writer: &mut EventWriter<'_>) -> Result<CreatedContainer> {
        if let Some(known) = self.containers[place as usize] {
            return Ok(known);
        }
        let parent = match self.collector.containers[place as usize].parent {
            Some(parent) => self.create(parent, tick, writer)?,
            None => CreatedContainer { container: writer.root(), type_: writer.root() },
        };
        let type_name = self.collector.containers[place as usize].type_;
        let type_ = self.container_type(type_name, parent.type_, writer)?;
        let described = &self.collector.containers[place as usize];
        let mut fields = vec![(writer.container_text(PLAIN_NAME), ExtraValue::Text(&described.name))];
        for (column, id) in &described.ids {
            fields.push((writer.container_text(column), ExtraValue::Text(id)));
        }
        let container = writer.intern(&format!("a{place}"));
        writer.create_container(tick, container, &self.names[place as usize], type_, parent.container, &fields)?;
        let created = CreatedContainer { container, type_ };
        self.containers[place as usize] = Some(created);
        Ok(created)
    }

    fn container_type(
        &mut self,
        name: &'static str,
        parent: NameHandle,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(type_) = self.container_types.get(&(name, parent)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}@{}", self.container_types.len()));
        writer.define_type(TypeKind::Container, type_, parent, name, None)?;
        self.container_types.insert((name, parent), type_);
        Ok(type_)
    }

    /// Ends the states that end at or before a time.
    fn advance(&mut self, until: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        while let Some(due) = self.lanes.next_due(until) {
            let (home, type_) = self.place(due.end, due.lane, writer)?;
            for _ in 0..due.count {
                writer.pop_state(due.end, home.container, type_, &[])?;
            }
        }
        Ok(())
    }

    /// Reports what was lost or changed, one row for each reason and table.
    fn report(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        if self.displaced > 0 {
            let message = format!("{} states overlap others without nesting; they are on lanes", self.displaced);
            writer.fault(Code::OverlappingStates, message)?;
        }
        for (count, code, what) in [
            (self.unbegun, Code::TraceProperty, "states ended that had begun before the recording; they are not in it"),
            (self.begun_twice, Code::UnbalancedEnd, "states began before the one before them ended; it ends there"),
        ] {
            if count > 0 {
                writer.fault_many(code, count, what.to_string())?;
            }
        }
        for ((code, reason, table), (rows, byte)) in &self.collector.losses {
            writer.at(*byte);
            writer.fault_many(*code, *rows, format!("{table}: {reason}"))?;
        }
        Ok(())
    }

    fn record(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        match record.phase {
            phase::STATE => {
                let lane = self.lanes.open_complete(record.thread, record.end, record.name);
                self.displaced += u64::from(lane.lane > 0);
                let (home, type_) = self.place(record.start, lane, writer)?;
                let value = self.value(type_, record.name, writer)?;
                self.add_fields(StoredTable::States, record, writer);
                writer.push_state(record.start, home.container, type_, value, &[])?;
                if record.end == record.start { self.advance(record.end, writer) } else { Ok(()) }
            }
            phase::PUSH => {
                let (home, type_) = self.place(record.start, SliceLane { thread: record.thread, lane: 0 }, writer)?;
                if !self.open.insert(record.thread) {
                    self.begun_twice += 1;
                    writer.pop_state(record.start, home.container, type_, &[])?;
                }
                let value = self.value(type_, record.name, writer)?;
                self.add_fields(StoredTable::States, record, writer);
                writer.push_state(record.start, home.container, type_, value, &[])
            }
            phase::POP => {
                if !self.open.remove(&record.thread) {
                    self.unbegun += 1;
                    return Ok(());
                }
                let (home, type_) = self.place(record.start, SliceLane { thread: record.thread, lane: 0 }, writer)?;
                writer.pop_state(record.start, home.container, type_, &[])
            }
            phase::EVENT => {
                let Some(home) = self.containers[record.thread as usize] else { return Ok(()) };
                let type_ = self.type_of(TypeKind::Event, record.category, home, writer)?;
                let value = self.value(type_, record.name, writer)?;
                self.add_fields(StoredTable::Events, record, writer);
                writer.new_event(record.start, home.container, type_, value, &[])
            }
            phase::VARIABLE | phase::ADDED => {
                let Some(home) = self.containers[record.thread as usize] else { return Ok(()) };
                let type_ = self.type_of(TypeKind::Variable, record.category, home, writer)?;
                let value = f64::from_le_bytes(record.id.first_chunk().copied().unwrap_or_default());
                match record.phase {
                    phase::ADDED => writer.add_variable(record.start, home.container, type_, value, &[]),
                    _ => writer.set_variable(record.start, home.container, type_, value, &[]),
                }
            }
            phase::LINK_START | phase::LINK_END => self.link(record, writer),
            _ => Ok(()),
        }
    }

    fn link(&mut self, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(home) = self.containers[record.thread as usize] else { return Ok(()) };
        let root = CreatedContainer { container: writer.root(), type_: writer.root() };
        let key = (TypeKind::Link, record.category, root.type_);
        let type_ = match self.types.get(&key) {
            Some(type_) => *type_,
            None => {
                let name = self.text(record.category);
                let ends = ends_of(&name);
                let end = |wanted: &str| {
                    let known = self.collector.containers.iter().zip(&self.containers);
                    let mut of_type = known.filter(|(one, _)| one.type_ == wanted).filter_map(|(_, made)| *made);
                    of_type.next().map_or(home.type_, |made| made.type_)
                };
                let ends = (end(ends.0), end(ends.1));
                let type_ = writer.intern(&format!("{name}#link"));
                writer.define_link_type(type_, root.container, ends, &name)?;
                self.types.insert(key, type_);
                type_
            }
        };
        let value = self.value(type_, record.name, writer)?;
        let key = String::from_utf8_lossy(record.id);
        if record.phase == phase::LINK_START {
            self.add_fields(StoredTable::Links, record, writer);
        }
        let link = LinkEnd {
            tick: record.start,
            container: root.container,
            end: home.container,
            type_,
            value,
            key: &key,
            fields: &[],
        };
        if record.phase == phase::LINK_START { writer.start_link(&link) } else { writer.end_link(&link) }
    }

    /// The container and the type of states of a line.
    fn place(
        &mut self,
        tick: i64,
        lane: SliceLane,
        writer: &mut EventWriter<'_>,
    ) -> Result<(CreatedContainer, NameHandle)> {
        let (container, type_) = self.collector.line_list[lane.thread as usize];
        let own = match self.containers[container as usize] {
            Some(own) => own,
            None => self.create(container, tick, writer)?,
        };
        let home = if lane.lane == 0 {
            own
        } else if let Some(known) = self.lane_containers.get(&(lane.thread, lane.lane)) {
            *known
        } else {
            let plain = format!("{} lane {}", self.text(type_), lane.lane);
            let name = format!("{} {plain}", self.names[container as usize]);
            let lane_type = self.container_type("lane", own.type_, writer)?;
            let handle = writer.intern(&format!("l{}", self.lane_containers.len()));
            let fields = [(writer.container_text(PLAIN_NAME), ExtraValue::Text(&plain))];
            writer.create_container(tick, handle, &name, lane_type, own.container, &fields)?;
            let created = CreatedContainer { container: handle, type_: lane_type };
            self.lane_containers.insert((lane.thread, lane.lane), created);
            created
        };
        Ok((home, self.type_of(TypeKind::State, type_, home, writer)?))
    }

    fn add_fields(&self, table: StoredTable, record: &ChromeRecord<'_>, writer: &mut EventWriter<'_>) {
        self.collector.arguments.values(table, record.arguments, |field, value| writer.add_field(field, value));
    }

    fn text(&self, name: u32) -> String {
        String::from_utf8_lossy(self.collector.names.text(name)).into_owned()
    }

    fn type_of(
        &mut self,
        kind: TypeKind,
        name: u32,
        home: CreatedContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(type_) = self.types.get(&(kind, name, home.type_)) {
            return Ok(*type_);
        }
        let text = self.text(name);
        let type_ = writer.intern(&format!("{text}#{}", self.types.len()));
        writer.define_type(kind, type_, home.type_, &text, None)?;
        self.types.insert((kind, name, home.type_), type_);
        Ok(type_)
    }

    fn value(&mut self, type_: NameHandle, name: u32, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let text = match self.text(name) {
            text if text.is_empty() => "unnamed".to_string(),
            text => text,
        };
        let value = writer.intern(&text);
        if self.values.insert((type_, value)) {
            writer.define_value(value, type_, &text, None)?;
        }
        Ok(value)
    }
}

/// What links of a type start and end on.
fn ends_of(type_: &str) -> (&'static str, &'static str) {
    match type_ {
        "launch" => ("thread", "stream"),
        "copy" => ("device", "device"),
        _ => ("thread", "thread"),
    }
}

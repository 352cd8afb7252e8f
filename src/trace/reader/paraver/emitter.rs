//! Emits the records of a Paraver trace, in time order, as events of the model.
//!
//! The ends of states and of messages stand in the record of their beginning; they wait here until their time comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::event_types::{EventMeaning, EventTypes, STATE};
use super::labels::ParaverLabels;
use super::record::{EventPair, EventPairs, ParaverMessage, RecordPlace};
use super::threads::Threads;
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::chrome::{SliceLane, SliceLanes};
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue, LinkEnd, NameHandle};

/// The columns of records.
struct ParaverColumns {
    state_cpu: ExtraFieldId,
    event_cpu: ExtraFieldId,
    size: ExtraFieldId,
    tag: ExtraFieldId,
    physical_send: ExtraFieldId,
    logical_receive: ExtraFieldId,
}

impl ParaverColumns {
    fn declare(writer: &mut EventWriter<'_>) -> ParaverColumns {
        let mut field = |table, column, kind, role| writer.field(table, column, kind, role);
        ParaverColumns {
            state_cpu: field(StoredTable::States, "cpu", FieldKind::Int, ExtraRole::Column),
            event_cpu: field(StoredTable::Events, "cpu", FieldKind::Int, ExtraRole::Column),
            size: field(StoredTable::Links, "size", FieldKind::Int, ExtraRole::Volume),
            tag: field(StoredTable::Links, "tag", FieldKind::Int, ExtraRole::Column),
            physical_send: field(StoredTable::Links, "psend", FieldKind::Double, ExtraRole::Column),
            logical_receive: field(StoredTable::Links, "lrecv", FieldKind::Double, ExtraRole::Column),
        }
    }
}

/// The end of a message: its time, the number of the message, the thread that receives it.
type PendingEnd = Reverse<(i64, u64, u32)>;

/// Emits records.
pub(super) struct ParaverEmitter {
    pub threads: Threads,
    labels: ParaverLabels,
    pub types: EventTypes,
    columns: ParaverColumns,
    state_type: NameHandle,
    /// States on lanes, once there are any.
    lane_state_type: Option<NameHandle>,
    message_type: NameHandle,
    message: NameHandle,
    states: HashMap<i64, NameHandle>,
    lanes: SliceLanes,
    ends: BinaryHeap<PendingEnd>,
    messages: u64,
    /// By thread and event type: open states.
    depths: Vec<Vec<u32>>,
    /// By thread and event type: when a variable was set, and its value.
    set: Vec<Vec<Option<(i64, f64)>>>,
    /// Types and values of the line at hand.
    pairs: Vec<(usize, i64)>,
    pub displaced: u64,
    pub saturated: u64,
}

impl ParaverEmitter {
    pub fn new(
        threads: Threads,
        labels: ParaverLabels,
        types: EventTypes,
        writer: &mut EventWriter<'_>,
    ) -> Result<ParaverEmitter> {
        let state_type = writer.intern("s");
        writer.define_type(TypeKind::State, state_type, threads.types.thread, STATE, None)?;
        let (message_type, message) = (writer.intern("m"), writer.intern("message"));
        let thread = threads.types.thread;
        writer.define_link_type(message_type, threads.types.workload, (thread, thread), "message")?;
        writer.define_value(message, message_type, "message", None)?;
        Ok(ParaverEmitter {
            threads,
            labels,
            types,
            columns: ParaverColumns::declare(writer),
            state_type,
            lane_state_type: None,
            message_type,
            message,
            states: HashMap::new(),
            lanes: SliceLanes::default(),
            ends: BinaryHeap::new(),
            messages: 0,
            depths: vec![],
            set: vec![],
            pairs: vec![],
            displaced: 0,
            saturated: 0,
        })
    }

    /// Ends the states and messages that end at or before a time.
    pub fn advance(&mut self, until: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        while let Some(Reverse((tick, number, receiver))) = self.ends.peek().copied() {
            if tick > until {
                break;
            }
            self.ends.pop();
            self.end_states(tick, writer)?;
            let link = self.link(tick, receiver);
            writer.end_link(&LinkEnd { key: &number.to_string(), ..link })?;
        }
        self.end_states(until, writer)
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

    /// A state with its end; `None` when it is open until the trace ends.
    pub fn state(
        &mut self,
        at: RecordPlace,
        begin: i64,
        end: Option<i64>,
        state: i64,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        self.advance(begin, writer)?;
        let thread = self.threads.thread(begin, at.thread, writer)?;
        let lane = match end {
            Some(end) => self.lanes.open_complete(thread, end, 0),
            None => self.lanes.open_begin(thread, 0),
        };
        if lane.lane > 0 {
            self.displaced += 1;
        }
        let (container, type_) = self.place_of(begin, lane, writer)?;
        let value = self.state_value(state, type_, writer)?;
        writer.push_state(begin, container, type_, value, &[(self.columns.state_cpu, ExtraValue::Int(at.cpu))])?;
        if end == Some(begin) { self.end_states(begin, writer) } else { Ok(()) }
    }

    /// The container and the type of states on a lane.
    fn place_of(
        &mut self,
        tick: i64,
        lane: SliceLane,
        writer: &mut EventWriter<'_>,
    ) -> Result<(NameHandle, NameHandle)> {
        if lane.lane == 0 {
            return Ok((self.threads.container(lane.thread), self.state_type));
        }
        let container = self.threads.lane(tick, lane.thread, lane.lane, writer)?;
        let type_ = match self.lane_state_type {
            Some(type_) => type_,
            None => {
                let type_ = writer.intern("ls");
                writer.define_type(TypeKind::State, type_, self.threads.types.lane, STATE, None)?;
                self.lane_state_type = Some(type_);
                type_
            }
        };
        Ok((container, type_))
    }

    fn state_value(&mut self, state: i64, type_: NameHandle, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(value) = self.states.get(&state).filter(|_| type_ == self.state_type) {
            return Ok(*value);
        }
        let label = self.labels.states.get(&state).filter(|label| !label.is_empty());
        let label = label.cloned().unwrap_or_else(|| state.to_string());
        let value = writer.intern(&label);
        if type_ == self.state_type {
            if !self.states.values().any(|other| *other == value) {
                writer.define_value(value, type_, &label, self.labels.colors.get(&state).map(String::as_str))?;
            }
            self.states.insert(state, value);
        }
        Ok(value)
    }

    /// The types and values of a line.
    pub fn events(
        &mut self,
        at: RecordPlace,
        tick: i64,
        pairs: EventPairs<'_>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        self.advance(tick, writer)?;
        let thread = self.threads.thread(tick, at.thread, writer)?;
        self.pairs.clear();
        for pair in pairs {
            let (type_, value) = match pair {
                EventPair::Pair { type_, value } => (type_, value),
                EventPair::Saturated { type_, value } => {
                    self.saturated += 1;
                    (type_, value)
                }
                EventPair::Broken => {
                    let message = "the rest of a line of events cannot be read; what came before it was kept";
                    writer.fault(Code::BadField, message.to_string())?;
                    break;
                }
            };
            self.pairs.extend(self.types.place(type_).map(|place| (place, value)));
        }
        for index in 0..self.pairs.len() {
            let (place, value) = self.pairs[index];
            self.event(thread, at.cpu, tick, place, value, writer)?;
        }
        Ok(())
    }

    #[inline]
    fn event(
        &mut self,
        thread: u32,
        cpu: i64,
        tick: i64,
        place: usize,
        value: i64,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let container = self.threads.container(thread);
        let type_ = self.types.get(place).type_;
        match self.types.get(place).meaning {
            EventMeaning::Measured => {
                let number = value as f64 / self.types.get(place).divisor;
                writer.measure_variable(tick, container, type_, number, &[])
            }
            EventMeaning::Variable => {
                let number = value as f64 / self.types.get(place).divisor;
                let before = cell(&mut self.set, thread, place).replace((tick, number));
                // A value that is replaced at the time that it was set keeps a row without length.
                if let Some((_, before)) = before.filter(|(set, _)| *set == tick) {
                    writer.measure_variable(tick, container, type_, before, &[])?;
                }
                writer.set_variable(tick, container, type_, number, &[])
            }
            EventMeaning::Event => {
                let value = self.types.value(place, value, &self.labels, writer)?;
                let fields = [(self.columns.event_cpu, ExtraValue::Int(cpu))];
                writer.new_event(tick, container, type_, value, &fields)
            }
            meaning if value != 0 => {
                let value = self.types.value(place, value, &self.labels, writer)?;
                if self.types.get(place).is_mpi_call {
                    for (other, number) in &self.pairs {
                        if let Some(column) = self.types.get(*other).column {
                            writer.add_field(column, ExtraValue::Int(*number));
                        }
                    }
                }
                let fields = [(self.columns.state_cpu, ExtraValue::Int(cpu))];
                let depth = cell(&mut self.depths, thread, place);
                if meaning == EventMeaning::NestedState {
                    *depth += 1;
                    writer.push_state(tick, container, type_, value, &fields)
                } else {
                    *depth = 1;
                    writer.set_state(tick, container, type_, value, &fields)
                }
            }
            _ => {
                let depth = cell(&mut self.depths, thread, place);
                if *depth == 0 {
                    self.types.get_mut(place).unmatched_ends += 1;
                    return Ok(());
                }
                *depth -= 1;
                writer.pop_state(tick, container, type_, &[])
            }
        }
    }

    /// A message from its logical send to its physical receive.
    pub fn message(&mut self, message: &ParaverMessage, ticks: [i64; 4], writer: &mut EventWriter<'_>) -> Result<()> {
        let [logical_send, physical_send, logical_receive, physical_receive] = ticks;
        self.advance(logical_send, writer)?;
        let sender = self.threads.thread(logical_send, message.sender.thread, writer)?;
        let receiver = self.threads.thread(logical_send, message.receiver.thread, writer)?;
        self.messages += 1;
        let (key, seconds) = (self.messages.to_string(), writer.resolution());
        let fields = [
            (self.columns.size, ExtraValue::Int(message.size)),
            (self.columns.tag, ExtraValue::Int(message.tag)),
            (self.columns.physical_send, ExtraValue::Double(seconds.seconds(physical_send))),
            (self.columns.logical_receive, ExtraValue::Double(seconds.seconds(logical_receive))),
        ];
        let link = self.link(logical_send, sender);
        writer.start_link(&LinkEnd { key: &key, fields: &fields, ..link })?;
        self.ends.push(Reverse((physical_receive, self.messages, receiver)));
        Ok(())
    }

    fn link(&self, tick: i64, thread: u32) -> LinkEnd<'static> {
        LinkEnd {
            tick,
            container: self.threads.workload,
            end: self.threads.container(thread),
            type_: self.message_type,
            value: self.message,
            key: "",
            fields: &[],
        }
    }
}

/// The cell of a thread and an event type.
fn cell<T: Default>(cells: &mut Vec<Vec<T>>, thread: u32, place: usize) -> &mut T {
    let thread = thread as usize;
    if thread >= cells.len() {
        cells.resize_with(thread + 1, Vec::new);
    }
    let cells = &mut cells[thread];
    if place >= cells.len() {
        cells.resize_with(place + 1, T::default);
    }
    &mut cells[place]
}

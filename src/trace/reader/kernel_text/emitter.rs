//! Emits the events of a system.
//!
//! | event | becomes |
//! |---|---|
//! | sched_switch | states `running` of the CPU, named by the thread, and states `cpu` of both threads |
//! | sched_waking, sched_wakeup | the thread is runnable; and an event |
//! | B, E and C of tracing_mark_write | states `slice` and variables of the thread |
//! | a sample of perf | an event `sample` with its stack |
//! | all others | events `tracepoint` with their fields as columns |

use hashbrown::{HashMap, HashSet};

use super::containers::{Holder, KernelContainers, KernelPlace};
use super::fields::{SwitchedThread, ThreadSwitch, fields, state_name};
use super::line::KernelLine;
use super::survey::KernelSurvey;
use crate::diagnostics::{Code, quote};
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::running_threads::RunningThreads;
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue, NameHandle};

const RUNNING: &str = "Running";

/// The columns that all traces of this kind have.
struct KernelColumns {
    state_cpu: ExtraFieldId,
    priority: ExtraFieldId,
    event_cpu: ExtraFieldId,
    period: ExtraFieldId,
    stack: ExtraFieldId,
}

/// Emits events.
pub(super) struct KernelEmitter {
    containers: KernelContainers,
    columns: KernelColumns,
    fields: HashMap<String, (ExtraFieldId, FieldKind)>,
    types: HashMap<(TypeKind, Holder, String), NameHandle>,
    values: HashSet<(NameHandle, NameHandle)>,
    /// Threads that run or can run.
    ready: HashMap<u32, bool>,
    running: RunningThreads<u32, u32>,
    /// By thread: slices that are open.
    slices: HashMap<u32, u32>,
}

impl KernelEmitter {
    pub fn new(containers: KernelContainers, survey: &KernelSurvey, writer: &mut EventWriter<'_>) -> KernelEmitter {
        let mut field = |table, column: &str, kind| writer.field(table, column, kind, ExtraRole::Column);
        let columns = KernelColumns {
            state_cpu: field(StoredTable::States, "cpu", FieldKind::Int),
            priority: field(StoredTable::States, "priority", FieldKind::Int),
            event_cpu: field(StoredTable::Events, "cpu", FieldKind::Int),
            period: field(StoredTable::Events, "period", FieldKind::Int),
            stack: field(StoredTable::Events, "stack", FieldKind::Text),
        };
        let mut keys: Vec<_> = survey.columns.iter().collect();
        keys.sort_unstable_by_key(|(key, _)| key.as_str());
        let declare = |(key, (column, kind)): (&String, &(String, FieldKind))| {
            (key.clone(), (field(StoredTable::Events, column, *kind), *kind))
        };
        let fields = keys.into_iter().map(declare).collect();
        KernelEmitter {
            containers,
            columns,
            fields,
            types: HashMap::new(),
            values: HashSet::new(),
            ready: HashMap::new(),
            running: RunningThreads::default(),
            slices: HashMap::new(),
        }
    }

    /// Emits a line, with its stack if it is a sample.
    pub fn line(
        &mut self,
        tick: i64,
        line: &KernelLine<'_>,
        stack: Option<&str>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        match line.short_event() {
            "sched_switch" => match ThreadSwitch::parse(line.rest) {
                Some(switch) => return self.switch(tick, line.cpu, &switch, writer),
                None => {
                    let message = format!("the fields of {} cannot be read", quote(line.rest.as_bytes()));
                    return writer.fault(Code::BadRecord, message);
                }
            },
            "sched_waking" | "sched_wakeup" | "sched_wakeup_new" => {
                if let Some(thread) = SwitchedThread::woken(line.rest) {
                    self.wake(tick, &thread, writer)?;
                }
            }
            "tracing_mark_write" | "print" if self.mark(tick, line, writer)? => return Ok(()),
            _ => (),
        }
        self.event(tick, line, stack, writer)
    }

    fn switch(
        &mut self,
        tick: i64,
        cpu: Option<u32>,
        switch: &ThreadSwitch<'_>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let (previous, next) = (switch.previous, switch.next);
        if let Some(left) = cpu.and_then(|cpu| self.running.switch(cpu, previous.tid, next.tid))
            && let Some(place) = self.containers.thread(left)
        {
            self.ready.insert(left, false);
            let type_ = self.type_of(TypeKind::State, place.holder, "cpu", writer)?;
            writer.pop_state(tick, place.container, type_, &[])?;
        }
        if let Some(place) = self.containers.cpu(cpu) {
            let type_ = self.type_of(TypeKind::State, place.holder, "running", writer)?;
            let name = self.containers.thread_name(next.tid).to_string();
            let value = self.value_of(type_, &name, writer)?;
            self.add_priority(&next, writer);
            writer.set_state(tick, place.container, type_, value, &[])?;
        }
        if let Some(place) = self.containers.thread(previous.tid) {
            self.ready.insert(previous.tid, switch.state.starts_with('R'));
            self.thread_state(tick, place, state_name(switch.state), None, &previous, writer)?;
        }
        if let Some(place) = self.containers.thread(next.tid) {
            self.ready.insert(next.tid, true);
            self.thread_state(tick, place, RUNNING, cpu, &next, writer)?;
        }
        Ok(())
    }

    /// Reports what only the end of the trace tells.
    pub fn finish(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        self.running.finish(writer)
    }

    /// A thread that waits becomes runnable; one that runs or can run does not change.
    fn wake(&mut self, tick: i64, thread: &SwitchedThread<'_>, writer: &mut EventWriter<'_>) -> Result<()> {
        let Some(place) = self.containers.thread(thread.tid) else { return Ok(()) };
        if self.ready.insert(thread.tid, true) == Some(true) {
            return Ok(());
        }
        self.thread_state(tick, place, state_name("R"), None, thread, writer)
    }

    fn thread_state(
        &mut self,
        tick: i64,
        place: KernelPlace,
        name: &str,
        cpu: Option<u32>,
        thread: &SwitchedThread<'_>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let type_ = self.type_of(TypeKind::State, place.holder, "cpu", writer)?;
        let value = self.value_of(type_, name, writer)?;
        if let Some(cpu) = cpu {
            writer.add_field(self.columns.state_cpu, ExtraValue::Int(cpu.into()));
        }
        self.add_priority(thread, writer);
        writer.set_state(tick, place.container, type_, value, &[])
    }

    fn add_priority(&self, thread: &SwitchedThread<'_>, writer: &mut EventWriter<'_>) {
        if let Some(priority) = thread.priority {
            writer.add_field(self.columns.priority, ExtraValue::Int(priority));
        }
    }

    /// What a program writes into the trace: `B|pid|name`, `E|pid`, `C|pid|name|value`; says whether it was that.
    fn mark(&mut self, tick: i64, line: &KernelLine<'_>, writer: &mut EventWriter<'_>) -> Result<bool> {
        let parts: Vec<&str> = line.rest.splitn(4, '|').collect();
        let Some(place) = self.containers.thread(line.tid) else { return Ok(false) };
        match parts[..] {
            ["B", _, name] => {
                let type_ = self.type_of(TypeKind::State, place.holder, "slice", writer)?;
                let value = self.value_of(type_, name, writer)?;
                *self.slices.entry(line.tid).or_default() += 1;
                writer.push_state(tick, place.container, type_, value, &[])?;
            }
            ["E"] | ["E", _] => {
                let type_ = self.type_of(TypeKind::State, place.holder, "slice", writer)?;
                match self.slices.get_mut(&line.tid).filter(|open| **open > 0) {
                    Some(open) => {
                        *open -= 1;
                        writer.pop_state(tick, place.container, type_, &[])?;
                    }
                    None => writer.fault(Code::EmptyStack, "a mark E ends a slice that no B started".to_string())?,
                }
            }
            ["C", _, name, value] => {
                let Ok(number) = value.parse() else { return Ok(false) };
                let type_ = self.type_of(TypeKind::Variable, place.holder, name, writer)?;
                writer.set_variable(tick, place.container, type_, number, &[])?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn event(
        &mut self,
        tick: i64,
        line: &KernelLine<'_>,
        stack: Option<&str>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let Some(place) = self.containers.thread(line.tid).or_else(|| self.containers.cpu(line.cpu)) else {
            return writer.fault(Code::BadRecord, format!("thread {} is not known", line.tid));
        };
        let is_sample = line.period.is_some() || stack.is_some();
        let type_ = if is_sample { "sample" } else { "tracepoint" };
        let type_ = self.type_of(TypeKind::Event, place.holder, type_, writer)?;
        let value = self.value_of(type_, line.event, writer)?;
        if let Some(cpu) = line.cpu {
            writer.add_field(self.columns.event_cpu, ExtraValue::Int(cpu.into()));
        }
        if let Some(period) = line.period {
            let period = i64::try_from(period).unwrap_or(i64::MAX);
            writer.add_field(self.columns.period, ExtraValue::Int(period));
        }
        if let Some(stack) = stack {
            writer.add_field(self.columns.stack, ExtraValue::Text(stack));
        }
        for (key, value) in fields(line.rest) {
            let Some((field, kind)) = self.fields.get(key) else { continue };
            let value = match (kind, value.parse(), value.parse()) {
                (FieldKind::Int, Ok(number), _) => ExtraValue::Int(number),
                (FieldKind::Double, _, Ok(number)) => ExtraValue::Double(number),
                _ => ExtraValue::Text(value),
            };
            writer.add_field(*field, value);
        }
        writer.new_event(tick, place.container, type_, value, &[])
    }

    fn type_of(
        &mut self,
        kind: TypeKind,
        holder: Holder,
        name: &str,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        let key = (kind, holder, name.to_string());
        if let Some(type_) = self.types.get(&key) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}#{}", self.types.len()));
        writer.define_type(kind, type_, self.containers.type_of(holder), name, None)?;
        self.types.insert(key, type_);
        Ok(type_)
    }

    fn value_of(&mut self, type_: NameHandle, name: &str, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let value = writer.intern(name);
        if self.values.insert((type_, value)) {
            writer.define_value(value, type_, name, None)?;
        }
        Ok(value)
    }
}

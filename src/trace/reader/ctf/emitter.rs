//! Emits the events of a CTF trace as Pajé events.
//!
//! | event | becomes |
//! |---|---|
//! | begin and end of a pair | a state on the thread or CPU; an end without its begin stays an event |
//! | `sched_switch` | states `thread` of the CPU and `cpu` of both threads |
//! | `sched_waking` and the like | the thread is runnable; also an event |
//! | all others | events, whose type and value are their name, and whose fields are columns |

use std::borrow::Cow;
use std::sync::Arc;

use hashbrown::{Equivalent, HashMap, HashSet};

use super::columns::CtfColumns;
use super::containers::{CtfContainer, CtfContainers};
use super::decoder::FieldValue;
use super::items::CtfEvent;
use super::layout::{EventLayout, SwitchFields};
use super::pairs::{PairPlace, PairSide, PairedEvents};
use crate::diagnostics::Code;
use crate::error::Result;
use crate::model::{FieldKind, NameId, StoredTable, TypeKind};
use crate::reader::perfetto::scheduling::state_name;
use crate::reader::running_threads::RunningThreads;
use crate::reader::{EventWriter, ExtraRole, ExtraValue, NameHandle};

/// What a file of events belongs to.
#[derive(Debug, Clone)]
pub(super) struct StreamOrigin {
    /// Numbers of [`CtfContainers::names`].
    pub host: NameId,
    pub file: NameId,
    /// The name of the file.
    pub name: String,
    /// Whether the kernel wrote it.
    pub is_kernel: bool,
    /// The process that wrote it, where the metadata say so.
    pub process: Option<(i64, Option<String>)>,
}

/// Emits events.
#[derive(Default)]
pub(super) struct CtfEmitter {
    pub columns: CtfColumns,
    pub containers: CtfContainers,
    types: HashMap<(TypeKind, String, NameHandle), NameHandle>,
    values: HashSet<(NameHandle, NameHandle)>,
    /// By layout and type of container: type and value of events and of states; states may have a field for their value.
    events: ByLayout<(NameHandle, NameHandle)>,
    states: ByLayout<(NameHandle, Option<NameHandle>)>,
    open: OpenPairs,
    /// By host and CPU: the thread that runs.
    running: HashMap<(NameId, i64), (i64, Option<String>)>,
    /// The same, by host and number.
    switched: RunningThreads<(NameId, i64), (NameId, i64)>,
    /// Threads that run or can run.
    runnable: HashSet<NameHandle>,
}

impl CtfEmitter {
    /// Emits an event.
    pub fn event(
        &mut self,
        tick: i64,
        event: CtfEvent<'_>,
        origin: &StreamOrigin,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let layout = event.layout;
        if let (Some(switch), Some(cpu)) = (layout.switch, event.cpu) {
            return self.switch(tick, event, switch, cpu, origin, writer);
        }
        if let Some((tid, name)) = layout.woken
            && let Some(tid) = event.fields.get(tid).and_then(FieldValue::whole).filter(|tid| *tid != 0)
        {
            self.waking(tick, tid, name.and_then(|name| event.fields.get(name)), origin, writer)?;
        }
        let place = layout.pair.as_ref().map_or(PairPlace::Auto, |pair| pair.place);
        let home = self.home(tick, event, place, origin, writer)?;
        match &layout.pair {
            Some(pair) if pair.side == PairSide::Begin => self.begin(tick, event, pair, home, writer),
            Some(pair) => self.end(tick, event, pair, home, writer),
            None => self.instant(tick, event, home, writer),
        }
    }

    /// The container of an event.
    fn home(
        &mut self,
        tick: i64,
        event: CtfEvent<'_>,
        place: PairPlace,
        origin: &StreamOrigin,
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        let layout = event.layout;
        let whole = |place: Option<usize>| place.and_then(|place| event.fields.get(place)).and_then(FieldValue::whole);
        let (mut pid, mut tid) = (whole(layout.pid), whole(layout.tid));
        let mut name = layout.process_name.and_then(|place| event.fields.get(place)).map(FieldValue::text);
        let wants_thread = place == PairPlace::Thread || !origin.is_kernel;
        if origin.is_kernel && wants_thread && tid.is_none() {
            let running = event.cpu.and_then(|cpu| self.running.get(&(origin.host, cpu)));
            if let Some((thread, known)) = running.filter(|(thread, _)| *thread != 0) {
                (tid, name) = (Some(*thread), known.as_deref().map(Cow::Borrowed));
            }
        }
        if pid.is_none()
            && let Some((process, known)) = &origin.process
        {
            pid = Some(*process);
            name = name.or(known.as_deref().map(Cow::Borrowed));
        }
        let host = origin.host;
        match (tid, pid, event.cpu) {
            (Some(tid), pid, _) if wants_thread && place != PairPlace::Cpu => {
                self.containers.thread(tick, host, (pid, tid), name.as_deref(), writer)
            }
            (None, Some(pid), _) if wants_thread && place != PairPlace::Cpu => {
                self.containers.process(tick, host, pid, name.as_deref(), writer)
            }
            (_, _, Some(cpu)) => self.containers.cpu(tick, host, cpu, writer),
            _ => self.containers.stream(tick, host, origin.file, writer),
        }
    }

    fn begin(
        &mut self,
        tick: i64,
        event: CtfEvent<'_>,
        pair: &PairedEvents,
        home: CtfContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let field = event.layout.pair_value.and_then(|place| event.fields.get(place)).map(FieldValue::text);
        let (type_, value) = self.state(event.layout, pair, home, writer)?;
        let value = match (field.filter(|value| !value.is_empty()), value) {
            (Some(number), _) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                self.value_of(type_, &format!("{} {number}", pair.type_), writer)?
            }
            (Some(text), _) => self.value_of(type_, &text, writer)?,
            (None, Some(value)) => value,
            (None, None) => self.value_of(type_, &pair.value, writer)?,
        };
        self.open.of(home.container, type_).push(Arc::clone(&pair.key));
        self.columns.add(StoredTable::States, event.layout, event.fields, writer);
        writer.push_state(tick, home.container, type_, value, &[])
    }

    /// The type of a state, and its value where that is the same for all.
    fn state(
        &mut self,
        layout: &EventLayout,
        pair: &PairedEvents,
        home: CtfContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<(NameHandle, Option<NameHandle>)> {
        if let Some(known) = self.states.get(layout, home) {
            return Ok(known);
        }
        let type_ = self.type_of(TypeKind::State, &pair.type_, home, writer)?;
        let value = match (pair.side, layout.pair_value) {
            (PairSide::Begin, None) => Some(self.value_of(type_, &pair.value, writer)?),
            _ => None,
        };
        self.states.add(layout, home, (type_, value));
        Ok((type_, value))
    }

    /// Ends a state; what is open inside it ends with it. An end without its begin stays an event.
    fn end(
        &mut self,
        tick: i64,
        event: CtfEvent<'_>,
        pair: &PairedEvents,
        home: CtfContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let (type_, _) = self.state(event.layout, pair, home, writer)?;
        let open = self.open.of(home.container, type_);
        // Begin and end mostly have the same copy.
        let is_same = |open: &Arc<str>| Arc::ptr_eq(open, &pair.key) || *open == pair.key;
        let Some(place) = open.iter().rposition(is_same) else {
            return self.instant(tick, event, home, writer);
        };
        let inner = open.len() - 1 - place;
        open.truncate(place);
        if inner > 0 {
            let message = format!("{} ends a state with {inner} states open inside it", event.layout.name);
            writer.fault(Code::UnbalancedEnd, message)?;
        }
        for _ in 0..inner {
            writer.pop_state(tick, home.container, type_, &[])?;
        }
        self.columns.add(StoredTable::States, event.layout, event.fields, writer);
        writer.pop_state(tick, home.container, type_, &[])
    }

    fn instant(
        &mut self,
        tick: i64,
        event: CtfEvent<'_>,
        home: CtfContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let (name, layout) = (&event.layout.name, event.layout);
        let (type_, value) = match self.events.get(layout, home) {
            Some(known) => known,
            None => {
                let type_ = self.type_of(TypeKind::Event, name, home, writer)?;
                let value = self.value_of(type_, name, writer)?;
                self.events.add(layout, home, (type_, value));
                (type_, value)
            }
        };
        self.columns.add(StoredTable::Events, event.layout, event.fields, writer);
        writer.new_event(tick, home.container, type_, value, &[])
    }

    /// A CPU goes from one thread to another.
    fn switch(
        &mut self,
        tick: i64,
        event: CtfEvent<'_>,
        switch: SwitchFields,
        cpu: i64,
        origin: &StreamOrigin,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let whole = |place: usize| event.fields.get(place).and_then(FieldValue::whole).unwrap_or(0);
        let text = |place: Option<usize>| place.and_then(|place| event.fields.get(place)).map(FieldValue::text);
        let (prev, next) = (whole(switch.prev_tid), whole(switch.next_tid));
        let next_name = text(switch.next_name);
        let host = origin.host;
        if let Some((_, left)) =
            self.switched.switch((host, cpu), (host, prev), (host, next)).filter(|left| left.1 != 0)
        {
            let thread = self.containers.thread(tick, host, (None, left), None, writer)?;
            if self.runnable.remove(&thread.container) {
                let type_ = self.type_of(TypeKind::State, "cpu", thread, writer)?;
                writer.pop_state(tick, thread.container, type_, &[])?;
            }
        }
        if prev != 0 {
            let thread =
                self.containers.thread(tick, origin.host, (None, prev), text(switch.prev_name).as_deref(), writer)?;
            let state = match switch.prev_state.and_then(|place| event.fields.get(place)) {
                Some(FieldValue::Text(label)) if label.contains("RUNNING") => "Runnable",
                Some(FieldValue::Text(label)) => label,
                Some(value) => state_name(value.whole().unwrap_or(0)),
                None => "Stopped",
            };
            self.thread_state(tick, thread, state, None, writer)?;
        }
        let home = self.containers.cpu(tick, origin.host, cpu, writer)?;
        let type_ = self.type_of(TypeKind::State, "thread", home, writer)?;
        let known = next_name.as_deref().filter(|name| !name.is_empty());
        let name = match next {
            0 => Cow::Borrowed("idle"),
            tid => Cow::Owned(format!("{} {tid}", known.unwrap_or("thread"))),
        };
        let value = self.value_of(type_, &name, writer)?;
        self.columns.add(StoredTable::States, event.layout, event.fields, writer);
        writer.set_state(tick, home.container, type_, value, &[])?;
        self.running.insert((origin.host, cpu), (next, next_name.as_deref().map(str::to_string)));
        if next != 0 {
            let thread = self.containers.thread(tick, origin.host, (None, next), next_name.as_deref(), writer)?;
            self.thread_state(tick, thread, "Running", Some(cpu), writer)?;
        }
        Ok(())
    }

    /// Reports what only the end of the trace tells.
    pub fn finish(&self, writer: &mut EventWriter<'_>) -> Result<()> {
        self.switched.finish(writer)
    }

    /// A thread can run: it is runnable, unless it is already or runs.
    fn waking(
        &mut self,
        tick: i64,
        tid: i64,
        name: Option<&FieldValue>,
        origin: &StreamOrigin,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        let name = name.map(FieldValue::text);
        let thread = self.containers.thread(tick, origin.host, (None, tid), name.as_deref(), writer)?;
        if self.runnable.contains(&thread.container) {
            return Ok(());
        }
        self.thread_state(tick, thread, "Runnable", None, writer)
    }

    fn thread_state(
        &mut self,
        tick: i64,
        thread: CtfContainer,
        state: &str,
        cpu: Option<i64>,
        writer: &mut EventWriter<'_>,
    ) -> Result<()> {
        match state.starts_with("Run") {
            true => self.runnable.insert(thread.container),
            false => self.runnable.remove(&thread.container),
        };
        let type_ = self.type_of(TypeKind::State, "cpu", thread, writer)?;
        let value = self.value_of(type_, state, writer)?;
        let field = writer.field(StoredTable::States, "cpu", FieldKind::Int, ExtraRole::Column);
        let fields = cpu.map(|cpu| (field, ExtraValue::Int(cpu)));
        writer.set_state(tick, thread.container, type_, value, fields.as_slice())
    }

    fn type_of(
        &mut self,
        kind: TypeKind,
        name: &str,
        home: CtfContainer,
        writer: &mut EventWriter<'_>,
    ) -> Result<NameHandle> {
        if let Some(type_) = self.types.get(&CtfTypeKey(kind, name, home.type_)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}#{}", self.types.len()));
        writer.define_type(kind, type_, home.type_, name, None)?;
        self.types.insert((kind, name.to_string(), home.type_), type_);
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

/// By the number of a container, and by types of states, which are few: what is open, from the outermost inwards.
#[derive(Default)]
struct OpenPairs(Vec<Vec<(NameHandle, Vec<Arc<str>>)>>);

impl OpenPairs {
    #[inline(always)]
    fn of(&mut self, container: NameHandle, type_: NameHandle) -> &mut Vec<Arc<str>> {
        let number = container.number();
        if self.0.len() <= number {
            self.0.resize_with(number + 1, Vec::new);
        }
        let types = &mut self.0[number];
        let place = types.iter().position(|(known, _)| *known == type_).unwrap_or_else(|| {
            types.push((type_, vec![]));
            types.len() - 1
        });
        &mut types[place].1
    }
}

/// What is known of events of a layout, by the types of the containers that they were seen on, which are few.
struct ByLayout<T>(Vec<Vec<(NameHandle, T)>>);

impl<T> Default for ByLayout<T> {
    fn default() -> ByLayout<T> {
        ByLayout(vec![])
    }
}

impl<T: Copy> ByLayout<T> {
    #[inline(always)]
    fn get(&self, layout: &EventLayout, home: CtfContainer) -> Option<T> {
        self.0.get(layout.number as usize)?.iter().find(|(type_, _)| *type_ == home.type_).map(|(_, known)| *known)
    }

    fn add(&mut self, layout: &EventLayout, home: CtfContainer, known: T) {
        let number = layout.number as usize;
        if self.0.len() <= number {
            self.0.resize_with(number + 1, Vec::new);
        }
        self.0[number].push((home.type_, known));
    }
}

/// Looks a type up without a copy of its name.
#[derive(Hash)]
struct CtfTypeKey<'a>(TypeKind, &'a str, NameHandle);

impl Equivalent<(TypeKind, String, NameHandle)> for CtfTypeKey<'_> {
    fn equivalent(&self, key: &(TypeKind, String, NameHandle)) -> bool {
        (self.0, self.1, self.2) == (key.0, key.1.as_str(), key.2)
    }
}

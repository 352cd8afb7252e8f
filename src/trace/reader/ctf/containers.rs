//! Who made events becomes containers.
//!
//! ```text
//! host ─► process ─► thread
//!      ├► thread                threads whose process is not known, as the scheduler names them
//!      ├► cpu
//!      └► stream                files of events that say nothing of all that
//! ```
//! In: what events say. Out: containers, created at their first use.

use hashbrown::HashMap;

use crate::error::Result;
use crate::model::{NameId, NameInterner, TypeKind};
use crate::reader::{EventWriter, ExtraValue, NameHandle, PLAIN_NAME};

/// A container and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CtfContainer {
    pub container: NameHandle,
    pub type_: NameHandle,
}

/// What a container stands for, on a host. Names are numbers of [`CtfContainers::names`]: every event asks for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ContainerKey {
    Host(NameId),
    Process(NameId, i64),
    /// With its process, where that is known.
    Thread(NameId, Option<i64>, i64),
    Cpu(NameId, i64),
    Stream(NameId, NameId),
}

/// Threads that are found without a search.
const RECENT_THREADS: usize = 256;

/// A thread that was asked for.
#[derive(Debug, Clone, Copy)]
struct RecentCtfThread {
    host: NameId,
    pid: Option<i64>,
    tid: i64,
    thread: CtfContainer,
}

/// The containers so far.
#[derive(Debug, Default)]
pub(super) struct CtfContainers {
    /// Hosts and files.
    pub names: NameInterner,
    known: HashMap<ContainerKey, CtfContainer>,
    /// By host and thread: its process.
    processes: HashMap<(NameId, i64), i64>,
    types: HashMap<(&'static str, NameHandle), NameHandle>,
    /// Threads in use, by host, process and thread, with what is known of them in the maps.
    recent: Vec<Option<RecentCtfThread>>,
}

impl CtfContainers {
    fn host(&mut self, tick: i64, host: NameId, writer: &mut EventWriter<'_>) -> Result<CtfContainer> {
        let key = ContainerKey::Host(host);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let root = CtfContainer { container: writer.root(), type_: writer.root() };
        let name = self.names.text(host).to_string();
        self.create(tick, key, "host", (&name, &name), root, &[], writer)
    }

    /// The container of a CPU.
    pub fn cpu(&mut self, tick: i64, host: NameId, cpu: i64, writer: &mut EventWriter<'_>) -> Result<CtfContainer> {
        let key = ContainerKey::Cpu(host, cpu);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let parent = self.host(tick, host, writer)?;
        let name = format!("cpu {cpu}");
        self.create(tick, key, "cpu", (&name, &name), parent, &[], writer)
    }

    /// The container of a file of events.
    pub fn stream(
        &mut self,
        tick: i64,
        host: NameId,
        file: NameId,
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        let key = ContainerKey::Stream(host, file);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let parent = self.host(tick, host, writer)?;
        let name = self.names.text(file).to_string();
        self.create(tick, key, "stream", (&format!("stream {name}"), &name), parent, &[], writer)
    }

    /// The container of a process.
    pub fn process(
        &mut self,
        tick: i64,
        host: NameId,
        pid: i64,
        name: Option<&str>,
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        let key = ContainerKey::Process(host, pid);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let parent = self.host(tick, host, writer)?;
        let plain = name.unwrap_or("process").to_string();
        let name = format!("{plain} {pid}");
        self.create(tick, key, "process", (&name, &plain), parent, &[("pid", pid)], writer)
    }

    /// The container of a thread; its process is remembered.
    #[inline(always)]
    pub fn thread(
        &mut self,
        tick: i64,
        host: NameId,
        (pid, tid): (Option<i64>, i64),
        name: Option<&str>,
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        if let Some(Some(recent)) = self.recent.get(recent_place(tid))
            && (recent.host, recent.pid, recent.tid) == (host, pid, tid)
        {
            return Ok(recent.thread);
        }
        self.any_thread(tick, host, (pid, tid), name, writer)
    }

    #[inline(never)]
    fn any_thread(
        &mut self,
        tick: i64,
        host: NameId,
        (pid, tid): (Option<i64>, i64),
        name: Option<&str>,
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        let thread = self.find_thread(tick, host, (pid, tid), name, writer)?;
        // Without its process, another process may be found for the thread next time.
        if pid.is_some() || !self.processes.contains_key(&(host, tid)) {
            self.recent.resize(RECENT_THREADS, None);
            self.recent[recent_place(tid)] = Some(RecentCtfThread { host, pid, tid, thread });
        }
        Ok(thread)
    }

    fn find_thread(
        &mut self,
        tick: i64,
        host: NameId,
        (pid, tid): (Option<i64>, i64),
        name: Option<&str>,
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        let pid = match pid {
            Some(pid) => {
                self.processes.insert((host, tid), pid);
                Some(pid)
            }
            None => self.processes.get(&(host, tid)).copied(),
        };
        let key = ContainerKey::Thread(host, pid, tid);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let parent = match pid {
            Some(pid) => self.process(tick, host, pid, name, writer)?,
            None => self.host(tick, host, writer)?,
        };
        let plain = name.filter(|name| !name.is_empty()).unwrap_or("thread").to_string();
        let name = format!("{plain} {tid}");
        let ids = [("tid", Some(tid)), ("pid", pid)];
        let ids: Vec<(&str, i64)> = ids.into_iter().filter_map(|(column, id)| Some((column, id?))).collect();
        self.create(tick, key, "thread", (&name, &plain), parent, &ids, writer)
    }

    #[expect(clippy::too_many_arguments, reason = "what a container is made of")]
    fn create(
        &mut self,
        tick: i64,
        key: ContainerKey,
        type_name: &'static str,
        (name, plain): (&str, &str),
        parent: CtfContainer,
        ids: &[(&str, i64)],
        writer: &mut EventWriter<'_>,
    ) -> Result<CtfContainer> {
        let type_ = self.type_of(type_name, parent.type_, writer)?;
        let ids: Vec<(&str, String)> = ids.iter().map(|(column, id)| (*column, id.to_string())).collect();
        let mut fields = vec![(writer.container_text(PLAIN_NAME), ExtraValue::Text(plain))];
        for (column, id) in &ids {
            fields.push((writer.container_text(column), ExtraValue::Text(id)));
        }
        let container = writer.intern(&format!("c{}", self.known.len()));
        writer.create_container(tick, container, name, type_, parent.container, &fields)?;
        let created = CtfContainer { container, type_ };
        self.known.insert(key, created);
        Ok(created)
    }

    fn type_of(&mut self, name: &'static str, parent: NameHandle, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(type_) = self.types.get(&(name, parent)) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}@{}", self.types.len()));
        writer.define_type(TypeKind::Container, type_, parent, name, None)?;
        self.types.insert((name, parent), type_);
        Ok(type_)
    }
}

/// Where a thread in use is remembered.
#[inline(always)]
fn recent_place(tid: i64) -> usize {
    (tid as usize).wrapping_mul(0x9e37_79b9) % RECENT_THREADS
}

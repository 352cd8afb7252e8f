//! The containers of a system: CPUs, processes, threads.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::survey::KernelSurvey;
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind};
use crate::reader::distinct_names::{PLAIN_NAME, repeated};
use crate::reader::{EventWriter, ExtraRole, ExtraValue, NameHandle};

/// What a container is; its types of states and events are its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Holder {
    Cpu,
    /// A thread whose process is known.
    Thread,
    /// A thread whose process is not known.
    LoneThread,
}

/// A container with what it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct KernelPlace {
    pub container: NameHandle,
    pub holder: Holder,
}

/// The containers of a trace, all created at its start.
pub(super) struct KernelContainers {
    types: [NameHandle; 4],
    cpus: HashMap<u32, KernelPlace>,
    threads: HashMap<u32, (KernelPlace, String)>,
}

impl KernelContainers {
    pub fn create(tick: i64, survey: &KernelSurvey, writer: &mut EventWriter<'_>) -> Result<KernelContainers> {
        let root = writer.root();
        let [cpu, process, thread, lone] = ["cpu", "process", "thread", "lone thread"].map(|name| writer.intern(name));
        let definitions =
            [(cpu, root, "cpu"), (process, root, "process"), (thread, process, "thread"), (lone, root, "thread")];
        for (type_, parent, name) in definitions {
            writer.define_type(TypeKind::Container, type_, parent, name, None)?;
        }
        let mut created =
            KernelContainers { types: [cpu, process, thread, lone], cpus: HashMap::new(), threads: HashMap::new() };
        for number in &survey.cpus {
            let container = writer.intern(&format!("c{number}"));
            writer.create_container(tick, container, &format!("CPU {number}"), cpu, root, &[])?;
            created.cpus.insert(*number, KernelPlace { container, holder: Holder::Cpu });
        }
        created.processes(tick, survey, writer)?;
        created.all_threads(tick, survey, writer)?;
        Ok(created)
    }

    fn processes(&mut self, tick: i64, survey: &KernelSurvey, writer: &mut EventWriter<'_>) -> Result<()> {
        let pid = writer.field(StoredTable::Containers, "pid", FieldKind::Int, ExtraRole::Column);
        let root = writer.root();
        let processes: BTreeSet<u32> = survey.threads.values().filter_map(|facts| facts.tgid).collect();
        for number in processes {
            // A process has the name of its first thread.
            let name = match survey.threads.get(&number).map(|facts| facts.comm.as_str()) {
                None | Some("" | "<...>") => format!("process {number}"),
                Some(comm) => format!("{comm} {number}"),
            };
            let container = writer.intern(&format!("p{number}"));
            let fields = [(pid, ExtraValue::Int(number.into()))];
            writer.create_container(tick, container, &name, self.types[1], root, &fields)?;
        }
        Ok(())
    }

    fn all_threads(&mut self, tick: i64, survey: &KernelSurvey, writer: &mut EventWriter<'_>) -> Result<()> {
        let tid = writer.field(StoredTable::Containers, "tid", FieldKind::Int, ExtraRole::Column);
        let plain_name = writer.container_text(PLAIN_NAME);
        // What is idle has number 0 on every CPU; it is a thread only where there are no CPUs.
        let threads = || survey.threads.iter().filter(|(number, _)| **number != 0 || survey.cpus.is_empty());
        let repeated = repeated(threads().map(|(_, facts)| facts.comm.as_str()));
        for (number, facts) in threads() {
            let name = match facts.comm.as_str() {
                "" | "<...>" => format!("thread {number}"),
                comm if repeated.contains(comm) => format!("{comm} {number}"),
                comm => comm.to_string(),
            };
            let container = writer.intern(&format!("t{number}"));
            let (type_, parent, holder) = match facts.tgid {
                Some(process) => (self.types[2], writer.intern(&format!("p{process}")), Holder::Thread),
                None => (self.types[3], writer.root(), Holder::LoneThread),
            };
            let fields = [(tid, ExtraValue::Int((*number).into())), (plain_name, ExtraValue::Text(&facts.comm))];
            writer.create_container(tick, container, &name, type_, parent, &fields)?;
            self.threads.insert(*number, (KernelPlace { container, holder }, name));
        }
        Ok(())
    }

    /// The type of a container.
    pub fn type_of(&self, holder: Holder) -> NameHandle {
        match holder {
            Holder::Cpu => self.types[0],
            Holder::Thread => self.types[2],
            Holder::LoneThread => self.types[3],
        }
    }

    pub fn cpu(&self, number: Option<u32>) -> Option<KernelPlace> {
        self.cpus.get(&number?).copied()
    }

    pub fn thread(&self, tid: u32) -> Option<KernelPlace> {
        self.threads.get(&tid).map(|(place, _)| *place)
    }

    /// The name of a thread; what is idle has none.
    pub fn thread_name(&self, tid: u32) -> &str {
        self.threads.get(&tid).map_or("idle", |(_, name)| name)
    }
}

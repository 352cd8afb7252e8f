//! The containers of a trace: workload, applications, tasks, threads.

use hashbrown::HashMap;

use super::header::{ParaverHeader, ParaverTask};
use super::names::RowNames;
use super::record::ThreadPlace;
use crate::error::Result;
use crate::model::TypeKind;
use crate::reader::{EventWriter, ExtraFieldId, ExtraValue, NameHandle};

/// Threads that are created before the first record; more are created when a record names them.
const CREATED_AT_START: u64 = 1 << 20;

/// The types of containers.
#[derive(Debug, Clone, Copy)]
pub(super) struct ContainerTypes {
    pub workload: NameHandle,
    application: NameHandle,
    task: NameHandle,
    pub thread: NameHandle,
    pub lane: NameHandle,
}

impl ContainerTypes {
    pub fn define(writer: &mut EventWriter<'_>) -> Result<ContainerTypes> {
        let mut parent = writer.root();
        let [workload, application, task, thread, lane] =
            ["workload", "application", "task", "thread", "lane"].map(|name| (name, writer.intern(name)));
        for (name, type_) in [workload, application, task, thread, lane] {
            writer.define_type(TypeKind::Container, type_, parent, name, None)?;
            parent = type_;
        }
        Ok(ContainerTypes {
            workload: workload.1,
            application: application.1,
            task: task.1,
            thread: thread.1,
            lane: lane.1,
        })
    }
}

/// The containers that exist.
pub(super) struct Threads {
    pub types: ContainerTypes,
    pub workload: NameHandle,
    node: ExtraFieldId,
    names: RowNames,
    header: ParaverHeader,
    /// By application: how many tasks those before it have, and the number of each task's first thread.
    before: Vec<(usize, Vec<u64>)>,
    applications: HashMap<u32, NameHandle>,
    tasks: HashMap<(u32, u32), NameHandle>,
    places: HashMap<ThreadPlace, u32>,
    containers: Vec<(NameHandle, String)>,
    /// The thread of the record before.
    recent: Option<(ThreadPlace, u32)>,
    lanes: HashMap<(u32, usize), NameHandle>,
    /// Threads that records name and the header does not.
    pub undefined: u64,
}

impl Threads {
    /// Creates what the header describes.
    pub fn create(tick: i64, header: &ParaverHeader, names: RowNames, writer: &mut EventWriter<'_>) -> Result<Threads> {
        let types = ContainerTypes::define(writer)?;
        let node = writer.container_text("node");
        let (workload, root) = (writer.intern("w"), writer.root());
        let name = names.get("WORKLOAD", 0).unwrap_or("workload");
        writer.create_container(tick, workload, name, types.workload, root, &[])?;
        let mut before = vec![];
        let (mut tasks, mut threads) = (0, 0_u64);
        for application in &header.applications {
            let first = |task: &ParaverTask| {
                threads += u64::from(task.threads);
                threads - u64::from(task.threads)
            };
            before.push((tasks, application.iter().map(first).collect()));
            tasks += application.len();
        }
        let mut created = Threads {
            types,
            workload,
            node,
            names,
            header: header.clone(),
            before,
            applications: HashMap::new(),
            tasks: HashMap::new(),
            places: HashMap::new(),
            containers: vec![],
            recent: None,
            lanes: HashMap::new(),
            undefined: 0,
        };
        if threads <= CREATED_AT_START {
            for (application, tasks) in (1..).zip(&header.applications) {
                created.application(tick, application, writer)?;
                for (task, ends) in (1..).zip(tasks) {
                    created.task(tick, application, task, writer)?;
                    for thread in 1..=ends.threads {
                        created.thread(tick, ThreadPlace { application, task, thread }, writer)?;
                    }
                }
            }
        }
        Ok(created)
    }

    /// The number of a thread; it is created when it does not exist.
    #[inline]
    pub fn thread(&mut self, tick: i64, place: ThreadPlace, writer: &mut EventWriter<'_>) -> Result<u32> {
        match self.recent {
            Some((recent, number)) if recent == place => Ok(number),
            _ => {
                let number = match self.places.get(&place) {
                    Some(number) => *number,
                    None => self.create_thread(tick, place, writer)?,
                };
                self.recent = Some((place, number));
                Ok(number)
            }
        }
    }

    /// The container of a thread.
    #[inline]
    pub fn container(&self, thread: u32) -> NameHandle {
        self.containers[thread as usize].0
    }

    /// The container of a lane below a thread, for states that overlap.
    pub fn lane(&mut self, tick: i64, thread: u32, lane: usize, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(container) = self.lanes.get(&(thread, lane)) {
            return Ok(*container);
        }
        let (parent, name) = self.containers[thread as usize].clone();
        let container = writer.intern(&format!("l{thread}.{lane}"));
        writer.create_container(tick, container, &format!("{name} lane {lane}"), self.types.lane, parent, &[])?;
        self.lanes.insert((thread, lane), container);
        Ok(container)
    }

    fn application(&mut self, tick: i64, application: u32, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(container) = self.applications.get(&application) {
            return Ok(*container);
        }
        let name = match self.names.get("APPL", application as usize - 1) {
            Some(name) => name.to_string(),
            None => format!("APPL {application}"),
        };
        let container = writer.intern(&format!("a{application}"));
        writer.create_container(tick, container, &name, self.types.application, self.workload, &[])?;
        self.applications.insert(application, container);
        Ok(container)
    }

    fn task(&mut self, tick: i64, application: u32, task: u32, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        if let Some(container) = self.tasks.get(&(application, task)) {
            return Ok(*container);
        }
        let parent = self.application(tick, application, writer)?;
        let known = self.known(application, task);
        let name = match known.and_then(|(_, place, _)| self.names.get("TASK", place)) {
            Some(name) => name.to_string(),
            None => format!("TASK {application}.{task}"),
        };
        let node = known.filter(|(task, ..)| task.node > 0).map(|(task, ..)| {
            match self.names.get("NODE", task.node as usize - 1) {
                Some(name) => name.to_string(),
                None => format!("NODE {}", task.node),
            }
        });
        let container = writer.intern(&format!("t{application}.{task}"));
        if let Some(node) = &node {
            writer.add_field(self.node, ExtraValue::Text(node));
        }
        writer.create_container(tick, container, &name, self.types.task, parent, &[])?;
        self.tasks.insert((application, task), container);
        Ok(container)
    }

    fn create_thread(&mut self, tick: i64, place: ThreadPlace, writer: &mut EventWriter<'_>) -> Result<u32> {
        let ThreadPlace { application, task, thread } = place;
        let parent = self.task(tick, application, task, writer)?;
        let row = self.row(place);
        if row.is_none() {
            self.undefined += 1;
        }
        let name = match row.and_then(|row| self.names.get("THREAD", usize::try_from(row).ok()?)) {
            Some(name) => name.to_string(),
            None => format!("THREAD {application}.{task}.{thread}"),
        };
        let container = writer.intern(&format!("{application}.{task}.{thread}"));
        writer.create_container(tick, container, &name, self.types.thread, parent, &[])?;
        let number = self.containers.len() as u32;
        self.containers.push((container, name));
        self.places.insert(place, number);
        Ok(number)
    }

    /// A task of the header, its place among all tasks, and that of its first thread among all threads.
    fn known(&self, application: u32, task: u32) -> Option<(ParaverTask, usize, u64)> {
        let (application, task) = (application as usize - 1, task as usize - 1);
        let (tasks, threads) = self.before.get(application)?;
        let found = self.header.applications.get(application)?.get(task)?;
        Some((*found, tasks + task, *threads.get(task)?))
    }

    /// The place of a thread among all threads of the header.
    fn row(&self, place: ThreadPlace) -> Option<u64> {
        let (task, _, first) = self.known(place.application, place.task)?;
        (place.thread <= task.threads).then(|| first + u64::from(place.thread) - 1)
    }
}

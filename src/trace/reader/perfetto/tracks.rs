//! The tracks of a trace: processes, threads, CPUs and those that programs define, numbered by their first appearance.
//!
//! In: descriptors, and what events say about their threads. Out: numbers of tracks, and what is known of each.

use std::sync::Arc;

use hashbrown::HashMap;

use super::descriptors::{CounterDescription, ProcessDescription, ProcessTree, ThreadDescription, TrackDescription};
use super::track_numbers::TrackNumbers;
use super::track_role::TrackRole;

/// The process of threads whose process is not known.
pub(super) const UNKNOWN_PROCESS: i64 = -1;
/// How deep tracks may lie below each other; deeper ones, and those that contain themselves, lie at the top.
const DEEPEST: usize = 32;

/// What a track stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TrackSubject {
    /// The trace as a whole.
    Trace,
    Process {
        pid: i64,
    },
    Thread {
        tid: i64,
    },
    Cpu {
        number: u32,
    },
    /// Defined by the program.
    Custom {
        uuid: u64,
    },
}

/// Who gave a name; a later one of the same or a higher rank wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum NameRank {
    #[default]
    None,
    /// The scheduler.
    Command,
    /// The list of processes.
    ProcessTree,
    /// The program itself.
    Descriptor,
}

/// What is known of a track.
#[derive(Debug)]
pub(super) struct TrackInfo {
    pub subject: TrackSubject,
    pub machine: u32,
    pub parent: Option<u32>,
    pub name: Option<String>,
    rank: NameRank,
    pub counter: Option<CounterDescription>,
    /// Whether it has events, or tracks below it that have.
    pub is_used: bool,
    /// The number of the track by which the program refers to it.
    uuid: Option<u64>,
    /// The track that it is said to lie below.
    parent_uuid: u64,
    role: Option<Arc<TrackRole>>,
}

/// All tracks.
#[derive(Debug, Default)]
pub(super) struct TrackTable {
    pub tracks: Vec<TrackInfo>,
    uuids: TrackNumbers,
    processes: HashMap<(u32, i64), u32>,
    /// By machine, pid and tid.
    threads: HashMap<(u32, i64, i64), u32>,
    /// By machine and tid.
    thread_ids: HashMap<(u32, i64), u32>,
    cpus: HashMap<(u32, u32), u32>,
    trace: Option<u32>,
}

impl TrackTable {
    /// Takes a description; all are taken before the first event.
    pub fn describe(&mut self, machine: u32, described: TrackDescription) {
        // The role of a track says more than the process or thread that it is.
        let (thread, process) = match described.role {
            Some(_) => (None, None),
            None => (described.thread.as_ref(), described.process.as_ref()),
        };
        let track = match (thread, process) {
            (Some(thread), _) => self.describe_thread(machine, thread, Some(described.uuid), NameRank::Descriptor),
            (None, Some(process)) => {
                self.describe_process(machine, process, Some(described.uuid), NameRank::Descriptor)
            }
            (None, None) if described.uuid == 0 => return,
            (None, None) => {
                let track = self.custom(machine, described.uuid);
                let info = &mut self.tracks[track as usize];
                info.parent_uuid = described.parent;
                info.counter = described.counter.or(info.counter.take());
                info.role = described.role.map(Arc::new).or(info.role.take());
                self.rename(track, described.name, NameRank::Descriptor);
                track
            }
        };
        self.uuids.insert(described.uuid, track);
    }

    /// Takes the processes and threads of a machine.
    pub fn describe_machine(&mut self, machine: u32, tree: &ProcessTree) {
        for process in &tree.processes {
            self.describe_process(machine, process, None, NameRank::ProcessTree);
        }
        for thread in &tree.threads {
            self.describe_thread(machine, thread, None, NameRank::ProcessTree);
        }
    }

    /// Takes the description of a process.
    pub fn describe_process(
        &mut self,
        machine: u32,
        process: &ProcessDescription,
        uuid: Option<u64>,
        rank: NameRank,
    ) -> u32 {
        let known = self.processes.get(&(machine, process.pid)).copied();
        let track = match known.filter(|track| !self.is_another(*track, uuid, process.name.as_deref())) {
            Some(track) => track,
            None => {
                let track = self.add(TrackSubject::Process { pid: process.pid }, machine, None);
                self.processes.insert((machine, process.pid), track);
                track
            }
        };
        self.tracks[track as usize].uuid = uuid.or(self.tracks[track as usize].uuid);
        self.rename(track, process.name.clone(), rank);
        track
    }

    /// Takes the description of a thread.
    pub fn describe_thread(
        &mut self,
        machine: u32,
        thread: &ThreadDescription,
        uuid: Option<u64>,
        rank: NameRank,
    ) -> u32 {
        let key = (machine, thread.pid, thread.tid);
        let known = self.threads.get(&key).copied();
        let track = match known.filter(|track| !self.is_another(*track, uuid, thread.name.as_deref())) {
            Some(track) => track,
            None => {
                let process = self.process(machine, thread.pid);
                let track = self.add(TrackSubject::Thread { tid: thread.tid }, machine, Some(process));
                self.threads.insert(key, track);
                self.thread_ids.insert((machine, thread.tid), track);
                track
            }
        };
        self.tracks[track as usize].uuid = uuid.or(self.tracks[track as usize].uuid);
        self.rename(track, thread.name.clone(), rank);
        track
    }

    /// Whether a description is about another thread or process that has the same id: it is used again.
    fn is_another(&self, track: u32, uuid: Option<u64>, name: Option<&str>) -> bool {
        let known = &self.tracks[track as usize];
        let has_other_name = known.name.is_some() && name.is_some() && known.name.as_deref() != name;
        known.uuid.is_some() && uuid.is_some() && known.uuid != uuid && has_other_name
    }

    /// Finds the parents of tracks, when all were described.
    pub fn close(&mut self) {
        for place in 0..self.tracks.len() {
            if matches!(self.tracks[place].subject, TrackSubject::Custom { .. }) {
                self.tracks[place].parent = self.uuids.get(self.tracks[place].parent_uuid);
            }
        }
        for place in 0..self.tracks.len() {
            let (mut next, mut depth) = (self.tracks[place].parent, 0);
            while let Some(parent) = next {
                depth += 1;
                if depth > DEEPEST {
                    self.tracks[place].parent = None;
                    break;
                }
                next = self.tracks[parent as usize].parent;
            }
        }
    }

    /// Names processes without a name after their first thread.
    pub fn name_processes(&mut self) {
        let mut unnamed = vec![];
        for ((machine, pid), process) in &self.processes {
            let thread = self.threads.get(&(*machine, *pid, *pid));
            let name = thread.and_then(|thread| self.tracks[*thread as usize].name.clone());
            unnamed.extend(name.map(|name| (*process, name)));
        }
        for (process, name) in unnamed {
            if self.tracks[process as usize].name.is_none() {
                self.tracks[process as usize].name = Some(name);
            }
        }
    }

    fn add(&mut self, subject: TrackSubject, machine: u32, parent: Option<u32>) -> u32 {
        self.tracks.push(TrackInfo {
            subject,
            machine,
            parent,
            name: None,
            rank: NameRank::None,
            counter: None,
            is_used: false,
            uuid: None,
            parent_uuid: 0,
            role: None,
        });
        self.tracks.len() as u32 - 1
    }

    /// Names a track, unless it has a better name.
    pub fn rename(&mut self, track: u32, name: Option<String>, rank: NameRank) {
        let info = &mut self.tracks[track as usize];
        if rank >= info.rank
            && let Some(name) = name.filter(|name| !name.is_empty())
        {
            (info.name, info.rank) = (Some(name), rank);
        }
    }

    /// The track of a number that the program gave it.
    pub fn custom(&mut self, machine: u32, uuid: u64) -> u32 {
        if let Some(track) = self.uuids.find(uuid) {
            return track;
        }
        let track = self.add(TrackSubject::Custom { uuid }, machine, None);
        self.uuids.insert(uuid, track);
        track
    }

    /// The track of the trace itself.
    pub fn trace(&mut self) -> u32 {
        if let Some(track) = self.trace {
            return track;
        }
        let track = self.add(TrackSubject::Trace, 0, None);
        self.trace = Some(track);
        track
    }

    pub fn process(&mut self, machine: u32, pid: i64) -> u32 {
        if let Some(track) = self.processes.get(&(machine, pid)) {
            return *track;
        }
        let track = self.add(TrackSubject::Process { pid }, machine, None);
        self.processes.insert((machine, pid), track);
        track
    }

    /// The thread of a process.
    pub fn thread(&mut self, machine: u32, pid: i64, tid: i64) -> u32 {
        if let Some(track) = self.threads.get(&(machine, pid, tid)) {
            return *track;
        }
        // One whose process was not known until now.
        if let Some(track) = self.threads.remove(&(machine, UNKNOWN_PROCESS, tid)) {
            let process = self.process(machine, pid);
            self.tracks[track as usize].parent = Some(process);
            self.tracks[process as usize].is_used |= self.tracks[track as usize].is_used;
            self.threads.insert((machine, pid, tid), track);
            return track;
        }
        self.describe_thread(machine, &ThreadDescription { pid, tid, ..Default::default() }, None, NameRank::None)
    }

    /// A thread of which only its own id is known.
    pub fn thread_by_id(&mut self, machine: u32, tid: i64) -> u32 {
        match self.thread_ids.get(&(machine, tid)) {
            Some(track) => *track,
            None => self.thread(machine, UNKNOWN_PROCESS, tid),
        }
    }

    pub fn cpu(&mut self, machine: u32, number: u32) -> u32 {
        if let Some(track) = self.cpus.get(&(machine, number)) {
            return *track;
        }
        let track = self.add(TrackSubject::Cpu { number }, machine, None);
        self.cpus.insert((machine, number), track);
        track
    }

    /// The process that a track belongs to, if any.
    pub fn process_of(&self, track: u32) -> Option<u32> {
        self.owner_of(track, |subject| matches!(subject, TrackSubject::Process { .. }))
    }

    /// The thread that a track belongs to, if any.
    pub fn thread_of(&self, track: u32) -> Option<u32> {
        self.owner_of(track, |subject| matches!(subject, TrackSubject::Thread { .. }))
    }

    /// The nearest track of a kind, from a track upwards.
    fn owner_of(&self, track: u32, is_owner: impl Fn(TrackSubject) -> bool) -> Option<u32> {
        let mut next = Some(track);
        while let Some(track) = next {
            let info = &self.tracks[track as usize];
            if is_owner(info.subject) {
                return Some(track);
            }
            next = info.parent;
        }
        None
    }

    /// The pid of the process that a track belongs to.
    pub fn pid_of(&self, track: u32) -> Option<i64> {
        match self.tracks[self.process_of(track)? as usize].subject {
            TrackSubject::Process { pid } => Some(pid),
            _ => None,
        }
    }

    /// What a track stands for, where it was converted from another format.
    pub fn role(&self, track: u32) -> Option<Arc<TrackRole>> {
        self.tracks[track as usize].role.clone()
    }

    /// The track of a number that a descriptor had.
    pub fn described(&self, uuid: u64) -> Option<u32> {
        self.uuids.get(uuid)
    }

    /// Notes that a track has events.
    pub fn observe(&mut self, track: u32) {
        let mut next = Some(track);
        while let Some(track) = next {
            let info = &mut self.tracks[track as usize];
            if info.is_used {
                return;
            }
            info.is_used = true;
            next = info.parent;
        }
    }
}

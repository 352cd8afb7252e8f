//! Processes, threads and lanes become containers.
//!
//! ```text
//! process ─► thread ─► lane          slices that overlap without nesting
//!         └► async                   events that start on one thread and end on another
//! ```

#[cfg(test)]
mod tests;

use hashbrown::HashMap;

use super::arguments::members;
use super::event::RawEvent;
use super::json::text;
use super::track_names::{Process, Thread, TrackNames, process_plain_name, thread_plain_name};
use crate::error::Result;
use crate::model::{FieldKind, StoredTable, TypeKind, cheap_hash, is_same_text};
use crate::reader::{EventWriter, ExtraFieldId, ExtraRole, ExtraValue, NameHandle, PLAIN_NAME};

/// A container and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Track {
    pub container: NameHandle,
    pub kind: TrackKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TrackKind {
    Process,
    Thread,
    Lane,
    Async,
}

impl TrackKind {
    pub(super) const ALL: [TrackKind; 4] = [TrackKind::Process, TrackKind::Thread, TrackKind::Lane, TrackKind::Async];

    fn name(self) -> &'static str {
        match self {
            TrackKind::Process => "process",
            TrackKind::Thread => "thread",
            TrackKind::Lane => "lane",
            TrackKind::Async => "async",
        }
    }

    fn parent(self) -> Option<TrackKind> {
        match self {
            TrackKind::Process => None,
            TrackKind::Thread | TrackKind::Async => Some(TrackKind::Process),
            TrackKind::Lane => Some(TrackKind::Thread),
        }
    }
}

/// How many threads in use are remembered.
const RECENT: usize = 1024;

/// A thread in use, by the JSON of `pid` and `tid`.
#[derive(Debug, Default)]
struct RecentThread {
    process: Vec<u8>,
    thread: Vec<u8>,
    number: Option<u32>,
}

/// The processes and threads of a trace.
#[derive(Default)]
pub(super) struct Tracks {
    processes: Vec<Process>,
    threads: Vec<Thread>,
    /// By the JSON of `pid`.
    process_ids: HashMap<Vec<u8>, usize>,
    /// By process and the JSON of `tid`.
    thread_ids: HashMap<(usize, Vec<u8>), usize>,
    /// Threads in use, by a cheap hash of `pid` and `tid`.
    recent: Vec<RecentThread>,
    process_words: Vec<NameHandle>,
    thread_words: Vec<NameHandle>,
    /// What processes and threads are called.
    names: TrackNames,
    /// By name of asynchronous events: the process, or `None` when there are several.
    asynchronous: HashMap<u32, Option<usize>>,
    /// How many lanes and asynchronous tracks there are.
    extra: usize,
}

/// Where a thread in use is remembered.
#[inline(always)]
fn place_of(process: &[u8], thread: &[u8]) -> usize {
    (cheap_hash(process).rotate_left(21) ^ cheap_hash(thread)) as usize % RECENT
}

impl Tracks {
    /// The number of an event's thread.
    #[inline]
    pub fn thread(&mut self, event: &RawEvent<'_>) -> u32 {
        let place = place_of(event.process, event.thread);
        if let Some(recent) = self.recent.get(place)
            && is_same_text(&recent.process, event.process)
            && is_same_text(&recent.thread, event.thread)
            && let Some(number) = recent.number
        {
            return number;
        }
        let number = self.find_thread(event.process, event.thread);
        self.recent.resize_with(RECENT, RecentThread::default);
        let (process, thread) = (event.process.to_vec(), event.thread.to_vec());
        self.recent[place] = RecentThread { process, thread, number: Some(number) };
        number
    }

    fn find_thread(&mut self, process: &[u8], thread: &[u8]) -> u32 {
        let process = self.process(process);
        let threads = &mut self.threads;
        let number = *self.thread_ids.entry((process, thread.to_vec())).or_insert_with(|| {
            threads.push(Thread { process, id: text(thread).into_owned(), ..Thread::default() });
            threads.len() - 1
        });
        number as u32
    }

    fn process(&mut self, id: &[u8]) -> usize {
        let processes = &mut self.processes;
        *self.process_ids.entry(id.to_vec()).or_insert_with(|| {
            processes.push(Process { id: text(id).into_owned(), ..Process::default() });
            processes.len() - 1
        })
    }

    /// Takes a metadata event; false when it is not about processes and threads.
    pub fn metadata(&mut self, event: &RawEvent<'_>) -> bool {
        let (mut name, mut labels, mut sort_index) = (None, None, None);
        members(event.arguments, |key, value| match key {
            b"name" => name = Some(text(value).into_owned()),
            b"labels" => labels = Some(text(value).into_owned()),
            b"sort_index" => sort_index = text(value).parse().ok(),
            _ => (),
        });
        match text(event.name).as_ref() {
            "process_name" => {
                let process = self.process(event.process);
                self.processes[process].name = name.filter(|name| !name.is_empty());
            }
            "process_labels" => {
                let process = self.process(event.process);
                self.processes[process].labels = labels.filter(|labels| !labels.is_empty());
            }
            "process_sort_index" => {
                let process = self.process(event.process);
                self.processes[process].sort_index = sort_index;
            }
            "thread_name" => {
                let thread = self.thread(event) as usize;
                self.threads[thread].name = name.filter(|name| !name.is_empty());
            }
            "thread_sort_index" => {
                let thread = self.thread(event) as usize;
                self.threads[thread].sort_index = sort_index;
            }
            _ => return false,
        }
        true
    }

    /// Creates processes and threads; all are there before the first event.
    pub fn emit(&mut self, tick: i64, writer: &mut EventWriter<'_>) -> Result<()> {
        for kind in TrackKind::ALL {
            let parent = match kind.parent() {
                Some(parent) => writer.intern(parent.name()),
                None => writer.root(),
            };
            let type_ = writer.intern(kind.name());
            writer.define_type(TypeKind::Container, type_, parent, kind.name(), None)?;
        }
        let pid = writer.field(StoredTable::Containers, "pid", FieldKind::Text, ExtraRole::Column);
        let tid = writer.field(StoredTable::Containers, "tid", FieldKind::Text, ExtraRole::Column);
        let labels = writer.field(StoredTable::Containers, "labels", FieldKind::Text, ExtraRole::Column);
        let sort = writer.field(StoredTable::Containers, "sort_index", FieldKind::Int, ExtraRole::Column);
        let plain_name = writer.container_text(PLAIN_NAME);
        self.names = TrackNames::of(&self.processes, &self.threads);
        let sorted = |index: Option<i64>, fields: &mut Vec<(ExtraFieldId, ExtraValue<'_>)>| {
            fields.extend(index.map(|index| (sort, ExtraValue::Int(index))));
        };
        let root = writer.root();
        for (number, process) in self.processes.iter().enumerate() {
            let name = &self.names.processes[number];
            let plain = process_plain_name(process);
            let mut fields = vec![(pid, ExtraValue::Text(&process.id)), (plain_name, ExtraValue::Text(&plain))];
            fields.extend(process.labels.as_deref().map(|text| (labels, ExtraValue::Text(text))));
            sorted(process.sort_index, &mut fields);
            let (container, type_) = (writer.intern(&format!("p{number}")), writer.intern("process"));
            self.process_words.push(container);
            writer.create_container(tick, container, name, type_, root, &fields)?;
        }
        for (number, thread) in self.threads.iter().enumerate() {
            let name = &self.names.threads[number];
            let plain = thread_plain_name(thread);
            let mut fields = vec![
                (pid, ExtraValue::Text(&self.processes[thread.process].id)),
                (tid, ExtraValue::Text(&thread.id)),
                (plain_name, ExtraValue::Text(&plain)),
            ];
            sorted(thread.sort_index, &mut fields);
            let (container, type_) = (writer.intern(&format!("t{number}")), writer.intern("thread"));
            self.thread_words.push(container);
            let parent = self.process_words[thread.process];
            writer.create_container(tick, container, name, type_, parent, &fields)?;
        }
        Ok(())
    }

    /// Notes that a process has asynchronous events of a name.
    pub fn observe_asynchronous(&mut self, name: u32, thread: u32) {
        let process = self.process_of(thread);
        let known = self.asynchronous.entry(name).or_insert(Some(process));
        if *known != Some(process) {
            *known = None;
        }
    }

    /// The container of a thread.
    #[inline(always)]
    pub fn thread_track(&self, number: u32) -> Track {
        Track { container: self.thread_words[number as usize], kind: TrackKind::Thread }
    }

    /// The container of a thread's process.
    pub fn process_track(&self, thread: u32) -> Track {
        Track { container: self.process_words[self.process_of(thread)], kind: TrackKind::Process }
    }

    /// The number of a thread's process.
    pub fn process_of(&self, thread: u32) -> usize {
        self.threads[thread as usize].process
    }

    /// Creates another lane of a thread.
    pub fn lane(&mut self, tick: i64, thread: u32, number: usize, writer: &mut EventWriter<'_>) -> Result<Track> {
        let parent = self.thread_track(thread);
        let plain = format!("lane {number}");
        let name = format!("{} {plain}", self.names.threads[thread as usize]);
        self.create(tick, (&name, &plain), TrackKind::Lane, parent, writer)
    }

    /// Creates a track for asynchronous events, by the number of their name and the name of the track.
    pub fn asynchronous(
        &mut self,
        tick: i64,
        thread: u32,
        (event, plain): (u32, &str),
        writer: &mut EventWriter<'_>,
    ) -> Result<Track> {
        let parent = self.process_track(thread);
        let name = match self.asynchronous.get(&event) {
            Some(None) => format!("{} {plain}", self.names.processes[self.process_of(thread)]),
            _ => plain.to_string(),
        };
        self.create(tick, (&name, plain), TrackKind::Async, parent, writer)
    }

    fn create(
        &mut self,
        tick: i64,
        (name, plain): (&str, &str),
        kind: TrackKind,
        parent: Track,
        writer: &mut EventWriter<'_>,
    ) -> Result<Track> {
        self.extra += 1;
        let container = writer.intern(&format!("x{}", self.extra));
        let type_ = writer.intern(kind.name());
        let fields = [(writer.container_text(PLAIN_NAME), ExtraValue::Text(plain))];
        writer.create_container(tick, container, name, type_, parent.container, &fields)?;
        Ok(Track { container, kind })
    }
}

/// The type of containers of a kind.
pub(super) fn type_of(kind: TrackKind, writer: &mut EventWriter<'_>) -> NameHandle {
    writer.intern(kind.name())
}

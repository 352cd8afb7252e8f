//! Tracks become containers.
//!
//! ```text
//! process ─► thread ─► track          tracks that programs define stand below what they say they belong to
//!         └► track
//! cpu
//! track                               the trace itself, and tracks that belong to nothing
//! ```
//! In: all tracks, when all are known. Out: containers of those that have events, with names that differ.

use hashbrown::HashMap;

use super::tracks::{TrackInfo, TrackSubject, TrackTable, UNKNOWN_PROCESS};
use crate::error::Result;
use crate::model::TypeKind;
use crate::reader::distinct_names::{number, repeated};
use crate::reader::{EventWriter, ExtraValue, NameHandle, PLAIN_NAME};

/// A container and its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TrackContainer {
    pub container: NameHandle,
    pub type_: NameHandle,
}

/// The containers of tracks.
#[derive(Debug, Default)]
pub(super) struct TrackContainers {
    /// By track.
    pub names: Vec<String>,
    containers: Vec<Option<TrackContainer>>,
    /// By name and the type above.
    types: HashMap<(String, NameHandle), NameHandle>,
    /// Tracks that only hold what happens to the container above them; `None` for the root.
    parts: HashMap<u32, Option<u32>>,
    root: Option<TrackContainer>,
    /// Containers that are not tracks of the trace.
    extra: usize,
}

impl TrackContainer {
    /// The top of the tree.
    pub fn root(writer: &mut EventWriter<'_>) -> TrackContainer {
        TrackContainer { container: writer.root(), type_: writer.root() }
    }
}

impl TrackContainers {
    /// Creates the containers of all tracks with events, except for those with roles, which have times of their own.
    pub fn emit(table: &TrackTable, tick: i64, writer: &mut EventWriter<'_>) -> Result<TrackContainers> {
        let mut all = TrackContainers {
            names: names_of(table),
            containers: vec![None; table.tracks.len()],
            root: Some(TrackContainer::root(writer)),
            ..TrackContainers::default()
        };
        for track in 0..table.tracks.len() {
            let role = table.role(track as u32);
            if role.as_ref().is_some_and(|role| role.container_type.is_none()) {
                all.parts.insert(track as u32, table.tracks[track].parent);
            } else if table.tracks[track].is_used && role.is_none() {
                all.create(table, track as u32, tick, writer)?;
            }
        }
        Ok(all)
    }

    fn create(
        &mut self,
        table: &TrackTable,
        track: u32,
        tick: i64,
        writer: &mut EventWriter<'_>,
    ) -> Result<TrackContainer> {
        if let Some(known) = self.containers[track as usize] {
            return Ok(known);
        }
        let info = &table.tracks[track as usize];
        let parent = match info.parent {
            Some(parent) => self.create(table, parent, tick, writer)?,
            None => TrackContainer::root(writer),
        };
        let name = match info.subject {
            TrackSubject::Process { .. } => "process",
            TrackSubject::Thread { .. } => "thread",
            TrackSubject::Cpu { .. } => "cpu",
            TrackSubject::Custom { .. } | TrackSubject::Trace => "track",
        };
        let type_ = self.type_of(name, parent.type_, writer)?;
        let plain = plain_name(table, track);
        let mut fields = vec![(writer.container_text(PLAIN_NAME), ExtraValue::Text(&plain))];
        let pid = table.pid_of(track).filter(|pid| *pid != UNKNOWN_PROCESS).map(|pid| pid.to_string());
        if let Some(pid) = &pid {
            fields.push((writer.container_text("pid"), ExtraValue::Text(pid)));
        }
        let id = match info.subject {
            TrackSubject::Thread { tid } => Some(("tid", tid.to_string())),
            TrackSubject::Custom { uuid } => Some(("track_uuid", uuid.to_string())),
            _ => None,
        };
        if let Some((column, id)) = &id {
            fields.push((writer.container_text(column), ExtraValue::Text(id)));
        }
        let machine = Some(info.machine).filter(|machine| *machine > 0).map(|machine| machine.to_string());
        if let Some(machine) = &machine {
            fields.push((writer.container_text("machine"), ExtraValue::Text(machine)));
        }
        let container = writer.intern(&format!("t{track}"));
        writer.create_container(tick, container, &self.names[track as usize], type_, parent.container, &fields)?;
        let created = TrackContainer { container, type_ };
        self.containers[track as usize] = Some(created);
        Ok(created)
    }

    /// The container of a track that has events.
    #[inline]
    pub fn of(&self, track: u32) -> Option<TrackContainer> {
        match self.containers.get(track as usize).copied().flatten() {
            Some(container) => Some(container),
            None => match self.parts.get(&track)? {
                Some(parent) => self.containers.get(*parent as usize).copied().flatten(),
                None => self.root,
            },
        }
    }

    /// Notes the container of a track.
    pub fn set(&mut self, track: u32, container: TrackContainer) {
        self.containers[track as usize] = Some(container);
    }

    /// Creates a container below that of a track: a lane, or the track of asynchronous events.
    pub fn below(
        &mut self,
        tick: i64,
        parent: TrackContainer,
        type_name: &'static str,
        (name, plain): (&str, &str),
        writer: &mut EventWriter<'_>,
    ) -> Result<TrackContainer> {
        self.extra += 1;
        let type_ = self.type_of(type_name, parent.type_, writer)?;
        let container = writer.intern(&format!("x{}", self.extra));
        let fields = [(writer.container_text(PLAIN_NAME), ExtraValue::Text(plain))];
        writer.create_container(tick, container, name, type_, parent.container, &fields)?;
        Ok(TrackContainer { container, type_ })
    }

    /// A type of containers below another; defined at its first use.
    pub fn type_of(&mut self, name: &str, parent: NameHandle, writer: &mut EventWriter<'_>) -> Result<NameHandle> {
        let key = (name.to_string(), parent);
        if let Some(type_) = self.types.get(&key) {
            return Ok(*type_);
        }
        let type_ = writer.intern(&format!("{name}@{}", self.types.len()));
        writer.define_type(TypeKind::Container, type_, parent, name, None)?;
        self.types.insert(key, type_);
        Ok(type_)
    }
}

/// The name of a track as the trace has it.
pub(super) fn plain_name(table: &TrackTable, track: u32) -> String {
    let info = &table.tracks[track as usize];
    if let Some(name) = &info.name {
        return name.clone();
    }
    match info.subject {
        TrackSubject::Trace => "trace".to_string(),
        TrackSubject::Process { pid: UNKNOWN_PROCESS } => "unknown process".to_string(),
        TrackSubject::Process { pid } => format!("process {pid}"),
        TrackSubject::Thread { tid } => format!("thread {tid}"),
        TrackSubject::Cpu { number } => format!("cpu {number}"),
        TrackSubject::Custom { uuid } => format!("track {uuid}"),
    }
}

/// Names that differ from each other among processes, threads, CPUs and other tracks: with the id where names of one parent
/// are equal, then with the parent.
fn names_of(table: &TrackTable) -> Vec<String> {
    let mut names: Vec<String> = (0..table.tracks.len() as u32).map(|track| plain_name(table, track)).collect();
    for kind in 0..KINDS {
        let is_one = |track: &TrackInfo| track.is_used && kind_of(track.subject) == kind;
        let tracks: Vec<usize> = (0..names.len()).filter(|track| is_one(&table.tracks[*track])).collect();
        let alike = repeated(tracks.iter().map(|track| (table.tracks[*track].parent, names[*track].clone())));
        for track in &tracks {
            let info = &table.tracks[*track];
            if alike.contains(&(info.parent, names[*track].clone())) {
                match info.subject {
                    TrackSubject::Process { pid: id } | TrackSubject::Thread { tid: id } => {
                        names[*track] = format!("{} {id}", names[*track]);
                    }
                    _ => (),
                }
            }
        }
        let alike = repeated(tracks.iter().map(|track| names[*track].clone()));
        for track in &tracks {
            if let Some(parent) = table.tracks[*track].parent
                && alike.contains(&names[*track])
            {
                names[*track] = format!("{} {}", names[parent as usize], names[*track]);
            }
        }
        let mut infos = table.tracks.iter();
        number(names.iter_mut().filter(|_| infos.next().is_some_and(is_one)));
    }
    names
}

/// How many kinds of tracks there are.
const KINDS: usize = 4;

/// The kind of a track; parents come before what lies below them, except for tracks of programs.
fn kind_of(subject: TrackSubject) -> usize {
    match subject {
        TrackSubject::Process { .. } => 0,
        TrackSubject::Thread { .. } => 1,
        TrackSubject::Cpu { .. } => 2,
        TrackSubject::Trace | TrackSubject::Custom { .. } => 3,
    }
}

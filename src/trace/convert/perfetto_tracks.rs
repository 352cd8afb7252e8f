//! The tracks of a Perfetto trace: one per container, and below it one for each further type of what happens there.
//!
//! ```text
//! container            slices of its first type of states, instants of its first type of events
//! ├─ type of states    each further one
//! ├─ type of events    each further one
//! ├─ variable          a counter
//! └─ type of links     instants where links start and end
//! ```
//! The first types are those that the trace defines first for the type of the container. In: the world. Out: numbers of
//! tracks, and descriptors of those that are new.

use hashbrown::{HashMap, HashSet};
use serde_json::{Map, Value};

use super::wire_message::WireMessage;
use crate::model::{ContainerId, OwnedData, OwnedExtra, TypeId, TypeKind, World};
use crate::reader::TrackRole;

/// Numbers of tracks; containers come first.
pub(super) struct PerfettoTracks<'a> {
    world: &'a World,
    /// By type of containers: its first types of states and of events.
    own_types: HashMap<TypeId, [Option<TypeId>; 2]>,
    /// By container, type, and the container that links belong to.
    below: HashMap<(u32, u32, u32), u64>,
    next: u64,
    pids: HashSet<i64>,
    tids: HashSet<(i64, i64)>,
}

/// The track of a container; 0 is that of the trace.
fn uuid_of(container: u32) -> u64 {
    if ContainerId(container).is_root() { 0 } else { u64::from(container) + 1 }
}

impl<'a> PerfettoTracks<'a> {
    pub fn new(world: &'a World) -> PerfettoTracks<'a> {
        let mut own_types: HashMap<TypeId, [Option<TypeId>; 2]> = HashMap::new();
        for (index, row) in (0..).zip(&world.types) {
            let place = match row.kind {
                TypeKind::State => 0,
                TypeKind::Event => 1,
                _ => continue,
            };
            if let Some(parent) = row.parent {
                own_types.entry(parent).or_default()[place].get_or_insert(TypeId(index));
            }
        }
        PerfettoTracks {
            world,
            own_types,
            below: HashMap::new(),
            next: world.containers.len() as u64,
            pids: HashSet::new(),
            tids: HashSet::new(),
        }
    }

    /// The descriptor of a container that lives for so many nanoseconds.
    pub fn container(&mut self, container: u32, (start, end): (i64, i64)) -> WireMessage {
        let row = &self.world.containers[container as usize];
        let name = self.world.container_name(ContainerId(container));
        let [state_type, event_type] = self.own_types.get(&row.type_).copied().unwrap_or_default();
        let type_name = |type_: Option<TypeId>| type_.map(|type_| self.world.type_name(type_).to_string());
        let role = TrackRole {
            container_type: type_name(Some(row.type_)),
            start: Some(start),
            end: Some(end),
            state_type: type_name(state_type),
            event_type: type_name(event_type),
            fields: self.fields(&row.extras),
            ..TrackRole::default()
        };
        let mut track = descriptor(uuid_of(container), uuid_of(row.parent.0), name, &role);
        self.add_process(container, name, &mut track);
        track
    }

    /// Says which process or thread a container is, where its fields have the numbers of one that no other has.
    fn add_process(&mut self, container: u32, name: &str, track: &mut WireMessage) {
        let row = &self.world.containers[container as usize];
        let parent = self.world.containers.get(row.parent.0 as usize);
        let (pid, tid) = (self.id(&row.extras, "pid"), self.id(&row.extras, "tid"));
        let above = |column| parent.and_then(|row| self.id(&row.extras, column));
        let (pid_above, tid_above) = (above("pid"), above("tid"));
        let mut message = WireMessage::default();
        match (pid, tid) {
            (Some(pid), None) if pid_above != Some(pid) && self.pids.insert(pid) => {
                message.number(1, pid as u64);
                message.text(6, name);
                track.message(3, &message);
            }
            (Some(pid), Some(tid)) if tid_above != Some(tid) && self.tids.insert((pid, tid)) => {
                message.number(1, pid as u64);
                message.number(2, tid as u64);
                message.text(5, name);
                track.message(4, &message);
            }
            _ => (),
        }
    }

    /// The number of a process or thread among the fields of a container.
    fn id(&self, extras: &[OwnedExtra], column: &str) -> Option<i64> {
        let is_it = |extra: &&OwnedExtra| self.world.extra_fields[extra.field as usize].column == column;
        let id = match &extras.iter().find(is_it)?.data {
            OwnedData::Int(id) => *id,
            OwnedData::Text(text) => text.parse().ok()?,
            _ => return None,
        };
        // Wider ones are not ids of this machine, and 0 is the idle thread.
        i32::try_from(id).is_ok_and(|id| id > 0).then_some(id)
    }

    fn fields(&self, extras: &[OwnedExtra]) -> Map<String, Value> {
        let mut fields = Map::new();
        for extra in extras {
            let value = match &extra.data {
                OwnedData::Int(value) => Value::from(*value),
                OwnedData::UInt(value) => Value::from(*value),
                OwnedData::Double(value) => Value::from(*value),
                OwnedData::Text(text) => Value::from(&**text),
            };
            fields.insert(self.world.extra_fields[extra.field as usize].column.clone(), value);
        }
        fields
    }

    /// The track of a type at a container, and its descriptor when it is new.
    pub fn track(&mut self, container: u32, type_: u32, of_links: u32) -> (u64, Option<WireMessage>) {
        let is_own = || {
            let row = self.world.containers.get(container as usize)?;
            Some(self.own_types.get(&row.type_)?.contains(&Some(TypeId(type_))))
        };
        if is_own() == Some(true) {
            return (uuid_of(container), None);
        }
        let key = (container, type_, of_links);
        if let Some(uuid) = self.below.get(&key) {
            return (*uuid, None);
        }
        self.next += 1;
        self.below.insert(key, self.next);
        let (kind, name) = (self.world.types[type_ as usize].kind, self.world.type_name(TypeId(type_)));
        let mut role = TrackRole::default();
        match kind {
            TypeKind::State => role.state_type = Some(name.to_string()),
            TypeKind::Event => role.event_type = Some(name.to_string()),
            TypeKind::Link => {
                role.link_type = Some(name.to_string());
                role.link_container = Some(uuid_of(of_links)).filter(|uuid| *uuid != 0);
            }
            TypeKind::Variable | TypeKind::Container => (),
        }
        let mut track = descriptor(self.next, uuid_of(container), name, &role);
        if kind == TypeKind::Variable {
            track.message(8, &WireMessage::default());
        }
        (self.next, Some(track))
    }
}

fn descriptor(uuid: u64, parent: u64, name: &str, role: &TrackRole) -> WireMessage {
    let mut track = WireMessage::default();
    track.number(1, uuid);
    if parent != 0 {
        track.number(5, parent);
    }
    track.text(2, name);
    if *role != TrackRole::default() {
        track.text(14, role.description());
    }
    track
}

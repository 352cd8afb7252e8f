//! The global definitions of an archive: what the numbers in its events mean.
//!
//! A record is read as far as its fields are known and needed here; what later versions append is
//! skipped by the record's length. Definitions that nothing here uses are counted.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::bytes::{ReadResult, RecordBytes};
use super::clock::Timer;

/// An id that names nothing.
pub(super) const UNDEFINED: u32 = u32::MAX;

/// A node of the machine's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SystemTreeNode {
    pub name: u32,
    pub class: u32,
    pub parent: u32,
}

/// Mostly a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LocationGroup {
    pub name: u32,
    pub kind: u8,
    pub node: u32,
    /// The process that an accelerator belongs to.
    pub creator: Option<u32>,
}

/// Mostly a thread: what has an event file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Location {
    pub name: u32,
    pub kind: u8,
    pub events: u64,
    pub group: u32,
}

/// A function or another piece of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Region {
    pub name: u32,
    pub file: u32,
    pub line: u32,
}

/// What the members of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GroupKind {
    /// Locations, in the order of the ranks of everything below.
    CommLocations,
    /// Ranks, that is places in the group of locations.
    CommGroup,
    /// Just the location that uses it.
    CommSelf,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GroupDefinition {
    pub kind: GroupKind,
    pub paradigm: u8,
    pub members: Vec<u64>,
}

/// A communicator; one between two groups has a second one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CommDefinition {
    pub name: u32,
    pub group: u32,
    pub other_group: Option<u32>,
}

/// A quantity that metrics record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub name: u32,
    /// The recorded number times this is in the unit.
    pub scale: f64,
}

/// Where the values of a metric belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MetricScope {
    /// The location that recorded them.
    Recorder,
    Location(u64),
    LocationGroup(u64),
    Node(u64),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Metric {
    /// The members.
    Class(Vec<u32>),
    Instance {
        class: u32,
        scope: MetricScope,
    },
}

/// The definitions, by id.
#[derive(Debug, Default)]
pub(super) struct ArchiveDefinitions {
    pub timer: Option<Timer>,
    pub strings: BTreeMap<u32, String>,
    pub nodes: BTreeMap<u32, SystemTreeNode>,
    pub location_groups: BTreeMap<u32, LocationGroup>,
    pub locations: BTreeMap<u64, Location>,
    pub regions: BTreeMap<u32, Region>,
    pub groups: BTreeMap<u32, GroupDefinition>,
    pub comms: BTreeMap<u32, CommDefinition>,
    pub members: BTreeMap<u32, Member>,
    pub metrics: BTreeMap<u32, Metric>,
    pub parameters: BTreeMap<u32, u32>,
    pub attributes: BTreeMap<u32, u32>,
    pub windows: BTreeMap<u32, u32>,
    /// Region of a calling context.
    pub contexts: BTreeMap<u32, u32>,
    /// File and line of a place in the source.
    pub places: BTreeMap<u32, (u32, u32)>,
    pub files: BTreeMap<u32, u32>,
    pub handles: BTreeMap<u32, (u32, u32)>,
    /// How many records were read, of any kind.
    pub count: u64,
}

impl ArchiveDefinitions {
    /// Takes one record; what is unknown or of no use here is skipped.
    pub fn add(&mut self, code: u8, bytes: &mut RecordBytes<'_>) -> ReadResult<()> {
        self.count += 1;
        match code {
            5 => {
                let (resolution, start, _length) = (bytes.u64()?, bytes.u64()?, bytes.u64()?);
                // Since version 3.
                let date = if bytes.left() > 0 { Some(bytes.u64()?).filter(|date| *date != u64::MAX) } else { None };
                self.timer = Some(Timer { resolution, start, date });
            }
            10 => {
                let id = bytes.u32()?;
                self.strings.insert(id, bytes.text()?);
            }
            11 => {
                self.attributes.insert(bytes.u32()?, bytes.u32()?);
            }
            12 => {
                let id = bytes.u32()?;
                let node = SystemTreeNode { name: bytes.u32()?, class: bytes.u32()?, parent: bytes.u32()? };
                self.nodes.insert(id, node);
            }
            13 => {
                let id = bytes.u32()?;
                let (name, kind, node) = (bytes.u32()?, bytes.u8()?, bytes.u32()?);
                // Since version 3.
                let creator =
                    if bytes.left() > 0 { Some(bytes.u32()?).filter(|creator| *creator != UNDEFINED) } else { None };
                self.location_groups.insert(id, LocationGroup { name, kind, node, creator });
            }
            14 => {
                let id = bytes.u64()?;
                let (name, kind) = (bytes.u32()?, bytes.u8()?);
                let location = Location { name, kind, events: bytes.u64()?, group: bytes.u32()? };
                self.locations.insert(id, location);
            }
            15 => {
                let id = bytes.u32()?;
                let (name, _description, _kind) = (bytes.u32()?, bytes.u32()?, bytes.u8()?);
                self.regions.insert(id, Region { name, file: bytes.u32()?, line: bytes.u32()? });
            }
            18 => self.add_group(bytes)?,
            19 => self.add_member(bytes)?,
            20 => {
                let (id, count) = (bytes.u32()?, bytes.u8()?);
                let members = bytes.list(u64::from(count), RecordBytes::u32)?;
                self.metrics.insert(id, Metric::Class(members));
            }
            21 => {
                let (id, class, _recorder) = (bytes.u32()?, bytes.u32()?, bytes.u64()?);
                let scope = match (bytes.u8()?, bytes.u64()?) {
                    (0, location) => MetricScope::Location(location),
                    (1, group) => MetricScope::LocationGroup(group),
                    (2, node) => MetricScope::Node(node),
                    _ => MetricScope::Recorder,
                };
                self.metrics.insert(id, Metric::Instance { class, scope });
            }
            22 => {
                let (id, name, group) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
                self.comms.insert(id, CommDefinition { name, group, other_group: None });
            }
            23 => {
                self.parameters.insert(bytes.u32()?, bytes.u32()?);
            }
            24 => {
                self.windows.insert(bytes.u32()?, bytes.u32()?);
            }
            33 => {
                self.places.insert(bytes.u32()?, (bytes.u32()?, bytes.u32()?));
            }
            34 => {
                self.contexts.insert(bytes.u32()?, bytes.u32()?);
            }
            38 | 39 => {
                self.files.insert(bytes.u32()?, bytes.u32()?);
            }
            40 => {
                self.handles.insert(bytes.u32()?, (bytes.u32()?, bytes.u32()?));
            }
            43 => {
                let (id, name, group, other) = (bytes.u32()?, bytes.u32()?, bytes.u32()?, bytes.u32()?);
                self.comms.insert(id, CommDefinition { name, group, other_group: Some(other) });
            }
            _ => (),
        }
        Ok(())
    }

    fn add_group(&mut self, bytes: &mut RecordBytes<'_>) -> ReadResult<()> {
        let (id, _name, old_kind, count) = (bytes.u32()?, bytes.u32()?, bytes.u8()?, bytes.u32()?);
        let members = bytes.list(u64::from(count), RecordBytes::u64)?;
        // Before version 1.2 the kind stood in front, and there was only MPI.
        let (kind, paradigm) = if bytes.left() > 0 {
            let kind = match bytes.u8()? {
                4 => GroupKind::CommLocations,
                5 => GroupKind::CommGroup,
                6 => GroupKind::CommSelf,
                _ => GroupKind::Other,
            };
            (kind, bytes.u8()?)
        } else {
            let kind = match old_kind {
                4 => GroupKind::CommGroup,
                5 => GroupKind::CommSelf,
                6 => GroupKind::CommLocations,
                _ => GroupKind::Other,
            };
            (kind, MPI)
        };
        self.groups.insert(id, GroupDefinition { kind, paradigm, members });
        Ok(())
    }

    fn add_member(&mut self, bytes: &mut RecordBytes<'_>) -> ReadResult<()> {
        let (id, name, _description) = (bytes.u32()?, bytes.u32()?, bytes.u32()?);
        let (_kind, _mode, _value) = (bytes.u8()?, bytes.u8()?, bytes.u8()?);
        let (base, exponent) = (bytes.u8()?, bytes.i64()?);
        let base: f64 = if base == 0 { 2.0 } else { 10.0 };
        let scale = base.powi(exponent.clamp(-400, 400) as i32);
        self.members.insert(id, Member { name, scale });
        Ok(())
    }

    /// The text of a string; `None` when it is not defined.
    pub fn string(&self, id: u32) -> Option<&str> {
        self.strings.get(&id).map(String::as_str)
    }

    /// The text of a name, or one made of the kind and id of what it names.
    pub fn name_of(&self, name: u32, kind: &str, id: u64) -> String {
        match self.string(name) {
            Some(text) if !text.is_empty() => text.to_string(),
            _ => format!("{kind} {id}"),
        }
    }

    /// The members of a metric, and where its values belong.
    pub fn metric(&self, id: u32) -> Option<(&[u32], MetricScope)> {
        let (class, scope) = match self.metrics.get(&id)? {
            Metric::Class(members) => return Some((members, MetricScope::Recorder)),
            Metric::Instance { class, scope } => (class, *scope),
        };
        match self.metrics.get(class)? {
            Metric::Class(members) => Some((members, scope)),
            Metric::Instance { .. } => None,
        }
    }
}

/// The number of MPI among the paradigms.
pub(super) const MPI: u8 = 4;

//! Ranks of communicators become locations.
//!
//! ```text
//! communicator ─► group of ranks ─► group of locations ─► location
//! ```
//! In a process of several threads each may send, but ranks name one location of it only; messages
//! are matched by that one, the process's own.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::definitions::{ArchiveDefinitions, GroupKind};

/// The members of a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Members {
    /// Locations by rank, and those of the other side.
    Of(Arc<[u64]>, Option<Arc<[u64]>>),
    /// Whoever uses it.
    Own,
}

/// The locations behind ranks.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    comms: BTreeMap<u32, Members>,
    /// The location that stands for a location in communication, when that is another one.
    deputies: BTreeMap<u64, u64>,
}

impl Ranks {
    pub fn new(definitions: &ArchiveDefinitions) -> Ranks {
        let mut comms = BTreeMap::new();
        // Many communicators may share a large group.
        let mut known: BTreeMap<u32, Option<Arc<[u64]>>> = BTreeMap::new();
        let mut shared = |group: u32| known.entry(group).or_insert_with(|| locations(definitions, group)).clone();
        for (id, comm) in &definitions.comms {
            let members = match definitions.groups.get(&comm.group) {
                Some(group) if group.kind == GroupKind::CommSelf => Some(Members::Own),
                _ => shared(comm.group).map(|own| Members::Of(own, comm.other_group.and_then(&mut shared))),
            };
            comms.extend(members.map(|members| (*id, members)));
        }
        Ranks { comms, deputies: deputies(definitions) }
    }

    /// The location that stands for one in communication.
    pub fn of(&self, location: u64) -> u64 {
        self.deputies.get(&location).copied().unwrap_or(location)
    }

    /// The location of a rank, seen from a location that uses the communicator.
    pub fn peer(&self, comm: u32, location: u64, rank: u32) -> Option<u64> {
        let members = match self.comms.get(&comm)? {
            Members::Own => return (rank == 0).then(|| self.of(location)),
            Members::Of(own, None) => own,
            // Between two groups, a rank is one of the other group.
            Members::Of(one, Some(other)) if one.contains(&self.of(location)) => other,
            Members::Of(one, Some(_)) => one,
        };
        members.get(usize::try_from(rank).ok()?).copied()
    }

    /// The locations of a communicator by rank, seen from one of them.
    pub fn members(&self, comm: u32, location: u64) -> Option<Vec<u64>> {
        match self.comms.get(&comm)? {
            Members::Own => Some(vec![self.of(location)]),
            Members::Of(own, other) => {
                Some(own.iter().chain(other.iter().flat_map(|other| other.iter())).copied().collect())
            }
        }
    }
}

/// The locations of a group, by rank.
fn locations(definitions: &ArchiveDefinitions, group: u32) -> Option<Arc<[u64]>> {
    let group = definitions.groups.get(&group)?;
    match group.kind {
        GroupKind::CommLocations => Some(group.members.as_slice().into()),
        GroupKind::CommGroup => {
            let all = definitions
                .groups
                .values()
                .find(|other| other.kind == GroupKind::CommLocations && other.paradigm == group.paradigm)?;
            let location = |rank: &u64| all.members.get(usize::try_from(*rank).ok()?).copied();
            group.members.iter().map(location).collect()
        }
        GroupKind::CommSelf | GroupKind::Other => None,
    }
}

fn deputies(definitions: &ArchiveDefinitions) -> BTreeMap<u64, u64> {
    let communicate = definitions.groups.values().filter(|group| group.kind == GroupKind::CommLocations);
    let mut of_group = BTreeMap::new();
    for location in communicate.flat_map(|group| &group.members) {
        if let Some(known) = definitions.locations.get(location) {
            of_group.entry(known.group).or_insert(*location);
        }
    }
    let deputy = |(id, location): (&u64, &super::definitions::Location)| {
        of_group.get(&location.group).filter(|deputy| *deputy != id).map(|deputy| (*id, *deputy))
    };
    definitions.locations.iter().filter_map(deputy).collect()
}

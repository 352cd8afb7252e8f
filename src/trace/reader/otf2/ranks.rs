//! Ranks of communicators become locations.
//!
//! ```text
//! communicator ─► group of ranks ─► group of locations ─► location
//! ```
//! In a process of several threads each may send, but ranks name one location of it only; messages
//! are matched by that one, the process's own.

use std::collections::BTreeMap;

use super::definitions::{Definitions, GroupKind};

/// The members of a communicator.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Members {
    /// Locations by rank, and those of the other side.
    Of(Vec<u64>, Option<Vec<u64>>),
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
    pub fn new(definitions: &Definitions) -> Ranks {
        let mut comms = BTreeMap::new();
        for (id, comm) in &definitions.comms {
            let members = match definitions.groups.get(&comm.group) {
                Some(group) if group.kind == GroupKind::CommSelf => Some(Members::Own),
                _ => locations(definitions, comm.group)
                    .map(|own| Members::Of(own, comm.other_group.and_then(|group| locations(definitions, group)))),
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
            Members::Of(own, other) => Some(own.iter().chain(other.iter().flatten()).copied().collect()),
        }
    }
}

/// The locations of a group, by rank.
fn locations(definitions: &Definitions, group: u32) -> Option<Vec<u64>> {
    let group = definitions.groups.get(&group)?;
    match group.kind {
        GroupKind::CommLocations => Some(group.members.clone()),
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

fn deputies(definitions: &Definitions) -> BTreeMap<u64, u64> {
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

#[cfg(test)]
mod tests {
    use super::super::definitions::{Comm, Group, Location, MPI};
    use super::*;

    fn definitions() -> Definitions {
        let mut definitions = Definitions::default();
        // Two processes with two threads each; locations 10, 11 and 20, 21.
        for (id, group) in [(10, 1), (11, 1), (20, 2), (21, 2)] {
            definitions.locations.insert(id, Location { name: 0, kind: 1, events: 0, group });
        }
        let mut group = |id: u32, kind, members: &[u64]| {
            definitions.groups.insert(id, Group { kind, paradigm: MPI, members: members.to_vec() });
        };
        group(0, GroupKind::CommLocations, &[10, 20]);
        group(1, GroupKind::CommGroup, &[1, 0]);
        group(2, GroupKind::CommSelf, &[]);
        group(3, GroupKind::CommGroup, &[0]);
        group(4, GroupKind::CommGroup, &[1]);
        group(5, GroupKind::CommGroup, &[7]);
        for (id, group, other_group) in [(0, 1, None), (1, 2, None), (2, 3, Some(4)), (3, 5, None)] {
            definitions.comms.insert(id, Comm { name: 0, group, other_group });
        }
        definitions
    }

    #[test]
    fn ranks_are_found_through_their_groups() {
        let ranks = Ranks::new(&definitions());
        assert_eq!((ranks.of(11), ranks.of(20), ranks.of(99)), (10, 20, 99));
        assert_eq!([0, 1, 2].map(|rank| ranks.peer(0, 10, rank)), [Some(20), Some(10), None]);
        assert_eq!([0, 1].map(|rank| ranks.peer(1, 21, rank)), [Some(20), None]);
        assert_eq!((ranks.peer(2, 11, 0), ranks.peer(2, 20, 0)), (Some(20), Some(10)));
        assert_eq!((ranks.peer(3, 10, 0), ranks.peer(77, 10, 0)), (None, None));
        assert_eq!(ranks.members(0, 10), Some(vec![20, 10]));
    }
}

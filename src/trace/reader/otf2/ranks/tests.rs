//! Tests of `ranks`.

use super::super::definitions::{CommDefinition, GroupDefinition, Location, MPI};
use super::*;

fn definitions() -> ArchiveDefinitions {
    let mut definitions = ArchiveDefinitions::default();
    // Two processes with two threads each; locations 10, 11 and 20, 21.
    for (id, group) in [(10, 1), (11, 1), (20, 2), (21, 2)] {
        definitions.locations.insert(id, Location { name: 0, kind: 1, events: 0, group });
    }
    let mut group = |id: u32, kind, members: &[u64]| {
        definitions.groups.insert(id, GroupDefinition { kind, paradigm: MPI, members: members.to_vec() });
    };
    group(0, GroupKind::CommLocations, &[10, 20]);
    group(1, GroupKind::CommGroup, &[1, 0]);
    group(2, GroupKind::CommSelf, &[]);
    group(3, GroupKind::CommGroup, &[0]);
    group(4, GroupKind::CommGroup, &[1]);
    group(5, GroupKind::CommGroup, &[7]);
    for (id, group, other_group) in [(0, 1, None), (1, 2, None), (2, 3, Some(4)), (3, 5, None)] {
        definitions.comms.insert(id, CommDefinition { name: 0, group, other_group });
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

#[test]
fn communicators_of_one_group_share_its_members() {
    let mut definitions = definitions();
    for id in 100..200 {
        definitions.comms.insert(id, CommDefinition { name: 0, group: 1, other_group: Some(0) });
    }
    let ranks = Ranks::new(&definitions);
    let Some(Members::Of(first, Some(other))) = ranks.comms.get(&100) else { panic!("two groups") };
    for id in 101..200 {
        let Some(Members::Of(own, Some(others))) = ranks.comms.get(&id) else { panic!("two groups") };
        assert!(Arc::ptr_eq(own, first) && Arc::ptr_eq(others, other));
    }
}

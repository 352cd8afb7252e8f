//! Groups of groups, and lists of ranks.

use std::sync::Arc;

use super::{GroupMaking, RankGroup, RankList, WORLD, ranges_of};

#[test]
fn groups_that_double_with_every_call_end_soon() {
    let mut group = Arc::new(RankGroup::new(GroupMaking::Of(WORLD)).expect("a group"));
    let mut calls = 0;
    // 3, 7, 15, 31, 63 and 127 groups to work out; 255 are too many.
    while let Some(union) = RankGroup::new(GroupMaking::Union(Arc::clone(&group), Arc::clone(&group))) {
        group = Arc::new(union);
        calls += 1;
        assert!(calls < 10, "nobody can work out a group of so many");
    }
    assert_eq!(calls, 6);
}

#[test]
fn long_chains_of_groups_end() {
    let mut group = Arc::new(RankGroup::new(GroupMaking::Of(WORLD)).expect("a group"));
    let mut calls = 0;
    while let Some(next) = RankGroup::new(GroupMaking::Excluded(Arc::clone(&group), RankList::Single(vec![0]))) {
        group = Arc::new(next);
        calls += 1;
        assert!(calls < 1000, "a chain that exhausts the stack");
    }
}

#[test]
fn ranges_end_with_their_group() {
    let within = |ranges: &[i32], size| ranges_of(ranges).expect("steps").within(size);
    assert_eq!(within(&[0, i32::MAX, 1], 3), [Some(0), Some(1), Some(2), None]);
    assert_eq!(within(&[3, 0, -2, 1, 1, 5], 4), [Some(3), Some(1), Some(1)]);
    assert_eq!(within(&[-1, 5, 1], 4), [None]);
    assert_eq!(within(&[2, 1, 1], 4), []);
    assert!(ranges_of(&[0, 5, 0]).is_none());
    assert_eq!(RankList::Single(vec![2, -1, 0, 9]).within(3), [Some(2), None, Some(0), None]);
}

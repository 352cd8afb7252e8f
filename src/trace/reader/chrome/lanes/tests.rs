//! Tests of `lanes`.

use hashbrown::HashMap;

use super::*;
use proptest::prelude::*;

#[test]
fn what_does_not_nest_goes_to_another_lane() {
    let mut lanes = SliceLanes::default();
    assert_eq!(lanes.open_complete(0, 10, 0).lane, 0);
    assert_eq!(lanes.open_complete(0, 5, 1).lane, 0);
    assert_eq!(lanes.open_complete(0, 12, 2).lane, 1);
    assert_eq!(lanes.open_complete(0, 10, 3).lane, 1);
    assert_eq!(lanes.innermost(0), Some(3));
    let ends: Vec<(i64, usize)> =
        std::iter::from_fn(|| lanes.next_due(11)).map(|due| (due.end, due.lane.lane)).collect();
    assert_eq!(ends, [(5, 0), (10, 1), (10, 0)]);
    assert_eq!(lanes.open_complete(0, 20, 4).lane, 0);
}

#[test]
fn an_end_takes_what_is_open_inside_it() {
    let mut lanes = SliceLanes::default();
    lanes.open_begin(7, 0);
    lanes.open_complete(7, 10, 1);
    assert_eq!(lanes.end(7), Some(2));
    assert_eq!(lanes.next_due(100), None);
    assert_eq!((lanes.end(7), lanes.end(8)), (None, None));
    lanes.open_complete(7, 10, 2);
    lanes.open_begin(7, 3);
    assert_eq!(lanes.next_due(10).map(|due| due.count), Some(2));
}

proptest! {
    /// Slices of a lane nest, and every slice ends once, at its own end.
    #[test]
    fn lanes_nest(slices in prop::collection::vec((0_i64..30, 0_i64..12), 0..40)) {
        let mut slices: Vec<(i64, i64)> = slices.into_iter().map(|(start, length)| (start, start + length)).collect();
        slices.sort_by_key(|(start, end)| (*start, -end));
        let mut lanes = SliceLanes::default();
        let mut stacks: HashMap<SliceLane, Vec<i64>> = HashMap::new();
        let mut ended = vec![];
        let mut pop = |due: DueEnd, stacks: &mut HashMap<SliceLane, Vec<i64>>| {
            let end = stacks.get_mut(&due.lane).and_then(Vec::pop);
            assert_eq!((end, due.count), (Some(due.end), 1));
            ended.push(due.end);
        };
        for (start, end) in &slices {
            while let Some(due) = lanes.next_due(*start) {
                pop(due, &mut stacks);
            }
            stacks.entry(lanes.open_complete(0, *end, 0)).or_default().push(*end);
        }
        while let Some(due) = lanes.next_due(i64::MAX) {
            pop(due, &mut stacks);
        }
        let mut expected: Vec<i64> = slices.iter().map(|(_, end)| *end).collect();
        expected.sort_unstable();
        prop_assert_eq!(ended, expected);
    }
}

/// As slow and obvious as it can be: lanes are tried one after the other.
fn first_lane(stacks: &mut Vec<Vec<(i64, i64)>>, start: i64, end: i64) -> usize {
    for stack in stacks.iter_mut() {
        while stack.last().is_some_and(|(_, end)| *end <= start) {
            stack.pop();
        }
    }
    let fits = |stack: &Vec<(i64, i64)>| stack.last().is_none_or(|(_, outer)| *outer >= end);
    let lane = stacks.iter().position(fits).unwrap_or(stacks.len());
    if lane == stacks.len() {
        stacks.push(vec![]);
    }
    stacks[lane].push((start, end));
    lane
}

proptest! {
    #[test]
    fn slices_go_to_the_first_lane_that_fits(slices in prop::collection::vec((0_i64..60, 1_i64..40), 0..80)) {
        let mut slices: Vec<(i64, i64)> = slices.into_iter().map(|(start, length)| (start, start + length)).collect();
        slices.sort_by_key(|(start, end)| (*start, -end));
        let (mut lanes, mut stacks) = (SliceLanes::default(), vec![]);
        for (start, end) in slices {
            while lanes.next_due(start).is_some() {}
            prop_assert_eq!(lanes.open_complete(0, end, 0).lane, first_lane(&mut stacks, start, end));
        }
    }
}

/// The nodes that `count` slices look at of which none nests in another.
fn steps_of_crossing_slices(count: i64) -> u64 {
    let mut lanes = SliceLanes::default();
    for start in 0..count {
        lanes.next_due(start);
        assert_eq!(lanes.open_complete(0, start + count, 0).lane, start as usize);
        lanes.innermost(0);
    }
    while lanes.next_due(i64::MAX).is_some() {}
    assert_eq!(lanes.innermost(0), None);
    lanes.open[0].room.steps
}

#[test]
fn crossing_slices_cost_little_more_than_their_number() {
    let (one, two) = (steps_of_crossing_slices(20_000), steps_of_crossing_slices(40_000));
    assert!(two < 3 * one, "{one} and {two}");
}

//! Tests of `lanes`.

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

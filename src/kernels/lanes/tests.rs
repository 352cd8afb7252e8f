//! Tests of `lanes`.

use proptest::prelude::*;

use super::*;

fn fast(lifetimes: &[(i64, i64)]) -> (Vec<u32>, u32) {
    let mut lanes = LaneAllocator::default();
    let placed = lifetimes.iter().map(|&(start, end)| lanes.place(start, end, u32::MAX).expect("a lane")).collect();
    (placed, lanes.lanes)
}

/// Whether two lifetimes need two lanes.
fn overlap(one: (i64, i64), other: (i64, i64)) -> bool {
    // An instant is drawn as a half-open interval of half a tick.
    let widen = |(start, end): (i64, i64)| (2 * start, if end > start { 2 * end } else { 2 * start + 1 });
    let ((a, b), (c, d)) = (widen(one), widen(other));
    a < d && c < b
}

/// Tries lanes from the lowest, and looks at all that lie in it.
fn slow(lifetimes: &[(i64, i64)]) -> Vec<u32> {
    let mut placed: Vec<u32> = vec![];
    for (index, &lifetime) in lifetimes.iter().enumerate() {
        let is_free =
            |lane: &u32| (0..index).all(|other| placed[other] != *lane || !overlap(lifetimes[other], lifetime));
        placed.push((0..).find(is_free).expect("a lane above all"));
    }
    placed
}

/// How many lifetimes overlap at most: the largest set alive at a start.
fn most_at_once(lifetimes: &[(i64, i64)]) -> u32 {
    let alive = |&(start, _): &(i64, i64)| lifetimes.iter().filter(|other| overlap(**other, (start, start))).count();
    lifetimes.iter().map(alive).max().unwrap_or(0) as u32
}

#[test]
fn the_drawing_of_the_head() {
    assert_eq!(fast(&[(0, 4), (1, 4), (2, 8), (4, 7), (6, 8)]), (vec![0, 1, 2, 0, 1], 3));
}

#[test]
fn touching_lifetimes_share() {
    assert_eq!(fast(&[(0, 5), (5, 9), (9, 9), (9, 12)]), (vec![0, 0, 0, 1], 2));
    assert_eq!(fast(&[]), (vec![], 0));
}

#[test]
fn instants_take_their_instant() {
    assert_eq!(fast(&[(3, 3), (3, 3), (3, 5), (5, 5)]), (vec![0, 1, 2, 0], 3));
    assert_eq!(fast(&[(i64::MAX, i64::MAX), (i64::MAX, i64::MAX)]), (vec![0, 1], 2));
}

#[test]
fn no_more_lanes_than_are_allowed() {
    let mut lanes = LaneAllocator::default();
    let placed = [(0, 4), (1, 9), (2, 8), (4, 7)].map(|(start, end)| lanes.place(start, end, 2));
    assert_eq!(placed, [Some(0), Some(1), None, Some(0)]);
}

#[test]
fn a_million_lifetimes() {
    let lifetimes: Vec<(i64, i64)> = (0..1_000_000).map(|start| (start, start + 1000)).collect();
    assert_eq!(fast(&lifetimes).1, 1000);
}

proptest! {
    #[test]
    fn lanes_are_right_and_few(rows in prop::collection::vec((0_i64..30, 0_i64..10), 0..40)) {
        let mut lifetimes: Vec<(i64, i64)> = rows.into_iter().map(|(start, length)| (start, start + length)).collect();
        lifetimes.sort_by_key(|lifetime| lifetime.0);
        let (placed, lanes) = fast(&lifetimes);
        prop_assert_eq!(&placed, &slow(&lifetimes));
        for (index, one) in lifetimes.iter().enumerate() {
            for (other_index, other) in lifetimes.iter().enumerate().skip(index + 1) {
                prop_assert!(placed[index] != placed[other_index] || !overlap(*one, *other));
            }
        }
        prop_assert_eq!(lanes, most_at_once(&lifetimes));
    }
}

//! The smallest set of lanes for lifetimes: those that do not overlap share one.
//!
//! In: lifetimes in the order of their starts. Out: the lane of each, counted from 0.
//!
//! ```text
//!  A  ####......        lane 0  AAAADDD...
//!  B  .###......   =    lane 1  .BBB..EE..
//!  C  ..######..        lane 2  ..CCCCCC..
//!  D  ....###...
//!  E  ......##..
//! ```
//! Each takes the lowest lane that is free at its start. A lane is added only when all others are
//! taken at that instant, so there are as many as lifetimes at most overlap. Cost: O(log lanes) each.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a lane is free again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Free {
    time: i64,
    /// A lifetime without length still takes its instant.
    is_just_after: bool,
}

/// Gives lanes to lifetimes.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    /// Lanes in use, the one that is free first at the top.
    taken: BinaryHeap<Reverse<(Free, u32)>>,
    /// Lanes not in use, the lowest at the top.
    free: BinaryHeap<Reverse<u32>>,
    lanes: u32,
}

impl Lanes {
    /// The lane of `[start, end)`. No later call may have an earlier start. An end that is not after
    /// the start makes an instant, which shares its lane with nothing that covers it.
    pub fn place(&mut self, start: i64, end: i64) -> u32 {
        let now = Free { time: start, is_just_after: false };
        while let Some(Reverse((free, lane))) = self.taken.peek().copied() {
            if free > now {
                break;
            }
            self.taken.pop();
            self.free.push(Reverse(lane));
        }
        let lane = match self.free.pop() {
            Some(Reverse(lane)) => lane,
            None => {
                self.lanes += 1;
                self.lanes - 1
            }
        };
        let free = if end > start { Free { time: end, ..now } } else { Free { is_just_after: true, ..now } };
        self.taken.push(Reverse((free, lane)));
        lane
    }

    /// How many lanes there are.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fast(lifetimes: &[(i64, i64)]) -> (Vec<u32>, u32) {
        let mut lanes = Lanes::default();
        let placed = lifetimes.iter().map(|&(start, end)| lanes.place(start, end)).collect();
        (placed, lanes.lanes())
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
        let alive =
            |&(start, _): &(i64, i64)| lifetimes.iter().filter(|other| overlap(**other, (start, start))).count();
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
}

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

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a lane is free again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FreeLane {
    time: i64,
    /// A lifetime without length still takes its instant.
    is_just_after: bool,
}

/// Gives lanes to lifetimes.
#[derive(Debug, Clone, Default)]
pub struct LaneAllocator {
    /// Lanes in use, the one that is free first at the top.
    taken: BinaryHeap<Reverse<(FreeLane, u32)>>,
    /// Lanes not in use, the lowest at the top.
    free: BinaryHeap<Reverse<u32>>,
    lanes: u32,
}

impl LaneAllocator {
    /// The lane of `[start, end)`. No later call may have an earlier start. An end that is not after
    /// the start makes an instant, which shares its lane with nothing that covers it.
    ///
    /// `None` when it takes more than `most` lanes, or when there is no memory for one more.
    pub fn place(&mut self, start: i64, end: i64, most: u32) -> Option<u32> {
        let now = FreeLane { time: start, is_just_after: false };
        while let Some(Reverse((free, lane))) = self.taken.peek().copied() {
            if free > now {
                break;
            }
            self.taken.pop();
            self.free.try_reserve(1).ok()?;
            self.free.push(Reverse(lane));
        }
        let lane = match self.free.pop() {
            Some(Reverse(lane)) => lane,
            None if self.lanes >= most => return None,
            None => {
                self.lanes += 1;
                self.lanes - 1
            }
        };
        let free = if end > start { FreeLane { time: end, ..now } } else { FreeLane { is_just_after: true, ..now } };
        self.taken.try_reserve(1).ok()?;
        self.taken.push(Reverse((free, lane)));
        Some(lane)
    }
}

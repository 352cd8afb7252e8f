//! Where phases begin, from the times of messages as they come: no message is kept.
//!
//! The merges of [`phases`](super::phases) in one walk over ascending times. A cut into q phases undoes the last q - 1
//! merges, in the order of their distances; so of the merges found so far only the q - 1 farthest are kept. What is
//! held are these and the stack of the walk.
//!
//! ```text
//!  stack    0.5    5.25  9.0     distances shrink to the right
//!  next                      9.5 closer to 9.0 than that is to 5.25: waits on the stack for what comes
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The boundaries of phases so far.
#[derive(Debug, Clone, Default)]
pub struct PhaseBoundaries {
    /// How many boundaries are wanted.
    wanted: usize,
    /// Twice the time of the first message.
    first: i128,
    messages: u64,
    merges: u64,
    stack: Vec<OpenCluster>,
    /// Used within [`PhaseBoundaries::place`] only.
    waiting: Vec<OpenCluster>,
    /// The farthest merges, the nearest of them on top.
    farthest: BinaryHeap<Reverse<KeptMerge>>,
}

/// A cluster whose neighbors are not known yet.
#[derive(Debug, Clone, Copy)]
struct OpenCluster {
    representative: f64,
    /// Its first message.
    slot: u64,
    /// The largest distance of the merges in it.
    rank: f64,
}

/// A merge, in the order in which merges happen: by distance, then by place in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct KeptMerge {
    /// Bits of a number that is not negative: they are in the same order as the numbers.
    rank: u64,
    left: u64,
    found: u64,
    /// The first message of the right one.
    boundary: u64,
}

impl PhaseBoundaries {
    /// For a cut into a number of phases, or into single messages if there are fewer.
    pub fn new(phases: usize) -> PhaseBoundaries {
        PhaseBoundaries { wanted: phases.max(1) - 1, ..PhaseBoundaries::default() }
    }

    /// Adds a message by twice its time, which must not be before that of the message before.
    pub fn add(&mut self, twice_middle: i128) {
        if self.messages == 0 {
            self.first = twice_middle;
        }
        let representative = (twice_middle - self.first) as f64 / 2.0;
        self.place(OpenCluster { representative, slot: self.messages, rank: 0.0 });
        self.messages += 1;
    }

    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// Numbers of the messages that begin a phase, but for the first message; ascending.
    pub fn finish(mut self) -> Vec<u64> {
        while let Some(merged) = self.merge_last() {
            self.place(merged);
        }
        let mut found: Vec<u64> = self.farthest.into_iter().map(|Reverse(merge)| merge.boundary).collect();
        found.sort_unstable();
        found
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        (self.stack.capacity() + self.waiting.capacity()) * size_of::<OpenCluster>()
            + self.farthest.capacity() * size_of::<KeptMerge>()
    }

    /// Puts the next cluster to the right of the others. Who is closer to each other than to it, is merged before.
    fn place(&mut self, cluster: OpenCluster) {
        self.waiting.push(cluster);
        while let Some(next) = self.waiting.pop() {
            match self.stack.as_slice() {
                [.., one, other] if distance(one, other) <= distance(other, &next) => {
                    let merged = self.merge_last();
                    self.waiting.push(next);
                    self.waiting.extend(merged);
                }
                _ => self.stack.push(next),
            }
        }
    }

    /// Takes the last two from the stack, and gives what they become; `None` when there are no two.
    fn merge_last(&mut self) -> Option<OpenCluster> {
        let [.., left, right] = *self.stack.as_slice() else { return None };
        self.stack.truncate(self.stack.len() - 2);
        // A merge comes after those that made its parts, also where rounding has made its distance no larger.
        let rank = distance(&left, &right).max(left.rank).max(right.rank);
        let merge = KeptMerge { rank: rank.to_bits(), left: left.slot, found: self.merges, boundary: right.slot };
        self.merges += 1;
        self.keep(merge);
        Some(OpenCluster {
            representative: f64::midpoint(left.representative, right.representative),
            slot: left.slot,
            rank,
        })
    }

    fn keep(&mut self, merge: KeptMerge) {
        if self.farthest.len() < self.wanted {
            self.farthest.push(Reverse(merge));
        } else if let Some(mut nearest) = self.farthest.peek_mut()
            && nearest.0 < merge
        {
            *nearest = Reverse(merge);
        }
    }
}

fn distance(one: &OpenCluster, other: &OpenCluster) -> f64 {
    (other.representative - one.representative).max(0.0)
}

/// Counts messages, and knows the phase of each.
#[derive(Debug, Clone, Default)]
pub struct PhaseCursor {
    boundaries: Vec<u64>,
    phase: usize,
    /// Messages so far.
    messages: u64,
}

impl PhaseCursor {
    /// Begins with the first message. `boundaries` are those of [`PhaseBoundaries::finish`].
    pub fn new(boundaries: Vec<u64>) -> PhaseCursor {
        PhaseCursor { boundaries, phase: 0, messages: 0 }
    }

    /// The phase of the next message.
    pub fn advance(&mut self) -> usize {
        while self.boundaries.get(self.phase).is_some_and(|boundary| *boundary <= self.messages) {
            self.phase += 1;
        }
        self.messages += 1;
        self.phase
    }

    /// Begins again.
    pub fn rewind(&mut self) {
        (self.phase, self.messages) = (0, 0);
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.boundaries.capacity() * size_of::<u64>()
    }
}

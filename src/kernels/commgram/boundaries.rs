//! Where phases begin, from the times of messages as they come: no message is kept.
//!
//! A cut into q phases undoes the last q - 1 merges; so of the merges that a [walk](super::walk) has found only these are
//! kept, and the stack of the walk.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::walk::{MergeRank, NeighborMerge, NeighborWalk};

/// The boundaries of phases so far.
#[derive(Debug, Clone, Default)]
pub struct PhaseBoundaries {
    walk: NeighborWalk<()>,
    farthest: FarthestMerges,
}

/// The rank of a merge, and the first message of the right one.
type KeptMerge = (MergeRank, u64);

/// The last merges of those that were found.
#[derive(Debug, Clone, Default)]
struct FarthestMerges {
    /// How many boundaries are wanted.
    wanted: usize,
    /// By their ranks, the nearest on top.
    kept: BinaryHeap<Reverse<KeptMerge>>,
}

impl FarthestMerges {
    fn keep(&mut self, merge: &NeighborMerge<()>) {
        let merge = Reverse((merge.rank(), merge.right.slot));
        if self.kept.len() < self.wanted {
            self.kept.push(merge);
        } else if let Some(mut nearest) = self.kept.peek_mut()
            && nearest.0 < merge.0
        {
            *nearest = merge;
        }
    }
}

impl PhaseBoundaries {
    /// For a cut into a number of phases, or into single messages if there are fewer.
    pub fn new(phases: usize) -> PhaseBoundaries {
        let farthest = FarthestMerges { wanted: phases.max(1) - 1, kept: BinaryHeap::new() };
        PhaseBoundaries { walk: NeighborWalk::default(), farthest }
    }

    /// Adds a message by twice its time, which must not be before that of the message before.
    pub fn add(&mut self, twice_middle: i128) {
        let farthest = &mut self.farthest;
        self.walk.add(twice_middle, (), &mut |merge| farthest.keep(&merge));
    }

    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        self.walk.messages()
    }

    /// Numbers of the messages that begin a phase, but for the first message; ascending.
    pub fn finish(mut self) -> Vec<u64> {
        let farthest = &mut self.farthest;
        self.walk.finish(&mut |merge| farthest.keep(&merge));
        let mut found: Vec<u64> = self.farthest.kept.into_iter().map(|Reverse((_, boundary))| boundary).collect();
        found.sort_unstable();
        found
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.walk.bytes() + self.farthest.kept.capacity() * size_of::<KeptMerge>()
    }
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

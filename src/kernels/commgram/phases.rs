//! Temporal clustering: messages that are close in time become phases.
//!
//! ```text
//!  time     0 1   4 5 6        each message is a cluster of its own
//!  step 1   0.5   4 5 6        always the two closest neighbours; of equals, the earlier pair
//!  step 2   0.5   4.5 6        a merged cluster stands at the mean of the two
//!  step 3   0.5   5.25
//!  step 4   2.875
//! ```
//! In: representative times in ascending order. Out: the merges, and cuts of them. A merged cluster is farther
//! from its neighbours than its parts were, so distances never shrink, and a cut into q clusters leaves
//! the last q - 1 merges out. O(n log n): a heap over pairs of neighbours.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Two neighbouring clusters that become one.
///
/// The clusters of single messages are numbered from 0 in the order of time; then the one of each merge gets the
/// next number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    pub left: usize,
    pub right: usize,
    /// Time that stands for the new cluster.
    pub representative: f64,
    /// How far the two were apart.
    pub distance: f64,
    /// The first message of the right one.
    pub boundary: usize,
}

/// Merges neighbours until one cluster is left. `times` are finite and ascend.
pub fn merges(times: &[f64]) -> Vec<Merge> {
    let mut clusters = Clusters::new(times);
    let mut pairs: BinaryHeap<Reverse<Pair>> = (1..times.len()).map(|slot| Reverse(clusters.pair(slot - 1, slot))).collect();
    let mut merges = Vec::with_capacity(times.len().saturating_sub(1));
    while let Some(Reverse(pair)) = pairs.pop() {
        if clusters.is_current(&pair) {
            merges.push(clusters.merge(&pair, times.len() + merges.len()));
            let slot = pair.slot as usize;
            if let Some(before) = clusters.before(slot) {
                pairs.push(Reverse(clusters.pair(before, slot)));
            }
            if let Some(after) = clusters.after(slot) {
                pairs.push(Reverse(clusters.pair(slot, after)));
            }
        }
    }
    merges
}

/// The phase of each message when its merges are cut into `phases`, or into single messages if there are fewer.
pub fn cut(messages: usize, merges: &[Merge], phases: usize) -> Vec<u32> {
    let mut begins_phase = vec![true; messages];
    for merge in merges.iter().take(messages.saturating_sub(phases.max(1))) {
        begins_phase[merge.boundary] = false;
    }
    let mut begun = 0;
    let number = |begins: bool| {
        begun += u32::from(begins);
        begun - 1
    };
    begins_phase.into_iter().map(number).collect()
}

/// Two neighbours, in the order in which they are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    /// Bits of the distance: those of numbers that are not negative are in the same order as the numbers.
    distance: u64,
    /// The first message of the left one.
    slot: u32,
    left: u32,
    right: u32,
}

/// The clusters of now. Each has the slot of its first message.
struct Clusters {
    numbers: Vec<u32>,
    representatives: Vec<f64>,
    /// First slot of the cluster behind; the number of slots for the last one.
    next: Vec<u32>,
    /// First slot of the cluster in front; of the first one, itself.
    previous: Vec<u32>,
}

impl Clusters {
    fn new(times: &[f64]) -> Clusters {
        let count = times.len() as u32;
        Clusters {
            numbers: (0..count).collect(),
            representatives: times.to_vec(),
            next: (1..=count).collect(),
            previous: (0..count).map(|slot| slot.saturating_sub(1)).collect(),
        }
    }

    fn pair(&self, left: usize, right: usize) -> Pair {
        let distance = (self.representatives[right] - self.representatives[left]).max(0.0);
        Pair { distance: distance.to_bits(), slot: left as u32, left: self.numbers[left], right: self.numbers[right] }
    }

    fn before(&self, slot: usize) -> Option<usize> {
        (slot > 0).then(|| self.previous[slot] as usize)
    }

    fn after(&self, slot: usize) -> Option<usize> {
        let after = self.next[slot] as usize;
        (after < self.numbers.len()).then_some(after)
    }

    /// Whether neither of the two has been merged since. A slot that was swallowed keeps no number.
    fn is_current(&self, pair: &Pair) -> bool {
        let slot = pair.slot as usize;
        self.numbers[slot] == pair.left && self.after(slot).is_some_and(|after| self.numbers[after] == pair.right)
    }

    fn merge(&mut self, pair: &Pair, number: usize) -> Merge {
        let (left, right) = (pair.slot as usize, self.next[pair.slot as usize] as usize);
        let representative = f64::midpoint(self.representatives[left], self.representatives[right]);
        self.representatives[left] = representative;
        self.numbers[left] = number as u32;
        self.numbers[right] = u32::MAX;
        self.next[left] = self.next[right];
        if let Some(after) = self.after(left) {
            self.previous[after] = left as u32;
        }
        Merge {
            left: pair.left as usize,
            right: pair.right as usize,
            representative,
            distance: f64::from_bits(pair.distance),
            boundary: right,
        }
    }
}

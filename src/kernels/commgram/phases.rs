//! Temporal clustering: messages that are close in time become phases.
//!
//! ```text
//!  time     0 1   4 5 6        each message is a cluster of its own
//!  step 1   0.5   4 5 6        always the two closest neighbors; of equals, the earlier pair
//!  step 2   0.5   4.5 6        a merged cluster stands at the mean of the two
//!  step 3   0.5   5.25
//!  step 4   2.875
//! ```
//! In: representative times in ascending order. Out: the merges, and cuts of them.
//!
//! A merged cluster is farther from its neighbors than its parts were. So two neighbors that are closer to each other than
//! to anyone else stay so until they are merged, whatever else is merged before: one walk from left to right over a
//! stack finds all merges, and sorting them by distance gives their order. A cut into q clusters leaves the last q - 1
//! out. O(n log n), for the sorting; a heap over pairs of neighbors costs the same, and twelve times the time.

/// Two neighboring clusters that become one.
///
/// The clusters of single messages are numbered from 0 in the order of time; then the one of each merge gets the
/// next number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseMerge {
    /// The cluster on the left.
    pub left: usize,
    /// The cluster on the right.
    pub right: usize,
    /// Time that stands for the new cluster.
    pub representative: f64,
    /// How far the two were apart.
    pub distance: f64,
    /// The first message of the right one.
    pub boundary: usize,
}

/// Merges neighbors until one cluster is left. `times` are finite and ascend.
pub fn merges(times: &[f64]) -> Vec<PhaseMerge> {
    let mut walk = ClusterWalk::default();
    for (slot, time) in times.iter().enumerate() {
        walk.add(PhaseCluster { representative: *time, slot: slot as u32, made_by: None });
    }
    walk.finish();
    walk.in_order(times.len())
}

/// The phase of each message when its merges are cut into `phases`, or into single messages if there are fewer.
pub fn cut(messages: usize, merges: &[PhaseMerge], phases: usize) -> Vec<u32> {
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

/// A cluster of neighbors.
#[derive(Debug, Clone, Copy)]
struct PhaseCluster {
    representative: f64,
    /// Its first message.
    slot: u32,
    /// The merge that made it; `None` for a single message.
    made_by: Option<u32>,
}

/// A merge, in the order in which the walk finds them.
#[derive(Debug, Clone, Copy)]
struct FoundMerge {
    left: PhaseCluster,
    right: PhaseCluster,
    representative: f64,
}

/// Clusters from left to right, each pair of neighbors closer to each other than the pair before.
#[derive(Debug, Default)]
struct ClusterWalk {
    stack: Vec<PhaseCluster>,
    found: Vec<FoundMerge>,
}

impl ClusterWalk {
    /// Adds the next cluster at the right. Who is closer to each other than to it, is merged before.
    fn add(&mut self, cluster: PhaseCluster) {
        let mut waiting = vec![cluster];
        while let Some(next) = waiting.pop() {
            match self.stack.as_slice() {
                [.., one, other] if distance(one, other) <= distance(other, &next) => {
                    let merged = self.merge_last();
                    waiting.push(next);
                    waiting.extend(merged);
                }
                _ => self.stack.push(next),
            }
        }
    }

    /// Nothing comes any more: merges from the right.
    fn finish(&mut self) {
        while let Some(merged) = self.merge_last() {
            self.add(merged);
        }
    }

    /// Takes the last two from the stack, and gives what they become; `None` when there are no two.
    fn merge_last(&mut self) -> Option<PhaseCluster> {
        let [.., left, right] = *self.stack.as_slice() else { return None };
        self.stack.truncate(self.stack.len() - 2);
        let representative = f64::midpoint(left.representative, right.representative);
        self.found.push(FoundMerge { left, right, representative });
        Some(PhaseCluster { representative, slot: left.slot, made_by: Some(self.found.len() as u32 - 1) })
    }

    /// The merges in the order of their distances; of equals, the earlier pair.
    fn in_order(self, messages: usize) -> Vec<PhaseMerge> {
        // A merge comes after those that made its parts, also where rounding has made its distance no larger.
        let mut ranks: Vec<f64> = Vec::with_capacity(self.found.len());
        for merge in &self.found {
            let before =
                [merge.left, merge.right].into_iter().filter_map(|part| part.made_by).map(|made| ranks[made as usize]);
            ranks.push(before.fold(distance(&merge.left, &merge.right), f64::max));
        }
        // The bits of numbers that are not negative are in the same order as the numbers.
        let rank = |(place, merge): (usize, &FoundMerge)| (ranks[place].to_bits(), merge.left.slot, place as u32);
        let mut order: Vec<(u64, u32, u32)> = self.found.iter().enumerate().map(rank).collect();
        order.sort_unstable();
        let mut numbers = vec![0; self.found.len()];
        for (step, (_, _, place)) in order.iter().enumerate() {
            numbers[*place as usize] = messages + step;
        }
        let number =
            |cluster: &PhaseCluster| cluster.made_by.map_or(cluster.slot as usize, |made| numbers[made as usize]);
        let merge = |(_, _, place): (u64, u32, u32)| {
            let FoundMerge { left, right, representative } = self.found[place as usize];
            PhaseMerge {
                left: number(&left),
                right: number(&right),
                representative,
                distance: distance(&left, &right),
                boundary: right.slot as usize,
            }
        };
        order.into_iter().map(merge).collect()
    }
}

fn distance(one: &PhaseCluster, other: &PhaseCluster) -> f64 {
    (other.representative - one.representative).max(0.0)
}

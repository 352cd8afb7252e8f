//! The merges of [`phases`](super::phases) in one walk over messages as they come: no message is kept.
//!
//! ```text
//!  stack    0.5    5.25  9.0     distances shrink to the right
//!  next                      9.5 closer to 9.0 than that is to 5.25: waits on the stack for what comes
//! ```
//! Merges are found in another order than that in which they happen; their ranks say which.

/// Adds up what clusters hold.
pub trait ClusterContent: Copy {
    /// What a merge of both holds; `number` is that of the merge, in the order in which they are found.
    #[must_use]
    fn merged(self, other: Self, number: u64) -> Self;
}

impl ClusterContent for () {
    fn merged(self, (): (), _number: u64) {}
}

/// Neighboring messages.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OpenCluster<C> {
    /// Time that stands for them, in ticks after the first message of all.
    pub representative: f64,
    /// Number of the first of them.
    pub slot: u64,
    /// What they hold.
    pub content: C,
    /// The largest distance of the merges in it.
    rank: f64,
}

/// The place of a merge in the order in which merges happen: bits of its distance, first message, and number.
pub type MergeRank = (u64, u64, u64);

/// Two neighbors that become one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeighborMerge<C> {
    /// The one on the left.
    pub left: OpenCluster<C>,
    /// The one on the right.
    pub right: OpenCluster<C>,
    /// What they become.
    pub merged: OpenCluster<C>,
    /// How many were found before it.
    pub number: u64,
}

impl<C> NeighborMerge<C> {
    /// How far the two are apart, in ticks.
    pub fn distance(&self) -> f64 {
        distance(&self.left, &self.right)
    }

    /// Its place in the order in which merges happen: by distance, then by place in time. A merge comes after those that
    /// made its parts, also where rounding has made its distance no larger.
    pub fn rank(&self) -> MergeRank {
        // The bits of numbers that are not negative are in the same order as the numbers.
        (self.merged.rank.to_bits(), self.left.slot, self.number)
    }
}

/// A walk under way: clusters whose neighbors are not known yet.
#[derive(Debug, Clone, Default)]
pub struct NeighborWalk<C> {
    /// Twice the time of the first message.
    first: i128,
    messages: u64,
    merges: u64,
    stack: Vec<OpenCluster<C>>,
    /// Used within [`NeighborWalk::place`] only.
    waiting: Vec<OpenCluster<C>>,
}

impl<C: ClusterContent> NeighborWalk<C> {
    /// Adds a message by twice its time, which must not be before that of the message before.
    pub fn add(&mut self, twice_middle: i128, content: C, give: &mut impl FnMut(NeighborMerge<C>)) {
        if self.messages == 0 {
            self.first = twice_middle;
        }
        let representative = (twice_middle - self.first) as f64 / 2.0;
        self.place(OpenCluster { representative, slot: self.messages, content, rank: 0.0 }, give);
        self.messages += 1;
    }

    /// Nothing comes any more: merges from the right until one cluster is left.
    pub fn finish(&mut self, give: &mut impl FnMut(NeighborMerge<C>)) {
        while let Some(merged) = self.merge_last(give) {
            self.place(merged, give);
        }
    }

    /// How many messages there are.
    pub fn messages(&self) -> u64 {
        self.messages
    }

    /// The time of the first message, in ticks.
    pub fn first(&self) -> f64 {
        self.first as f64 / 2.0
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        (self.stack.capacity() + self.waiting.capacity()) * size_of::<OpenCluster<C>>()
    }

    /// Puts the next cluster to the right of the others. Who is closer to each other than to it, is merged before.
    fn place(&mut self, cluster: OpenCluster<C>, give: &mut impl FnMut(NeighborMerge<C>)) {
        self.waiting.push(cluster);
        while let Some(next) = self.waiting.pop() {
            match self.stack.as_slice() {
                [.., one, other] if distance(one, other) <= distance(other, &next) => {
                    let merged = self.merge_last(give);
                    self.waiting.push(next);
                    self.waiting.extend(merged);
                }
                _ => self.stack.push(next),
            }
        }
    }

    /// Takes the last two from the stack, and gives what they become; `None` when there are no two.
    fn merge_last(&mut self, give: &mut impl FnMut(NeighborMerge<C>)) -> Option<OpenCluster<C>> {
        let [.., left, right] = *self.stack.as_slice() else { return None };
        self.stack.truncate(self.stack.len() - 2);
        let merged = OpenCluster {
            representative: f64::midpoint(left.representative, right.representative),
            slot: left.slot,
            content: left.content.merged(right.content, self.merges),
            rank: distance(&left, &right).max(left.rank).max(right.rank),
        };
        give(NeighborMerge { left, right, merged, number: self.merges });
        self.merges += 1;
        Some(merged)
    }
}

fn distance<C>(one: &OpenCluster<C>, other: &OpenCluster<C>) -> f64 {
    (other.representative - one.representative).max(0.0)
}

//! Community detection: who exchanges much belongs together (Clauset, Newman and Moore's greedy modularity).
//!
//! ```text
//!  modularity   Q = sum over communities of  inside / D - (degree / D)^2
//!  merge i, j   gain = 2 (between / D - degree_i degree_j / D^2)         D = sum of all degrees
//! ```
//! In: weights between nodes, whole numbers, so that gains are compared exactly. Out: merges down to one
//! community, and cuts of them. Always the pair with the largest gain, among those that exchange anything; of equals,
//! that of the smaller node. When no two exchange anything, the two with the smallest degrees. A community goes by the
//! smallest of its nodes.
//!
//! One heap holds all pairs. When a community grows, what it would gain with neighbors that it knew already only
//! shrinks: their pairs stay in the heap, too high, and are put right when they come to the top. Pairs whose
//! weight grows are added anew; the smaller list of neighbors is moved, so that there are m log n of them for m edges.
//! About O(m log^2 n).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// Weights between nodes, without direction; pairs may come more than once, and from a node to itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommunityGraph {
    /// How many nodes there are.
    pub nodes: usize,
    /// Pairs of nodes with the weight between them.
    pub edges: Vec<(u32, u32, u64)>,
}

/// Two communities that become one: `left`, the smaller, stands for both from now on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CommunityMerge {
    /// The community that stays.
    pub left: u32,
    /// The community that ends.
    pub right: u32,
    /// What the merge adds to the modularity.
    pub gain: f64,
    /// The modularity after it.
    pub modularity: f64,
}

/// All merges of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeTree {
    /// How many nodes the graph has.
    pub nodes: usize,
    /// Modularity when every node is a community.
    pub modularity: f64,
    /// The merges in their order.
    pub merges: Vec<CommunityMerge>,
    /// How many merges give the largest modularity; the fewest, if several do.
    pub best: usize,
}

/// Where the merges are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommunityCut {
    /// Into a number of communities, or into single nodes if there are fewer.
    Communities(usize),
    /// Where the modularity is largest.
    LargestModularity,
}

/// Merges communities until one is left.
///
/// The sum of all weights must be below 2^61.
pub fn tree(graph: &CommunityGraph) -> MergeTree {
    let mut communities = Communities::new(graph);
    let mut found = GrowingTree::new(&communities, graph.nodes);
    let mut pairs: BinaryHeap<Pair> = communities.all_pairs();
    while let Some(pair) = pairs.pop() {
        match communities.pair(pair.slots.0, pair.slots.1) {
            Some(now) if now == pair => {
                found.add(&pair);
                communities.merge(pair.slots, &mut pairs);
            }
            Some(now) => pairs.push(now),
            None => {}
        }
    }
    let mut apart: BinaryHeap<Reverse<(u64, u32)>> = communities.left_over().map(Reverse).collect();
    while let (Some(Reverse(one)), Some(Reverse(other))) = (apart.pop(), apart.pop()) {
        let (left, right) = (one.1.min(other.1), one.1.max(other.1));
        found.add(&Pair { gain: -i128::from(one.0) * i128::from(other.0), left, right, slots: (left, right) });
        apart.push(Reverse((one.0 + other.0, left)));
    }
    found.tree
}

impl MergeTree {
    /// How many merges a cut makes.
    pub fn merges_of(&self, cut: CommunityCut) -> usize {
        match cut {
            CommunityCut::Communities(count) => self.nodes.saturating_sub(count.max(1)),
            CommunityCut::LargestModularity => self.best,
        }
    }

    /// The community of each node after a number of merges, numbered from 0 in the order of their smallest nodes.
    pub fn communities(&self, merges: usize) -> Vec<u32> {
        let mut heads: Vec<u32> = (0..self.nodes as u32).collect();
        for merge in self.merges.iter().take(merges) {
            heads[merge.right as usize] = merge.left;
        }
        let mut numbers = Vec::with_capacity(self.nodes);
        let mut next = 0;
        // The head of a node is smaller than the node, so its number is known already.
        for (node, head) in heads.iter().enumerate() {
            if *head as usize == node {
                numbers.push(next);
                next += 1;
            } else {
                numbers.push(numbers[*head as usize]);
            }
        }
        numbers
    }

    /// The modularity after a number of merges.
    pub fn modularity_after(&self, merges: usize) -> f64 {
        match merges.checked_sub(1).and_then(|last| self.merges.get(last)) {
            Some(merge) => merge.modularity,
            None => self.modularity,
        }
    }
}

/// Two communities that exchange something. The largest is merged first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    /// Half of the gain, times D squared.
    gain: i128,
    left: u32,
    right: u32,
    /// Where the two are kept.
    slots: (u32, u32),
}

impl Ord for Pair {
    fn cmp(&self, other: &Pair) -> std::cmp::Ordering {
        let smaller_first = (other.left, other.right).cmp(&(self.left, self.right));
        self.gain.cmp(&other.gain).then(smaller_first).then(other.slots.cmp(&self.slots))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Pair) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The communities of now. Each is kept in the slot of one of its nodes.
struct Communities {
    /// What each exchanges with each other one.
    between: Vec<HashMap<u32, u64>>,
    degrees: Vec<u64>,
    /// The smallest node of each; `None` for a slot whose community was merged into another.
    heads: Vec<Option<u32>>,
    /// D, the sum of all degrees.
    total: u64,
    /// D squared times the modularity of single nodes.
    modularity: i128,
}

impl Communities {
    fn new(graph: &CommunityGraph) -> Communities {
        let mut between: Vec<HashMap<u32, u64>> = vec![HashMap::new(); graph.nodes];
        let mut degrees = vec![0; graph.nodes];
        let mut to_itself = 0;
        for (one, other, weight) in graph.edges.iter().copied().filter(|edge| edge.2 > 0) {
            degrees[one as usize] += weight;
            degrees[other as usize] += weight;
            if one == other {
                to_itself += weight;
            } else {
                *between[one as usize].entry(other).or_default() += weight;
                *between[other as usize].entry(one).or_default() += weight;
            }
        }
        let total: u64 = degrees.iter().sum();
        let squares: i128 = degrees.iter().map(|degree| i128::from(*degree) * i128::from(*degree)).sum();
        let modularity = 2 * i128::from(to_itself) * i128::from(total) - squares;
        Communities { between, degrees, heads: (0..graph.nodes as u32).map(Some).collect(), total, modularity }
    }

    fn degree(&self, slot: u32) -> i128 {
        i128::from(self.degrees[slot as usize])
    }

    /// The pair in two slots; `None` when they exchange nothing, or are no more.
    fn pair(&self, one: u32, other: u32) -> Option<Pair> {
        let weight = self.between[one as usize].get(&other)?;
        self.weighed(one, other, *weight)
    }

    fn weighed(&self, one: u32, other: u32, weight: u64) -> Option<Pair> {
        let (a, b) = (self.heads[one as usize]?, self.heads[other as usize]?);
        let gain = i128::from(weight) * i128::from(self.total) - self.degree(one) * self.degree(other);
        Some(Pair { gain, left: a.min(b), right: a.max(b), slots: (one.min(other), one.max(other)) })
    }

    fn all_pairs(&self) -> BinaryHeap<Pair> {
        let of_slot = |slot: u32| {
            let others = self.between[slot as usize].iter().filter(move |(other, _)| slot < **other);
            others.filter_map(move |(other, weight)| self.weighed(slot, *other, *weight))
        };
        (0..self.between.len() as u32).flat_map(of_slot).collect()
    }

    /// Puts the community with fewer neighbors to the other, and adds the pairs that change their weight.
    fn merge(&mut self, slots: (u32, u32), pairs: &mut BinaryHeap<Pair>) {
        let neighbors = |slot: u32| self.between[slot as usize].len();
        let (kept, moved) = if neighbors(slots.0) >= neighbors(slots.1) { slots } else { (slots.1, slots.0) };
        let mut list = std::mem::take(&mut self.between[moved as usize]);
        list.remove(&kept);
        self.between[kept as usize].remove(&moved);
        self.degrees[kept as usize] += self.degrees[moved as usize];
        let head = self.heads[moved as usize].take();
        self.heads[kept as usize] = self.heads[kept as usize].min(head);
        for (other, weight) in list {
            let known = &mut self.between[other as usize];
            known.remove(&moved);
            let sum = known.entry(kept).or_default();
            *sum += weight;
            let sum = *sum;
            self.between[kept as usize].insert(other, sum);
            pairs.extend(self.weighed(kept, other, sum));
        }
    }

    /// The communities that are left, with their degrees.
    fn left_over(&self) -> impl Iterator<Item = (u64, u32)> {
        self.heads.iter().zip(&self.degrees).filter_map(|(head, degree)| Some((*degree, (*head)?)))
    }
}

/// The tree as it grows.
struct GrowingTree {
    tree: MergeTree,
    /// D squared, as a divisor.
    scale: f64,
    /// D squared times the modularity: now, and the largest.
    modularity: i128,
    largest: i128,
}

impl GrowingTree {
    fn new(communities: &Communities, nodes: usize) -> GrowingTree {
        let scale = (communities.total as f64).powi(2).max(1.0);
        let modularity = communities.modularity;
        let tree =
            MergeTree { nodes, modularity: modularity as f64 / scale, merges: Vec::with_capacity(nodes), best: 0 };
        GrowingTree { tree, scale, modularity, largest: modularity }
    }

    fn add(&mut self, pair: &Pair) {
        self.modularity += 2 * pair.gain;
        let (gain, modularity) = (2.0 * pair.gain as f64 / self.scale, self.modularity as f64 / self.scale);
        self.tree.merges.push(CommunityMerge { left: pair.left, right: pair.right, gain, modularity });
        if self.modularity > self.largest {
            self.largest = self.modularity;
            self.tree.best = self.tree.merges.len();
        }
    }
}

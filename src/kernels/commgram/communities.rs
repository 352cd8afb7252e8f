//! Community detection: who exchanges much belongs together (Clauset, Newman and Moore's greedy modularity).
//!
//! ```text
//!  modularity   Q = sum over communities of  inside / D - (degree / D)^2
//!  merge i, j   gain = 2 (between / D - degree_i degree_j / D^2)         D = sum of all degrees
//! ```
//! In: weights between nodes, whole numbers, so that gains are compared exactly. Out: merges down to one
//! community, and cuts of them. Always the pair with the largest gain, among those that exchange anything; of equals,
//! that of the smaller node. When no two exchange anything, the two with the smallest degrees. A community goes by the
//! smallest of its nodes. About O(m log^2 n) for m edges: one heap over pairs, in which outdated ones stay.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use hashbrown::HashMap;

/// Weights between nodes, without direction; pairs may come more than once, and from a node to itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Graph {
    pub nodes: usize,
    pub edges: Vec<(u32, u32, u64)>,
}

/// Two communities that become one: `left`, the smaller, stands for both from now on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Merge {
    pub left: u32,
    pub right: u32,
    /// What the merge adds to the modularity.
    pub gain: f64,
    /// The modularity after it.
    pub modularity: f64,
}

/// All merges of a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    pub nodes: usize,
    /// Modularity when every node is a community.
    pub modularity: f64,
    pub merges: Vec<Merge>,
    /// How many merges give the largest modularity; the fewest, if several do.
    pub best: usize,
}

/// Where the merges are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Into so many communities, or into single nodes if there are fewer.
    Communities(usize),
    LargestModularity,
}

/// Merges communities until one is left.
///
/// The sum of all weights must be below 2^61.
pub fn tree(graph: &Graph) -> Tree {
    let mut communities = Communities::new(graph);
    let mut found = Found::new(&communities, graph.nodes);
    let mut pairs: BinaryHeap<Pair> = communities.all_pairs();
    while let Some(pair) = pairs.pop() {
        if communities.gain(pair.left, pair.right) == Some(pair.gain) {
            found.add(&pair);
            communities.merge(pair.left, pair.right);
            pairs.extend(communities.pairs_of(pair.left));
        }
    }
    let mut apart: BinaryHeap<Reverse<(u64, u32)>> = communities.left_over().map(Reverse).collect();
    while let (Some(Reverse(one)), Some(Reverse(other))) = (apart.pop(), apart.pop()) {
        let (left, right) = (one.1.min(other.1), one.1.max(other.1));
        found.add(&Pair { gain: -i128::from(one.0) * i128::from(other.0), left, right });
        apart.push(Reverse((one.0 + other.0, left)));
    }
    found.tree
}

impl Tree {
    /// How many merges a cut makes.
    pub fn merges_of(&self, cut: Cut) -> usize {
        match cut {
            Cut::Communities(count) => self.nodes.saturating_sub(count.max(1)),
            Cut::LargestModularity => self.best,
        }
    }

    /// The community of each node after so many merges, numbered from 0 in the order of their smallest nodes.
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

    /// The modularity after so many merges.
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
}

impl Ord for Pair {
    fn cmp(&self, other: &Pair) -> std::cmp::Ordering {
        let smaller_first = (other.left, other.right).cmp(&(self.left, self.right));
        self.gain.cmp(&other.gain).then(smaller_first)
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Pair) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// The communities of now.
struct Communities {
    /// What each exchanges with each other one.
    between: Vec<HashMap<u32, u64>>,
    degrees: Vec<u64>,
    /// Those that were not merged into another.
    alive: BTreeSet<u32>,
    /// D, the sum of all degrees.
    total: u64,
    /// D squared times the modularity of single nodes.
    modularity: i128,
}

impl Communities {
    fn new(graph: &Graph) -> Communities {
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
        Communities { between, degrees, alive: (0..graph.nodes as u32).collect(), total, modularity }
    }

    fn degree(&self, community: u32) -> i128 {
        i128::from(self.degrees[community as usize])
    }

    /// What merging two would add; `None` when they exchange nothing, or are no more.
    fn gain(&self, left: u32, right: u32) -> Option<i128> {
        let weight = self.between[left as usize].get(&right)?;
        Some(i128::from(*weight) * i128::from(self.total) - self.degree(left) * self.degree(right))
    }

    fn pairs_of(&self, community: u32) -> impl Iterator<Item = Pair> {
        let pair = move |(other, weight): (&u32, &u64)| {
            let gain = i128::from(*weight) * i128::from(self.total) - self.degree(community) * self.degree(*other);
            Pair { gain, left: community.min(*other), right: community.max(*other) }
        };
        self.between[community as usize].iter().map(pair)
    }

    fn all_pairs(&self) -> BinaryHeap<Pair> {
        let nodes = 0..self.between.len() as u32;
        nodes.flat_map(|node| self.pairs_of(node).filter(move |pair| pair.left == node)).collect()
    }

    /// Puts what `right` exchanges to what `left` does; the smaller of the two lists is moved.
    fn merge(&mut self, left: u32, right: u32) {
        let mut large = std::mem::take(&mut self.between[left as usize]);
        let mut small = std::mem::take(&mut self.between[right as usize]);
        large.remove(&right);
        small.remove(&left);
        // Whoever knew `right` knows `left` from now on.
        for (other, weight) in &small {
            let known = &mut self.between[*other as usize];
            known.remove(&right);
            *known.entry(left).or_default() += weight;
        }
        if small.len() > large.len() {
            std::mem::swap(&mut large, &mut small);
        }
        for (other, weight) in small {
            *large.entry(other).or_default() += weight;
        }
        self.between[left as usize] = large;
        self.degrees[left as usize] += self.degrees[right as usize];
        self.alive.remove(&right);
    }

    /// The communities that are left, with their degrees.
    fn left_over(&self) -> impl Iterator<Item = (u64, u32)> {
        self.alive.iter().map(|community| (self.degrees[*community as usize], *community))
    }
}

/// The tree as it grows.
struct Found {
    tree: Tree,
    /// D squared, as a divisor.
    scale: f64,
    /// D squared times the modularity: now, and the largest.
    modularity: i128,
    largest: i128,
}

impl Found {
    fn new(communities: &Communities, nodes: usize) -> Found {
        let scale = (communities.total as f64).powi(2).max(1.0);
        let modularity = communities.modularity;
        let tree = Tree { nodes, modularity: modularity as f64 / scale, merges: Vec::with_capacity(nodes), best: 0 };
        Found { tree, scale, modularity, largest: modularity }
    }

    fn add(&mut self, pair: &Pair) {
        self.modularity += 2 * pair.gain;
        let (gain, modularity) = (2.0 * pair.gain as f64 / self.scale, self.modularity as f64 / self.scale);
        self.tree.merges.push(Merge { left: pair.left, right: pair.right, gain, modularity });
        if self.modularity > self.largest {
            self.largest = self.modularity;
            self.tree.best = self.tree.merges.len();
        }
    }
}

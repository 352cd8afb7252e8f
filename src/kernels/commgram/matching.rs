//! The difference of two groupings: a matching of their communities with the least cost.
//!
//! ```text
//!  cost of A and B   size of the symmetric difference = |A| + |B| - 2 |A and B|
//!  padding           a community without a partner costs its size
//!  sum               all of one + all of other - 2 (what matched communities share)
//! ```
//! So the least cost is the most that matched communities can share, and only communities that share anything
//! matter: there are no more such pairs than containers. That is a Hungarian algorithm over a sparse
//! graph: for each community on the left a shortest augmenting path (Dijkstra with potentials), which mostly ends
//! after a few steps. In the worst case O(n^2 log n) for n containers, where a matrix takes O(n^3).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// Containers with their communities, by container.
pub type Grouping = [(u32, u32)];

/// Sum of the symmetric differences of matched communities, at its least.
pub fn difference(one: &Grouping, other: &Grouping) -> u64 {
    if one == other {
        return 0;
    }
    let shared = shared(one, other);
    let lefts = one.iter().map(|(_, community)| *community as usize + 1).max().unwrap_or(0);
    let rights = other.iter().map(|(_, community)| *community as usize + 1).max().unwrap_or(0);
    let matched = largest_matching(lefts, rights, &shared);
    let weights: HashMap<(u32, u32), i64> =
        shared.iter().map(|(left, right, weight)| ((*left, *right), *weight)).collect();
    let kept: i64 = matched.iter().enumerate().filter_map(|(left, right)| weights.get(&(left as u32, (*right)?))).sum();
    (one.len() + other.len()) as u64 - 2 * kept as u64
}

/// How many containers each pair of communities shares.
fn shared(one: &Grouping, other: &Grouping) -> Vec<(u32, u32, i64)> {
    let mut pairs = vec![];
    let mut others = other.iter().peekable();
    for (container, community) in one {
        while others.next_if(|(candidate, _)| candidate < container).is_some() {}
        if let Some((_, partner)) = others.next_if(|(candidate, _)| candidate == container) {
            pairs.push((*community, *partner));
        }
    }
    pairs.sort_unstable();
    let same = pairs.chunk_by(|a, b| a == b);
    same.map(|run| (run[0].0, run[0].1, run.len() as i64)).collect()
}

/// A matching with the largest sum of weights: the partner of each left node. Weights are not negative.
pub fn largest_matching(lefts: usize, rights: usize, edges: &[(u32, u32, i64)]) -> Vec<Option<u32>> {
    let mut search = MatchingSearch::new(lefts, rights, edges);
    for left in 0..lefts {
        search.augment(left);
    }
    search.partner_of_left
}

/// Potentials are such that for each edge left + right >= weight, with equality in the matching; a free right
/// node has 0, and so has a left node that was tried and stays alone.
struct MatchingSearch {
    edges: Vec<Vec<(u32, i64)>>,
    left: Vec<i64>,
    right: Vec<i64>,
    partner_of_left: Vec<Option<u32>>,
    partner_of_right: Vec<Option<u32>>,
}

/// How a path ends.
#[derive(Debug, Clone, Copy)]
enum PathEnd {
    /// A right node without a partner.
    Free(u32),
    /// A left node that gives its partner away.
    Alone(u32),
}

/// The shortest ways from one left node.
#[derive(Default)]
struct ShortestPaths {
    left: HashMap<u32, i64>,
    right: HashMap<u32, i64>,
    /// The left node before a right one.
    before: HashMap<u32, u32>,
}

impl MatchingSearch {
    fn new(lefts: usize, rights: usize, list: &[(u32, u32, i64)]) -> MatchingSearch {
        let mut edges = vec![vec![]; lefts];
        for (left, right, weight) in list {
            edges[*left as usize].push((*right, *weight));
        }
        let heaviest = |edges: &Vec<(u32, i64)>| edges.iter().map(|(_, weight)| *weight).max().unwrap_or(0);
        MatchingSearch {
            left: edges.iter().map(heaviest).collect(),
            right: vec![0; rights],
            edges,
            partner_of_left: vec![None; lefts],
            partner_of_right: vec![None; rights],
        }
    }

    fn augment(&mut self, start: usize) {
        let start = start as u32;
        let mut ways = ShortestPaths::default();
        let mut queue = BinaryHeap::from([Reverse((0, start))]);
        ways.left.insert(start, 0);
        let mut best = (self.left[start as usize], PathEnd::Alone(start));
        // Left nodes in the order of their distance, until no path through them can be shorter.
        while let Some(Reverse((distance, left))) = queue.pop() {
            if distance >= best.0 {
                break;
            }
            for (right, weight) in &self.edges[left as usize] {
                let length = distance + self.left[left as usize] + self.right[*right as usize] - weight;
                if length >= best.0 || ways.right.get(right).is_some_and(|known| *known <= length) {
                    continue;
                }
                ways.right.insert(*right, length);
                ways.before.insert(*right, left);
                match self.partner_of_right[*right as usize] {
                    None => best = (length, PathEnd::Free(*right)),
                    Some(partner) => {
                        ways.left.insert(partner, length);
                        queue.push(Reverse((length, partner)));
                        let alone = length + self.left[partner as usize];
                        if alone < best.0 {
                            best = (alone, PathEnd::Alone(partner));
                        }
                    }
                }
            }
        }
        self.change_potentials(&ways, best.0);
        self.flip(start, &ways, best.1);
    }

    fn change_potentials(&mut self, ways: &ShortestPaths, length: i64) {
        for (left, distance) in ways.left.iter().filter(|(_, distance)| **distance < length) {
            self.left[*left as usize] -= length - distance;
        }
        for (right, distance) in ways.right.iter().filter(|(_, distance)| **distance < length) {
            self.right[*right as usize] += length - distance;
        }
    }

    /// Changes partners along the path that ends there.
    fn flip(&mut self, start: u32, ways: &ShortestPaths, end: PathEnd) {
        let mut right = match end {
            PathEnd::Free(right) => Some(right),
            PathEnd::Alone(left) => self.partner_of_left[left as usize].take(),
        };
        while let Some(now) = right {
            let Some(left) = ways.before.get(&now).copied() else { return };
            right = self.partner_of_left[left as usize].replace(now);
            self.partner_of_right[now as usize] = Some(left);
            if left == start {
                return;
            }
        }
    }
}

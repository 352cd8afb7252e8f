//! Messages find their way through a network, and edges carry what passes over them.
//!
//! ```text
//!  a ──(1)── s ──(2)── b      a message from a to b is a load of edges 1 and 2 in that direction;
//!             ╲               edges without direction are two lanes
//!              (3)── c
//! ```
//! The way is the shortest one: least length, then fewest edges, then edges that come first. One search
//! per source; then loads are added from the far ends inwards, so that a source with many targets costs
//! no more than the size of the network.

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

/// A connection of two nodes `0..nodes`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    pub source: usize,
    pub target: usize,
    /// Whether it leads from source to target only.
    pub is_directed: bool,
    /// Finite and not negative.
    pub length: f64,
}

/// Messages between two nodes in a slice of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    pub slice: i64,
    /// `None` when it is not known.
    pub source: Option<usize>,
    pub target: Option<usize>,
    pub messages: i64,
    pub volume: f64,
}

/// A lane of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lane {
    pub edge: usize,
    pub direction: Direction,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// From source to target.
    Forward,
    Backward,
}

/// What a lane carries in a slice; what found no way has no lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    pub lane: Option<Lane>,
    pub slice: i64,
    pub messages: i64,
    pub volume: f64,
}

/// The loads of all lanes that carry something, by lane and slice. Messages of a node to itself need none.
pub fn route(nodes: usize, edges: &[Edge], demands: &[Demand]) -> Vec<Load> {
    let network = Network::of(nodes, edges);
    let mut sorted = demands.to_vec();
    sorted.sort_by(|a, b| {
        let key = |demand: &Demand| (demand.source, demand.slice, demand.target, demand.messages);
        key(a).cmp(&key(b)).then(a.volume.total_cmp(&b.volume))
    });
    let mut loads: BTreeMap<(Option<Lane>, i64), (i64, f64)> = BTreeMap::new();
    let mut add = |lane: Option<Lane>, slice: i64, messages: i64, volume: f64| {
        let load = loads.entry((lane, slice)).or_default();
        load.0 += messages;
        load.1 += volume;
    };
    for of_source in sorted.chunk_by(|a, b| a.source == b.source) {
        let Some(ways) = of_source[0].source.filter(|source| *source < nodes).map(|source| network.ways_from(source)) else {
            of_source.iter().for_each(|demand| add(None, demand.slice, demand.messages, demand.volume));
            continue;
        };
        for of_slice in of_source.chunk_by(|a, b| a.slice == b.slice) {
            let mut passing = vec![(0, 0.0); nodes];
            for demand in of_slice {
                match demand.target.filter(|target| ways.is_reached(*target)) {
                    Some(target) => {
                        passing[target].0 += demand.messages;
                        passing[target].1 += demand.volume;
                    }
                    None => add(None, demand.slice, demand.messages, demand.volume),
                }
            }
            // The nodes farthest away hand what passes them to the node before them.
            for node in ways.order.iter().rev().copied() {
                let (messages, volume) = passing[node];
                if let (Some((lane, before)), true) = (ways.arrivals[node], messages > 0) {
                    add(Some(lane), of_slice[0].slice, messages, volume);
                    passing[before].0 += messages;
                    passing[before].1 += volume;
                }
            }
        }
    }
    let load = |((lane, slice), (messages, volume))| Load { lane, slice, messages, volume };
    loads.into_iter().map(load).collect()
}

/// The lanes that leave each node.
struct Network {
    lanes: Vec<Vec<(Lane, usize, f64)>>,
}

/// The shortest ways from one node.
struct Ways {
    /// How each node is reached: over which lane, from which node.
    arrivals: Vec<Option<(Lane, usize)>>,
    /// Nodes as they were reached, the nearest first.
    order: Vec<usize>,
    is_done: Vec<bool>,
}

impl Ways {
    fn is_reached(&self, node: usize) -> bool {
        self.is_done.get(node).copied().unwrap_or(false)
    }
}

/// A way that a search has found so far.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Found {
    length: f64,
    hops: usize,
    node: usize,
    arrival: Option<(Lane, usize)>,
}

impl Eq for Found {}

impl Ord for Found {
    fn cmp(&self, other: &Found) -> Ordering {
        let rest = |found: &Found| (found.hops, found.arrival.map(|(lane, _)| lane), found.node);
        self.length.total_cmp(&other.length).then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Found) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Network {
    fn of(nodes: usize, edges: &[Edge]) -> Network {
        let mut lanes = vec![vec![]; nodes];
        for (index, edge) in edges.iter().enumerate() {
            let lane = |direction| Lane { edge: index, direction };
            lanes[edge.source].push((lane(Direction::Forward), edge.target, edge.length));
            if !edge.is_directed {
                lanes[edge.target].push((lane(Direction::Backward), edge.source, edge.length));
            }
        }
        Network { lanes }
    }

    fn ways_from(&self, source: usize) -> Ways {
        let count = self.lanes.len();
        let mut ways = Ways { arrivals: vec![None; count], order: vec![], is_done: vec![false; count] };
        let mut queue = BinaryHeap::from([Reverse(Found { length: 0.0, hops: 0, node: source, arrival: None })]);
        while let Some(Reverse(found)) = queue.pop() {
            if std::mem::replace(&mut ways.is_done[found.node], true) {
                continue;
            }
            ways.arrivals[found.node] = found.arrival;
            ways.order.push(found.node);
            for (lane, node, length) in self.lanes[found.node].iter().copied().filter(|(_, node, _)| !ways.is_done[*node]) {
                let (length, hops) = (found.length + length, found.hops + 1);
                queue.push(Reverse(Found { length, hops, node, arrival: Some((lane, found.node)) }));
            }
        }
        ways
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edge(source: usize, target: usize, length: f64) -> Edge {
        Edge { source, target, is_directed: false, length }
    }

    fn demand(source: usize, target: usize, volume: f64) -> Demand {
        Demand { slice: 0, source: Some(source), target: Some(target), messages: 1, volume }
    }

    /// A lane as its edge and whether it leads forward, then messages and volume.
    type Shown = (Option<(usize, bool)>, i64, f64);

    fn shown(loads: &[Load]) -> Vec<Shown> {
        let lane = |lane: Lane| (lane.edge, lane.direction == Direction::Forward);
        loads.iter().map(|load| (load.lane.map(lane), load.messages, load.volume)).collect()
    }

    /// Three machines around a switch, and a node that nothing leads to.
    #[test]
    fn loads_add_up_on_the_way() {
        let edges = [edge(0, 1, 1.0), edge(2, 1, 1.0), edge(3, 1, 1.0)];
        let demands = [demand(0, 2, 10.0), demand(0, 3, 5.0), demand(2, 0, 1.0), demand(0, 4, 7.0), demand(3, 3, 9.0)];
        let expected = [
            (None, 1, 7.0),
            (Some((0, true)), 2, 15.0),
            (Some((0, false)), 1, 1.0),
            (Some((1, true)), 1, 1.0),
            (Some((1, false)), 1, 10.0),
            (Some((2, false)), 1, 5.0),
        ];
        assert_eq!(shown(&route(5, &edges, &demands)), expected);
    }

    #[test]
    fn lengths_and_directions_decide() {
        let edges = [edge(0, 1, 10.0), edge(0, 2, 1.0), Edge { is_directed: true, ..edge(2, 1, 1.0) }];
        assert_eq!(shown(&route(3, &edges, &[demand(0, 1, 1.0)])), [(Some((1, true)), 1, 1.0), (Some((2, true)), 1, 1.0)]);
        assert_eq!(shown(&route(3, &edges, &[demand(1, 0, 1.0)])), [(Some((0, false)), 1, 1.0)]);
        assert!(route(0, &[], &[]).is_empty());
        let lost = Demand { source: None, ..demand(0, 0, 3.0) };
        assert_eq!(shown(&route(0, &[], &[lost])), [(None, 1, 3.0)]);
    }

    proptest! {
        /// Alone, a message takes a way as long as the shortest one of a search over all pairs; together,
        /// messages load what they load alone.
        #[test]
        fn ways_are_shortest_and_loads_are_sums(
            edges in prop::collection::vec((0_usize..8, 0_usize..8, any::<bool>(), 0_u32..5), 0..20),
            demands in prop::collection::vec((0_usize..8, 0_usize..8, 0_i64..3, 1_u32..100), 0..20),
        ) {
            let edges: Vec<Edge> = edges.into_iter()
                .map(|(source, target, is_directed, length)| Edge { source, target, is_directed, length: f64::from(length) })
                .collect();
            let demands: Vec<Demand> = demands.into_iter()
                .map(|(source, target, slice, volume)| Demand { slice, ..demand(source, target, f64::from(volume)) })
                .collect();
            let mut distances = [[f64::INFINITY; 8]; 8];
            for (node, row) in distances.iter_mut().enumerate() {
                row[node] = 0.0;
            }
            for edge in &edges {
                distances[edge.source][edge.target] = distances[edge.source][edge.target].min(edge.length);
                if !edge.is_directed {
                    distances[edge.target][edge.source] = distances[edge.target][edge.source].min(edge.length);
                }
            }
            for (middle, from, to) in (0..512).map(|i| (i / 64, i / 8 % 8, i % 8)) {
                distances[from][to] = distances[from][to].min(distances[from][middle] + distances[middle][to]);
            }
            let mut sums: BTreeMap<(Option<Lane>, i64), (i64, f64)> = BTreeMap::new();
            for demand in &demands {
                let alone = route(8, &edges, &[*demand]);
                let (source, target) = (demand.source.expect("a source"), demand.target.expect("a target"));
                let length: f64 = alone.iter().map(|load| load.lane.map_or(f64::INFINITY, |lane| edges[lane.edge].length)).sum();
                prop_assert_eq!(length, distances[source][target]);
                for load in alone {
                    let sum = sums.entry((load.lane, load.slice)).or_default();
                    *sum = (sum.0 + load.messages, sum.1 + load.volume);
                }
            }
            let together: BTreeMap<_, _> = route(8, &edges, &demands).into_iter()
                .map(|load| ((load.lane, load.slice), (load.messages, load.volume))).collect();
            prop_assert_eq!(together, sums);
        }
    }
}

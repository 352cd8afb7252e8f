//! Messages find their way through a network, and edges carry what passes over them.
//!
//! ```text
//!  a ──(1)── s ──(2)── b      a message from a to b is a load of edges 1 and 2 in that direction;
//!             ╲               edges without direction are two lanes
//!              (3)── c
//! ```
//! The way is the shortest one: least length, then fewest edges, then edges that come first. A node with one way
//! out, as machines behind a switch have, sends over it and then like the node behind it: so there is one search per
//! switch and not per machine. A search ends when all targets are found; then loads are added from the far ends
//! inwards, each edge once per slice, however many messages pass.

#[cfg(test)]
mod tests;

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BinaryHeap};

/// A connection of two nodes `0..nodes`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkEdge {
    /// The node where it begins.
    pub source: usize,
    /// The node where it ends.
    pub target: usize,
    /// Whether it leads from source to target only.
    pub is_directed: bool,
    /// Finite and not negative.
    pub length: f64,
}

/// Messages between two nodes in a slice of time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// The slice of time.
    pub slice: i64,
    /// `None` when it is not known.
    pub source: Option<usize>,
    /// The node that receives; `None` when it is not known.
    pub target: Option<usize>,
    /// How many messages.
    pub messages: i64,
    /// Their volume.
    pub volume: f64,
}

/// A lane of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct EdgeLane {
    /// The edge, by its place.
    pub edge: usize,
    /// Which way messages go.
    pub direction: EdgeDirection,
}

/// Which way messages pass over an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EdgeDirection {
    /// From source to target.
    Forward,
    /// From target to source.
    Backward,
}

/// What a lane carries in a slice; what found no way has no lane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Load {
    /// The lane; `None` for messages that found no way.
    pub lane: Option<EdgeLane>,
    /// The slice of time.
    pub slice: i64,
    /// How many messages.
    pub messages: i64,
    /// Their volume.
    pub volume: f64,
}

/// The loads of all lanes that carry something, by lane and slice. Messages of a node to itself need none.
pub fn route(nodes: usize, edges: &[NetworkEdge], demands: &[Demand]) -> Vec<Load> {
    let network = Network::of(nodes, edges);
    let mut loads = Loads::default();
    let mut trips: Vec<RoutedDemand> = vec![];
    for demand in demands {
        match (demand.source.filter(|source| *source < nodes), demand.target.filter(|target| *target < nodes)) {
            (Some(source), Some(target)) if source == target => {}
            (Some(source), Some(target)) => trips.push(network.trip(source, target, demand)),
            _ => loads.add(None, demand.slice, demand.messages, demand.volume),
        }
    }
    // One order, so that sums of volumes are always the same.
    trips.sort_by(|a, b| a.key().cmp(&b.key()).then(a.volume.total_cmp(&b.volume)));
    let mut search = RouteSearch::new(nodes);
    for of_start in trips.chunk_by(|a, b| a.start == b.start) {
        search.run(&network, of_start[0].start, of_start.iter().map(|trip| trip.target));
        for of_slice in of_start.chunk_by(|a, b| a.slice == b.slice) {
            for trip in of_slice {
                if !search.is_reached(trip.target) {
                    loads.add(None, trip.slice, trip.messages, trip.volume);
                    continue;
                }
                if trip.first.is_some() {
                    loads.add(trip.first, trip.slice, trip.messages, trip.volume);
                }
                search.pass(trip.target, trip.messages, trip.volume);
            }
            search.unload(of_slice[0].slice, &mut loads);
        }
    }
    let load = |((lane, slice), (messages, volume))| Load { lane, slice, messages, volume };
    loads.sums.into_iter().map(load).collect()
}

/// What lanes carry so far.
#[derive(Default)]
struct Loads {
    sums: BTreeMap<(Option<EdgeLane>, i64), (i64, f64)>,
}

impl Loads {
    fn add(&mut self, lane: Option<EdgeLane>, slice: i64, messages: i64, volume: f64) {
        let sum = self.sums.entry((lane, slice)).or_default();
        sum.0 += messages;
        sum.1 += volume;
    }
}

/// A demand between two nodes of the network.
#[derive(Debug, Clone, Copy)]
struct RoutedDemand {
    /// Where its search starts: the source, or the node behind its only way out.
    start: usize,
    slice: i64,
    target: usize,
    /// That only way out.
    first: Option<EdgeLane>,
    messages: i64,
    volume: f64,
}

impl RoutedDemand {
    fn key(&self) -> (usize, i64, usize, Option<EdgeLane>, i64) {
        (self.start, self.slice, self.target, self.first, self.messages)
    }
}

/// The lanes that leave each node.
struct Network {
    lanes: Vec<Vec<(EdgeLane, usize, f64)>>,
}

impl Network {
    fn of(nodes: usize, edges: &[NetworkEdge]) -> Network {
        let mut lanes = vec![vec![]; nodes];
        for (index, edge) in edges.iter().enumerate() {
            let lane = |direction| EdgeLane { edge: index, direction };
            lanes[edge.source].push((lane(EdgeDirection::Forward), edge.target, edge.length));
            if !edge.is_directed {
                lanes[edge.target].push((lane(EdgeDirection::Backward), edge.source, edge.length));
            }
        }
        Network { lanes }
    }

    fn trip(&self, source: usize, target: usize, demand: &Demand) -> RoutedDemand {
        let (start, first) = match self.lanes[source].as_slice() {
            [(lane, behind, _)] => (*behind, Some(*lane)),
            _ => (source, None),
        };
        RoutedDemand { start, slice: demand.slice, target, first, messages: demand.messages, volume: demand.volume }
    }
}

/// The shortest ways from one node to some others, and what passes over them. It is used again for the next one.
struct RouteSearch {
    /// How each node is reached: over which lane, from which node.
    arrivals: Vec<Option<(EdgeLane, usize)>>,
    /// As how many-th each node was reached, from 1; 0 when it was not.
    ranks: Vec<usize>,
    /// Nodes as they were reached, the nearest first.
    order: Vec<usize>,
    is_wanted: Vec<bool>,
    /// Messages and volume that each node hands on, and the nodes that have some.
    passing: Vec<(i64, f64)>,
    carriers: BinaryHeap<(usize, usize)>,
}

impl RouteSearch {
    fn new(nodes: usize) -> RouteSearch {
        RouteSearch {
            arrivals: vec![None; nodes],
            ranks: vec![0; nodes],
            order: vec![],
            is_wanted: vec![false; nodes],
            passing: vec![(0, 0.0); nodes],
            carriers: BinaryHeap::new(),
        }
    }

    fn is_reached(&self, node: usize) -> bool {
        self.ranks[node] > 0
    }

    /// Finds the ways from a node to all targets that can be reached.
    fn run(&mut self, network: &Network, start: usize, targets: impl Iterator<Item = usize> + Clone) {
        for node in self.order.drain(..) {
            self.ranks[node] = 0;
        }
        let mut wanted = 0;
        for target in targets.clone() {
            wanted += usize::from(!std::mem::replace(&mut self.is_wanted[target], true));
        }
        let mut queue = BinaryHeap::from([Reverse(FoundRoute { length: 0.0, hops: 0, node: start, arrival: None })]);
        while let (Some(Reverse(found)), true) = (queue.pop(), wanted > 0) {
            if self.is_reached(found.node) {
                continue;
            }
            self.order.push(found.node);
            self.ranks[found.node] = self.order.len();
            self.arrivals[found.node] = found.arrival;
            wanted -= usize::from(self.is_wanted[found.node]);
            for (lane, node, length) in network.lanes[found.node].iter().copied() {
                // A dead end that nobody asks for is on no way.
                let is_useful =
                    self.is_wanted[node] || network.lanes[node].iter().any(|(_, next, _)| *next != found.node);
                if is_useful && !self.is_reached(node) {
                    let (length, hops) = (found.length + length, found.hops + 1);
                    queue.push(Reverse(FoundRoute { length, hops, node, arrival: Some((lane, found.node)) }));
                }
            }
        }
        targets.for_each(|target| self.is_wanted[target] = false);
    }

    /// Adds what arrives at a node.
    fn pass(&mut self, node: usize, messages: i64, volume: f64) {
        let passing = &mut self.passing[node];
        if passing.0 == 0 {
            self.carriers.push((self.ranks[node], node));
        }
        passing.0 += messages;
        passing.1 += volume;
    }

    /// The nodes farthest away hand what passes them to the node before them, until all is back at the start.
    fn unload(&mut self, slice: i64, loads: &mut Loads) {
        while let Some((_, node)) = self.carriers.pop() {
            let (messages, volume) = std::mem::take(&mut self.passing[node]);
            if let Some((lane, before)) = self.arrivals[node] {
                loads.add(Some(lane), slice, messages, volume);
                self.pass(before, messages, volume);
            }
        }
    }
}

/// A way that a search has found so far.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FoundRoute {
    length: f64,
    hops: usize,
    node: usize,
    arrival: Option<(EdgeLane, usize)>,
}

impl Eq for FoundRoute {}

impl Ord for FoundRoute {
    fn cmp(&self, other: &FoundRoute) -> Ordering {
        let rest = |found: &FoundRoute| (found.hops, found.arrival.map(|(lane, _)| lane), found.node);
        self.length.total_cmp(&other.length).then_with(|| rest(self).cmp(&rest(other)))
    }
}

impl PartialOrd for FoundRoute {
    fn partial_cmp(&self, other: &FoundRoute) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

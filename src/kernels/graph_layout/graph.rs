//! The graph to lay out, the options, and the neighbors of every node.

/// A graph: edges name nodes by their place, `0..nodes`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayoutGraph {
    /// How many nodes there are.
    pub nodes: usize,
    /// From source to target; an edge from a node to itself, or a second one, changes nothing.
    pub edges: Vec<(usize, usize)>,
}

/// How nodes are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayoutAlgorithm {
    /// Edges pull, nodes push each other away (Fruchterman and Reingold, 1991; Barnes and Hut, 1986).
    Force,
    /// On a circle, in the order of the nodes.
    Circular,
    /// On rings around the node with the most neighbors.
    Radial,
    /// On rows, edges downwards (Sugiyama, Tagawa and Toda, 1981).
    Layered,
    /// On a grid, in the order of the nodes.
    Grid,
}

/// What the layout looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutOptions {
    /// How nodes are placed.
    pub algorithm: LayoutAlgorithm,
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// Steps of the force layout, and sweeps of the layered one.
    pub iterations: usize,
    /// Where the force layout starts from.
    pub seed: u64,
}

/// A place in the picture; y grows downwards.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LayoutPoint {
    /// Distance from the left edge.
    pub x: f64,
    /// Distance from the top edge.
    pub y: f64,
}

/// The neighbors of every node, each once and in order, whatever the direction of edges.
pub(super) struct Neighbors {
    starts: Vec<usize>,
    nodes: Vec<usize>,
}

impl Neighbors {
    pub(super) fn of(graph: &LayoutGraph) -> Neighbors {
        let mut pairs: Vec<(usize, usize)> = graph
            .edges
            .iter()
            .filter(|(source, target)| source != target)
            .flat_map(|(source, target)| [(*source, *target), (*target, *source)])
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut starts = vec![0; graph.nodes + 1];
        for (node, _) in &pairs {
            starts[node + 1] += 1;
        }
        for node in 0..graph.nodes {
            starts[node + 1] += starts[node];
        }
        Neighbors { starts, nodes: pairs.into_iter().map(|(_, neighbor)| neighbor).collect() }
    }

    pub(super) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    pub(super) fn of_node(&self, node: usize) -> &[usize] {
        &self.nodes[self.starts[node]..self.starts[node + 1]]
    }

    /// Every edge once, from its smaller node.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count()).flat_map(|node| {
            let later = self.of_node(node).iter().copied().filter(move |neighbor| *neighbor > node);
            later.map(move |neighbor| (node, neighbor))
        })
    }

    /// The node with the most neighbors of each connected part; the first of several.
    pub(super) fn centers(&self) -> Vec<usize> {
        let mut is_seen = vec![false; self.count()];
        let mut centers = vec![];
        for first in 0..self.count() {
            if is_seen[first] {
                continue;
            }
            is_seen[first] = true;
            let mut part = vec![first];
            let mut next = 0;
            while next < part.len() {
                for neighbor in self.of_node(part[next]) {
                    if !std::mem::replace(&mut is_seen[*neighbor], true) {
                        part.push(*neighbor);
                    }
                }
                next += 1;
            }
            let best = part.iter().copied().min_by_key(|node| (usize::MAX - self.of_node(*node).len(), *node));
            centers.extend(best);
        }
        centers
    }
}

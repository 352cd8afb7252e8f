//! Positions for the nodes of a graph.
//!
//! In: how many nodes there are, edges between them, and the size of the picture. Out: a point per node
//! inside the picture. The same input gives the same points, whatever the order or direction of repeated
//! edges.

mod force;
mod layered;
mod radial;
mod squares;
#[cfg(test)]
mod tests;

use std::f64::consts::TAU;

/// A graph: edges name nodes by their place, `0..nodes`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayoutGraph {
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
    /// On rings around the node with the most neighbours.
    Radial,
    /// On rows, edges downwards (Sugiyama, Tagawa and Toda, 1981).
    Layered,
    /// On a grid, in the order of the nodes.
    Grid,
}

/// What the layout looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutOptions {
    pub algorithm: LayoutAlgorithm,
    pub width: f64,
    pub height: f64,
    /// Steps of the force layout, and sweeps of the layered one.
    pub iterations: usize,
    /// Where the force layout starts from.
    pub seed: u64,
}

/// A place in the picture; y grows downwards.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LayoutPoint {
    pub x: f64,
    pub y: f64,
}

/// Places all nodes of a graph.
pub fn layout(graph: &LayoutGraph, options: &LayoutOptions) -> Vec<LayoutPoint> {
    let neighbours = Neighbours::of(graph);
    match options.algorithm {
        LayoutAlgorithm::Force => fitted(force::places(&neighbours, options), options),
        LayoutAlgorithm::Circular => circular(graph.nodes, options),
        LayoutAlgorithm::Radial => fitted(radial::places(&neighbours), options),
        LayoutAlgorithm::Layered => layered::places(graph, &neighbours, options),
        LayoutAlgorithm::Grid => grid(graph.nodes, options),
    }
}

fn circular(nodes: usize, options: &LayoutOptions) -> Vec<LayoutPoint> {
    if nodes == 1 {
        return vec![LayoutPoint { x: options.width / 2.0, y: options.height / 2.0 }];
    }
    let place = |node: usize| {
        let angle = TAU * node as f64 / nodes as f64;
        // The first node lies at the top, the others follow clockwise.
        LayoutPoint { x: options.width / 2.0 * (1.0 + angle.sin()), y: options.height / 2.0 * (1.0 - angle.cos()) }
    };
    (0..nodes).map(place).collect()
}

/// Cells as near squares as the number of nodes allows; a node lies in the middle of its cell.
fn grid(nodes: usize, options: &LayoutOptions) -> Vec<LayoutPoint> {
    let columns = ((nodes as f64 * options.width / options.height).sqrt().ceil() as usize).clamp(1, nodes.max(1));
    let rows = nodes.div_ceil(columns).max(1);
    let place = |node: usize| LayoutPoint {
        x: options.width * ((node % columns) as f64 + 0.5) / columns as f64,
        y: options.height * ((node / columns) as f64 + 0.5) / rows as f64,
    };
    (0..nodes).map(place).collect()
}

/// Moves and scales points into the picture, both directions by the same factor.
fn fitted(mut points: Vec<LayoutPoint>, options: &LayoutOptions) -> Vec<LayoutPoint> {
    let range = |of: fn(&LayoutPoint) -> f64| {
        let low = points.iter().map(of).fold(f64::INFINITY, f64::min);
        let high = points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        (low, high - low)
    };
    let ((left, width), (top, height)) = (range(|point| point.x), range(|point| point.y));
    let factor = |room: f64, size: f64| if size > 0.0 { room / size } else { f64::INFINITY };
    let scale = factor(options.width, width).min(factor(options.height, height));
    let scale = if scale.is_finite() { scale } else { 1.0 };
    for point in &mut points {
        let (x, y) = ((point.x - left) * scale, (point.y - top) * scale);
        point.x = (x + (options.width - width * scale) / 2.0).clamp(0.0, options.width);
        point.y = (y + (options.height - height * scale) / 2.0).clamp(0.0, options.height);
    }
    points
}

/// The neighbours of every node, each once and in order, whatever the direction of edges.
struct Neighbours {
    starts: Vec<usize>,
    nodes: Vec<usize>,
}

impl Neighbours {
    fn of(graph: &LayoutGraph) -> Neighbours {
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
        Neighbours { starts, nodes: pairs.into_iter().map(|(_, neighbour)| neighbour).collect() }
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn of_node(&self, node: usize) -> &[usize] {
        &self.nodes[self.starts[node]..self.starts[node + 1]]
    }

    /// Every edge once, from its smaller node.
    fn edges(&self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.count()).flat_map(|node| {
            let later = self.of_node(node).iter().copied().filter(move |neighbour| *neighbour > node);
            later.map(move |neighbour| (node, neighbour))
        })
    }

    /// The node with the most neighbours of each connected part; the first of several.
    fn centers(&self) -> Vec<usize> {
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
                for neighbour in self.of_node(part[next]) {
                    if !std::mem::replace(&mut is_seen[*neighbour], true) {
                        part.push(*neighbour);
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

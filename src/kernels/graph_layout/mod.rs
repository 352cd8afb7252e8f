//! Positions for the nodes of a graph.
//!
//! In: how many nodes there are, edges between them, and the size of the picture. Out: a point per node
//! inside the picture. The same input gives the same points, whatever the order or direction of repeated
//! edges.

mod force;
mod graph;
mod layered;
mod radial;
mod squares;
#[cfg(test)]
mod tests;

use std::f64::consts::TAU;

pub use graph::{LayoutAlgorithm, LayoutGraph, LayoutOptions, LayoutPoint};

use self::graph::Neighbors;

/// Places all nodes of a graph.
pub fn layout(graph: &LayoutGraph, options: &LayoutOptions) -> Vec<LayoutPoint> {
    let neighbors = Neighbors::of(graph);
    match options.algorithm {
        LayoutAlgorithm::Force => fitted(force::places(&neighbors, options), options),
        LayoutAlgorithm::Circular => circular(graph.nodes, options),
        LayoutAlgorithm::Radial => fitted(radial::places(&neighbors), options),
        LayoutAlgorithm::Layered => layered::places(graph, &neighbors, options),
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

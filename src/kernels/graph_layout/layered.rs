//! Places nodes on rows so that edges go down, except those that close a cycle.
//!
//! ```text
//!   a     b        1. an edge back to a node that is still being walked is turned round
//!    \   / \       2. a node lies one row below the lowest node that points to it
//!      c    |      3. rows are sorted by the mean place of the neighbors, down and up
//!       \  /       4. the nodes of a row share its width
//!        d
//! ```

use super::graph::{LayoutGraph, LayoutOptions, LayoutPoint, Neighbors};

/// More sweeps than this change nothing that is seen.
const MOST_SWEEPS: usize = 24;

/// Points inside the picture.
pub(super) fn places(graph: &LayoutGraph, neighbors: &Neighbors, options: &LayoutOptions) -> Vec<LayoutPoint> {
    let rows = rows_of(&layers(graph));
    let rows = sorted(rows, neighbors, options.iterations.min(MOST_SWEEPS));
    let mut points = vec![LayoutPoint::default(); graph.nodes];
    for (row, nodes) in rows.iter().enumerate() {
        for (place, node) in nodes.iter().enumerate() {
            points[*node] = LayoutPoint {
                x: options.width * (place as f64 + 0.5) / nodes.len() as f64,
                y: options.height * (row as f64 + 0.5) / rows.len() as f64,
            };
        }
    }
    points
}

/// The row of each node.
pub(super) fn layers(graph: &LayoutGraph) -> Vec<usize> {
    let targets = targets(graph);
    let (order, back) = walk(&targets);
    let mut layers = vec![0; graph.nodes];
    // What a node points to is finished before it, once back edges are turned.
    let mut turned: Vec<Vec<usize>> = vec![vec![]; graph.nodes];
    for (source, target) in back.iter().copied() {
        turned[target].push(source);
    }
    for node in order.into_iter().rev() {
        let ahead = targets[node].iter().filter(|target| !back.contains(&(node, **target)));
        let below = layers[node] + 1;
        for target in ahead.chain(&turned[node]).copied() {
            layers[target] = layers[target].max(below);
        }
    }
    layers
}

/// The targets of each node, each once and in order.
fn targets(graph: &LayoutGraph) -> Vec<Vec<usize>> {
    let mut targets = vec![vec![]; graph.nodes];
    for (source, target) in graph.edges.iter().filter(|(source, target)| source != target) {
        targets[*source].push(*target);
    }
    for list in &mut targets {
        list.sort_unstable();
        list.dedup();
    }
    targets
}

type Edges = std::collections::BTreeSet<(usize, usize)>;

/// Walks the graph depth first; gives nodes as they are finished, and the edges back up.
fn walk(targets: &[Vec<usize>]) -> (Vec<usize>, Edges) {
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut states = vec![Visit::New; targets.len()];
    let (mut order, mut back) = (Vec::with_capacity(targets.len()), Edges::new());
    let mut stack: Vec<(usize, usize)> = vec![];
    for first in 0..targets.len() {
        if states[first] == Visit::New {
            states[first] = Visit::Open;
            stack.push((first, 0));
        }
        while let Some((node, next)) = stack.pop() {
            let Some(target) = targets[node].get(next).copied() else {
                states[node] = Visit::Done;
                order.push(node);
                continue;
            };
            stack.push((node, next + 1));
            match states[target] {
                Visit::New => {
                    states[target] = Visit::Open;
                    stack.push((target, 0));
                }
                Visit::Open => drop(back.insert((node, target))),
                Visit::Done => {}
            }
        }
    }
    (order, back)
}

fn rows_of(layers: &[usize]) -> Vec<Vec<usize>> {
    let mut rows = vec![vec![]; layers.iter().max().map_or(0, |deepest| deepest + 1)];
    for (node, layer) in layers.iter().enumerate() {
        rows[*layer].push(node);
    }
    rows
}

/// Sorts each row by the mean place of the neighbors in other rows, downwards and upwards in turn.
fn sorted(mut rows: Vec<Vec<usize>>, neighbors: &Neighbors, sweeps: usize) -> Vec<Vec<usize>> {
    let mut places = vec![0.0; neighbors.count()];
    let mut row_of = vec![0; neighbors.count()];
    for (row, nodes) in rows.iter().enumerate() {
        for node in nodes {
            row_of[*node] = row;
        }
        settle(nodes, &mut places);
    }
    for sweep in 0..sweeps {
        let is_down = sweep % 2 == 0;
        for step in 0..rows.len() {
            let row = if is_down { step } else { rows.len() - 1 - step };
            let mut keyed: Vec<(f64, usize)> = rows[row]
                .iter()
                .map(|node| {
                    let is_before = |other: &&usize| (row_of[**other] < row) == is_down && row_of[**other] != row;
                    let before: Vec<f64> =
                        neighbors.of_node(*node).iter().filter(is_before).map(|other| places[*other]).collect();
                    let mean = before.iter().sum::<f64>() / before.len() as f64;
                    (if before.is_empty() { places[*node] } else { mean }, *node)
                })
                .collect();
            keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
            rows[row] = keyed.into_iter().map(|(_, node)| node).collect();
            settle(&rows[row], &mut places);
        }
    }
    rows
}

/// Notes the places of a row, from 0 to 1.
fn settle(nodes: &[usize], places: &mut [f64]) {
    for (place, node) in nodes.iter().enumerate() {
        places[*node] = (place as f64 + 0.5) / nodes.len() as f64;
    }
}

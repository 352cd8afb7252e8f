//! Places nodes on rings around a centre, by their distance from it.
//!
//! ```text
//!        f
//!    b   │          a has the most neighbors. b, c, d lie on the first ring, each with a sector as
//!     \  e          wide as it has ends below it; e lies in the sector of its parent in the tree
//!      a─┘          of shortest ways.
//!     / \
//!    c   d
//! ```
//! Several connected parts share the circle: their centres lie on the first ring, around nothing.

use std::f64::consts::TAU;

use super::graph::{LayoutPoint, Neighbors};

/// Points in units of the distance between rings.
pub(super) fn places(neighbors: &Neighbors) -> Vec<LayoutPoint> {
    let centers = neighbors.centers();
    let ways = ShortestWays::from(neighbors, &centers);
    let ends = ways.ends();
    let mut points = vec![LayoutPoint::default(); neighbors.count()];
    let mut sectors = vec![(0.0, TAU); neighbors.count()];
    let innermost = if centers.len() > 1 { 1.0 } else { 0.0 };
    let total: f64 = centers.iter().map(|center| ends[*center]).sum();
    // How much of its parent's sector is given away.
    let mut given = vec![0.0; neighbors.count()];
    let mut given_whole = 0.0;
    for node in ways.order.iter().copied() {
        let (start, width) = match ways.parents[node] {
            None => share((0.0, TAU), total, &mut given_whole, ends[node]),
            Some(parent) => share(sectors[parent], ends[parent], &mut given[parent], ends[node]),
        };
        sectors[node] = (start, width);
        let (radius, angle) = (ways.distances[node] as f64 + innermost, start + width / 2.0);
        points[node] = LayoutPoint { x: radius * angle.sin(), y: -radius * angle.cos() };
    }
    points
}

/// The next part of a sector, by the number of ends that it is for.
fn share((start, width): (f64, f64), total: f64, given: &mut f64, ends: f64) -> (f64, f64) {
    let part = (start + width * *given / total, width * ends / total);
    *given += ends;
    part
}

/// The trees of shortest ways from some nodes.
pub(super) struct ShortestWays {
    pub(super) distances: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// Nodes by distance, those of one parent beside each other.
    order: Vec<usize>,
}

impl ShortestWays {
    pub(super) fn from(neighbors: &Neighbors, centers: &[usize]) -> ShortestWays {
        let mut ways = ShortestWays {
            distances: vec![usize::MAX; neighbors.count()],
            parents: vec![None; neighbors.count()],
            order: centers.to_vec(),
        };
        for center in centers {
            ways.distances[*center] = 0;
        }
        let mut next = 0;
        while next < ways.order.len() {
            let node = ways.order[next];
            for neighbor in neighbors.of_node(node) {
                if ways.distances[*neighbor] == usize::MAX {
                    ways.distances[*neighbor] = ways.distances[node] + 1;
                    ways.parents[*neighbor] = Some(node);
                    ways.order.push(*neighbor);
                }
            }
            next += 1;
        }
        ways
    }

    /// For each node how many nodes without children lie below it; one for such a node itself.
    fn ends(&self) -> Vec<f64> {
        let mut ends = vec![0.0_f64; self.parents.len()];
        for node in self.order.iter().rev().copied() {
            ends[node] = ends[node].max(1.0);
            if let Some(parent) = self.parents[node] {
                ends[parent] += ends[node];
            }
        }
        ends
    }
}

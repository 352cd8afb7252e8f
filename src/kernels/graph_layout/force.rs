//! Places nodes by forces: neighbors attract each other, all nodes repel each other ([`super::squares`]).
//!
//! Lengths are in units of the wanted length of an edge.

use super::graph::{LayoutOptions, LayoutPoint, Neighbors};
use super::squares::repulsions;

/// A cell whose size is below this part of its distance pushes as one body.
const OPENING: f64 = 1.0;
/// Pull to the middle that keeps separate parts together.
const GRAVITY: f64 = 0.1;

/// Runs the forces from random places until they have cooled down.
pub(super) fn places(neighbors: &Neighbors, options: &LayoutOptions) -> Vec<LayoutPoint> {
    let count = neighbors.count();
    let side = (count as f64).sqrt();
    let mut random = SplitMix(options.seed);
    let mut points: Vec<LayoutPoint> =
        (0..count).map(|_| LayoutPoint { x: side * random.unit(), y: side * random.unit() }).collect();
    let edges: Vec<(usize, usize)> = neighbors.edges().collect();
    let gravity = if neighbors.centers().len() > 1 { GRAVITY } else { 0.0 };
    for step in 0..options.iterations {
        let mut forces = repulsions(&points, OPENING);
        for (one, other) in &edges {
            let (dx, dy) = (points[*other].x - points[*one].x, points[*other].y - points[*one].y);
            let distance = (dx * dx + dy * dy).sqrt();
            forces[*one].x += dx * distance;
            forces[*one].y += dy * distance;
            forces[*other].x -= dx * distance;
            forces[*other].y -= dy * distance;
        }
        let heat = side / 10.0 * (1.0 - step as f64 / options.iterations as f64) + 1e-3;
        for (point, force) in points.iter_mut().zip(&forces) {
            let (fx, fy) = (force.x - gravity * (point.x - side / 2.0), force.y - gravity * (point.y - side / 2.0));
            let strength = (fx * fx + fy * fy).sqrt();
            if strength > 0.0 {
                let length = strength.min(heat) / strength;
                point.x += fx * length;
                point.y += fy * length;
            }
        }
    }
    points
}

/// Random numbers (splitmix64).
struct SplitMix(u64);

impl SplitMix {
    /// A number in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

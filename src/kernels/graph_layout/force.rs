//! Places nodes by forces: neighbours attract each other, all nodes repel each other.
//!
//! ```text
//!  ┌───────┬───────┐     Far cells of a tree of squares push as one body:
//!  │   •   │ •     │     a node at ○ meets the four nodes of the cell at the
//!  ├───┬───┤   ○   │     lower left at their centre of mass. A step takes
//!  │•  │•  │       │     n log n time instead of n².
//!  │• •│   │       │
//!  └───┴───┴───────┘
//! ```
//! Lengths are in units of the wanted length of an edge.

use super::{Neighbours, Options, Point};

/// A cell whose size is below this part of its distance pushes as one body.
const OPENING: f64 = 0.9;
/// Pull to the middle that keeps separate parts together.
const GRAVITY: f64 = 0.1;
const DEEPEST: u32 = 40;
const NONE: u32 = u32::MAX;

/// Runs the forces from random places until they have cooled down.
pub(super) fn places(neighbours: &Neighbours, options: &Options) -> Vec<Point> {
    let count = neighbours.count();
    let side = (count as f64).sqrt();
    let mut random = Random(options.seed);
    let mut points: Vec<Point> =
        (0..count).map(|_| Point { x: side * random.unit(), y: side * random.unit() }).collect();
    let edges: Vec<(usize, usize)> = neighbours.edges().collect();
    let gravity = if neighbours.centers().len() > 1 { GRAVITY } else { 0.0 };
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

/// The push that each point gets from all others: one over the distance.
pub(super) fn repulsions(points: &[Point], opening: f64) -> Vec<Point> {
    let tree = Squares::of(points);
    let mut stack = vec![];
    (0..points.len()).map(|node| tree.push_on(node, points, opening, &mut stack)).collect()
}

/// A cell of the tree.
#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Number of points in it.
    mass: f64,
    /// Sum of their positions; their centre of mass once all are in.
    x: f64,
    y: f64,
    size: f64,
    children: [u32; 4],
    /// The only point, or the first of those that a deepest cell holds.
    point: u32,
    is_divided: bool,
}

impl Cell {
    fn new(size: f64) -> Cell {
        Cell { mass: 0.0, x: 0.0, y: 0.0, size, children: [NONE; 4], point: NONE, is_divided: false }
    }
}

/// Squares in squares, each with its points or with four smaller squares.
struct Squares {
    cells: Vec<Cell>,
}

impl Squares {
    fn of(points: &[Point]) -> Squares {
        let low = |of: fn(&Point) -> f64| points.iter().map(of).fold(f64::INFINITY, f64::min);
        let high = |of: fn(&Point) -> f64| points.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
        let (left, top) = (low(|p| p.x), low(|p| p.y));
        let size = (high(|p| p.x) - left).max(high(|p| p.y) - top);
        let mut tree = Squares { cells: Vec::with_capacity(points.len() * 2 + 1) };
        tree.cells.push(Cell::new(size));
        for (index, point) in points.iter().enumerate() {
            tree.insert(index as u32, *point, points, left, top);
        }
        for cell in &mut tree.cells {
            cell.x /= cell.mass;
            cell.y /= cell.mass;
        }
        tree
    }

    fn insert(&mut self, index: u32, point: Point, points: &[Point], mut left: f64, mut top: f64) {
        let mut cell = 0;
        for depth in 0..=DEEPEST {
            let (size, resident) = (self.cells[cell].size, self.cells[cell].point);
            let is_empty = self.cells[cell].mass == 0.0;
            self.cells[cell].mass += 1.0;
            self.cells[cell].x += point.x;
            self.cells[cell].y += point.y;
            if is_empty {
                self.cells[cell].point = index;
                return;
            }
            if depth == DEEPEST {
                return;
            }
            if !self.cells[cell].is_divided {
                self.cells[cell].is_divided = true;
                let moved = points[resident as usize];
                let child = self.child(cell, moved, left, top, size).0;
                self.cells[child] = Cell { mass: 1.0, x: moved.x, y: moved.y, point: resident, ..self.cells[child] };
            }
            (cell, left, top) = self.child(cell, point, left, top, size);
        }
    }

    /// The quarter of a cell that a point lies in, and its corner.
    fn child(&mut self, cell: usize, point: Point, left: f64, top: f64, size: f64) -> (usize, f64, f64) {
        let half = size / 2.0;
        let (right, below) = (point.x >= left + half, point.y >= top + half);
        let quarter = usize::from(right) + 2 * usize::from(below);
        if self.cells[cell].children[quarter] == NONE {
            self.cells[cell].children[quarter] = self.cells.len() as u32;
            self.cells.push(Cell::new(half));
        }
        let child = self.cells[cell].children[quarter] as usize;
        (child, if right { left + half } else { left }, if below { top + half } else { top })
    }

    fn push_on(&self, node: usize, points: &[Point], opening: f64, stack: &mut Vec<u32>) -> Point {
        let place = points[node];
        let mut push = Point::default();
        stack.clear();
        stack.push(0);
        while let Some(index) = stack.pop() {
            let cell = &self.cells[index as usize];
            let (dx, dy) = (place.x - cell.x, place.y - cell.y);
            let square = dx * dx + dy * dy;
            if cell.is_divided && cell.size * cell.size >= opening * opening * square {
                stack.extend(cell.children.iter().filter(|child| **child != NONE));
                continue;
            }
            if cell.point == node as u32 && cell.mass == 1.0 {
                continue;
            }
            let (x, y) = if square > 1e-18 { (dx / square, dy / square) } else { apart(node) };
            push.x += x * cell.mass;
            push.y += y * cell.mass;
        }
        push
    }
}

/// A push for a node that lies on another one: each node has its own direction.
fn apart(node: usize) -> (f64, f64) {
    let slant = (node % 1024) as f64 / 512.0 - 1.0;
    (slant, if node.is_multiple_of(2) { 1.0 } else { -1.0 })
}

/// Random numbers (splitmix64).
struct Random(u64);

impl Random {
    /// A number in `[0, 1)`.
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

//! How all points push each other away, by a tree of squares (Barnes and Hut, 1986).
//!
//! ```text
//!  ┌───────┬───────┐     Far cells push as one body: a node at ○ meets the
//!  │   •   │ •     │     four nodes of the cell at the lower left at their
//!  ├───┬───┤   ○   │     centre of mass. All takes n log n time instead of n².
//!  │•  │•  │       │
//!  │• •│   │       │
//!  └───┴───┴───────┘
//! ```
//! Points are sorted along a curve that fills square after square (Morton), so a cell is a run of points and the
//! cells of a branch follow each other. Neighbors are served in groups: one walk through the tree gathers the bodies
//! that push a group, and a plain loop adds up their pushes for all points of the group at once.

use super::graph::LayoutPoint;

/// Points of a cell that is not divided, and of a group.
const GROUP: usize = 16;
/// Bits of a place on the curve, per direction.
const BITS: u32 = 16;
/// A square distance below this counts as this.
const NEAREST: f64 = 1e-18;

/// The push that each point gets from all others: one over the distance. A cell whose size is below `opening` times its
/// distance pushes as one body.
pub(super) fn repulsions(points: &[LayoutPoint], opening: f64) -> Vec<LayoutPoint> {
    let mut pushes = vec![LayoutPoint::default(); points.len()];
    let tree = Squares::of(points);
    let mut bodies = Bodies::default();
    for cell in tree.cells.iter().filter(|cell| cell.is_leaf) {
        for group in (cell.first..cell.last).step_by(GROUP) {
            let group = group..(group + GROUP).min(cell.last);
            tree.gather(group.clone(), opening, &mut bodies);
            tree.push(group, &bodies, &mut pushes);
        }
    }
    tree.part_twins(&mut pushes);
    pushes
}

/// A square with a run of points.
#[derive(Debug, Clone, Copy)]
struct QuadCell {
    /// How many points it has, and their centre.
    mass: f64,
    x: f64,
    y: f64,
    size: f64,
    first: usize,
    last: usize,
    is_leaf: bool,
    /// The cell after those inside this one.
    next: usize,
}

/// What pushes a group: points and whole cells.
#[derive(Debug, Default)]
struct Bodies {
    x: Vec<f64>,
    y: Vec<f64>,
    mass: Vec<f64>,
}

impl Bodies {
    fn add(&mut self, x: f64, y: f64, mass: f64) {
        self.x.push(x);
        self.y.push(y);
        self.mass.push(mass);
    }
}

/// Points along the curve, and the squares that they lie in: each before those inside it.
struct Squares {
    /// Which point stands at each place of the curve.
    nodes: Vec<usize>,
    codes: Vec<u32>,
    x: Vec<f64>,
    y: Vec<f64>,
    cells: Vec<QuadCell>,
}

impl Squares {
    fn of(points: &[LayoutPoint]) -> Squares {
        let range = |of: fn(&LayoutPoint) -> f64| {
            let values = || points.iter().map(of);
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
        };
        let ((left, right), (top, bottom)) = (range(|point| point.x), range(|point| point.y));
        let size = (right - left).max(bottom - top);
        let scale = if size > 0.0 { f64::from((1_u32 << BITS) - 1) / size } else { 0.0 };
        let code = |point: &LayoutPoint| {
            spread(((point.x - left) * scale) as u32) | spread(((point.y - top) * scale) as u32) << 1
        };
        let mut order: Vec<(u32, usize)> = points.iter().map(code).zip(0..).collect();
        order.sort_unstable();
        let nodes: Vec<usize> = order.iter().map(|(_, node)| *node).collect();
        let mut tree = Squares {
            codes: order.iter().map(|(code, _)| *code).collect(),
            x: nodes.iter().map(|node| points[*node].x).collect(),
            y: nodes.iter().map(|node| points[*node].y).collect(),
            cells: Vec::with_capacity(points.len() / 4 + 1),
            nodes,
        };
        if !points.is_empty() {
            // A little larger than the points need, for what rounding to the grid of codes moves.
            tree.divide(0, points.len(), BITS, size * 1.0001);
        }
        tree
    }

    /// Adds the cell of a run of points, and the cells inside it; gives its mass and the sums of its places.
    fn divide(&mut self, first: usize, last: usize, level: u32, size: f64) -> (f64, f64, f64) {
        let index = self.cells.len();
        let is_leaf = last - first <= GROUP || level == 0;
        self.cells.push(QuadCell { mass: 0.0, x: 0.0, y: 0.0, size, first, last, is_leaf, next: 0 });
        let (mut mass, mut x, mut y) = (0.0, 0.0, 0.0);
        if is_leaf {
            mass = (last - first) as f64;
            x = self.x[first..last].iter().sum();
            y = self.y[first..last].iter().sum();
        } else {
            let shift = 2 * (level - 1);
            let mut from = first;
            for quarter in 0..4 {
                let run = &self.codes[from..last];
                let to = from + run.partition_point(|code| (code >> shift) & 3 <= quarter);
                if to > from {
                    let inside = self.divide(from, to, level - 1, size / 2.0);
                    (mass, x, y) = (mass + inside.0, x + inside.1, y + inside.2);
                }
                from = to;
            }
        }
        let next = self.cells.len();
        self.cells[index] = QuadCell { mass, x: x / mass, y: y / mass, next, ..self.cells[index] };
        (mass, x, y)
    }

    /// Gathers what pushes a group of points.
    fn gather(&self, group: std::ops::Range<usize>, opening: f64, bodies: &mut Bodies) {
        for numbers in [&mut bodies.x, &mut bodies.y, &mut bodies.mass] {
            numbers.clear();
        }
        let middle = |values: &[f64]| {
            let (low, high) =
                values.iter().fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(*value), high.max(*value)));
            ((low + high) / 2.0, (high - low) / 2.0)
        };
        let ((x, half_width), (y, half_height)) = (middle(&self.x[group.clone()]), middle(&self.y[group]));
        let radius = (half_width * half_width + half_height * half_height).sqrt();
        let mut index = 0;
        while let Some(cell) = self.cells.get(index) {
            let (dx, dy) = (x - cell.x, y - cell.y);
            let distance = (dx * dx + dy * dy).sqrt() - radius;
            if cell.size < opening * distance {
                bodies.add(cell.x, cell.y, cell.mass);
                index = cell.next;
            } else if cell.is_leaf {
                (cell.first..cell.last).for_each(|place| bodies.add(self.x[place], self.y[place], 1.0));
                index = cell.next;
            } else {
                index += 1;
            }
        }
    }

    /// Adds up what bodies push each point of a group. A point does not push itself: it has no direction.
    fn push(&self, group: std::ops::Range<usize>, bodies: &Bodies, pushes: &mut [LayoutPoint]) {
        let (mut x, mut y) = ([0.0; GROUP], [0.0; GROUP]);
        let (mut push_x, mut push_y) = ([0.0; GROUP], [0.0; GROUP]);
        x[..group.len()].copy_from_slice(&self.x[group.clone()]);
        y[..group.len()].copy_from_slice(&self.y[group.clone()]);
        for ((body_x, body_y), mass) in bodies.x.iter().zip(&bodies.y).zip(&bodies.mass) {
            for place in 0..GROUP {
                let (dx, dy) = (x[place] - body_x, y[place] - body_y);
                let strength = mass / (dx * dx + dy * dy).max(NEAREST);
                push_x[place] += dx * strength;
                push_y[place] += dy * strength;
            }
        }
        for (place, node) in self.nodes[group].iter().enumerate() {
            pushes[*node] = LayoutPoint { x: push_x[place], y: push_y[place] };
        }
    }

    /// Points on one place stand side by side on the curve: each gets a push in a direction of its own.
    fn part_twins(&self, pushes: &mut [LayoutPoint]) {
        for place in 1..self.nodes.len() {
            if self.x[place] == self.x[place - 1] && self.y[place] == self.y[place - 1] {
                let node = self.nodes[place];
                let slant = (node % 1024) as f64 / 512.0 - 1.0;
                pushes[node].x += slant;
                pushes[node].y += if node.is_multiple_of(2) { 1.0 } else { -1.0 };
            }
        }
    }
}

/// The bits of a number with a free bit after each.
fn spread(number: u32) -> u32 {
    let mut bits = number & 0xFFFF;
    bits = (bits | bits << 8) & 0x00FF_00FF;
    bits = (bits | bits << 4) & 0x0F0F_0F0F;
    bits = (bits | bits << 2) & 0x3333_3333;
    (bits | bits << 1) & 0x5555_5555
}

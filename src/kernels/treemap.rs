//! Treemaps: a tree of weights becomes nested rectangles whose areas are proportional to the weights.
//!
//! ```text
//!        A(6)            ┌───────┬─────┐
//!      ┌──┼──┐           │ E  F  │ H I │     siblings tile their parent; a node without weight
//!    B(3) C(2) D         │ G     ├─────┤     has no rectangle
//!    EFG  HI             │       │  D  │
//!                        └───────┴─────┘
//! ```
//! In: a tree with parents before children. Out: a rectangle per node. Lengths come from multiplying
//! shares and never from subtracting positions: a weight of 1e-12 beside one of 1e12 keeps its area.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// How children are placed in their parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreemapAlgorithm {
    /// Rectangles near squares, the heaviest first (Bruls, Huizing and van Wijk, 2000).
    Squarified,
    /// All beside each other, then all below each other, from level to level (Shneiderman, 1992).
    SliceAndDice,
    /// Rows from left to right in the order of the children (Bederson, Shneiderman and Wattenberg, 2002).
    Strip,
}

/// A rectangle: its upper left corner, and its size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Distance of its left side.
    pub x: f64,
    /// Distance of its upper side.
    pub y: f64,
    /// Length of its upper side.
    pub width: f64,
    /// Length of its left side.
    pub height: f64,
}

impl Rectangle {
    /// Width times height.
    pub fn area(&self) -> f64 {
        self.width * self.height
    }

    /// What a border leaves; at least half of each side.
    fn inside(&self, border: f64) -> Rectangle {
        let (left, top) = (border.min(self.width / 4.0), border.min(self.height / 4.0));
        Rectangle { x: self.x + left, y: self.y + top, width: self.width - 2.0 * left, height: self.height - 2.0 * top }
    }
}

/// A tree of weights.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WeightTree {
    /// The parent of each node, which comes before it; `None` for a root. Several roots share the area.
    pub parents: Vec<Option<usize>>,
    /// The weight of each node itself, without those below; finite and not negative.
    pub weights: Vec<f64>,
}

/// What a treemap looks like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TreemapOptions {
    /// How children are placed.
    pub algorithm: TreemapAlgorithm,
    /// Width of the picture.
    pub width: f64,
    /// Height of the picture.
    pub height: f64,
    /// Room between a node and what is in it.
    pub padding: f64,
    /// Smaller rectangles are left out, with all that is in them.
    pub min_area: f64,
}

/// A node of a treemap: all the weight in it, and its place, if it has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlacedNode {
    /// Weight of the node and of all below it.
    pub weight: f64,
    /// Where it lies; `None` when it is too small.
    pub rectangle: Option<Rectangle>,
}

/// Places the nodes of a tree.
///
/// A node that has a weight of its own besides children keeps a part of its area free for it. Ties keep
/// the order of the nodes. Takes n log n time.
pub fn treemap(tree: &WeightTree, options: &TreemapOptions) -> Vec<PlacedNode> {
    let children = Children::of(tree);
    let mut placed: Vec<PlacedNode> =
        tree.weights.iter().map(|weight| PlacedNode { weight: *weight, rectangle: None }).collect();
    for (node, parent) in tree.parents.iter().enumerate().rev() {
        if let Some(parent) = *parent {
            placed[parent].weight += placed[node].weight;
        }
    }
    let whole = Rectangle { x: 0.0, y: 0.0, width: options.width, height: options.height };
    let mut depths = vec![0_u32; tree.parents.len()];
    place_all(&children.roots, None, whole, 0, options, &mut placed);
    for node in 0..tree.parents.len() {
        if let Some(parent) = tree.parents[node] {
            depths[node] = depths[parent] + 1;
        }
        let inner = children.of_node(node);
        if let (Some(rectangle), false) = (placed[node].rectangle, inner.is_empty()) {
            let own = Some(tree.weights[node]).filter(|own| *own > 0.0);
            let inside = rectangle.inside(options.padding);
            place_all(inner, own, inside, depths[node] + 1, options, &mut placed);
        }
    }
    placed
}

/// The children of every node, one after the other in one list.
struct Children {
    roots: Vec<usize>,
    starts: Vec<usize>,
    nodes: Vec<usize>,
}

impl Children {
    fn of(tree: &WeightTree) -> Children {
        let mut starts = vec![0; tree.parents.len() + 1];
        for parent in tree.parents.iter().flatten() {
            starts[parent + 1] += 1;
        }
        for node in 0..tree.parents.len() {
            starts[node + 1] += starts[node];
        }
        let mut free = starts.clone();
        let mut nodes = vec![0; tree.parents.iter().flatten().count()];
        let mut roots = vec![];
        for (node, parent) in tree.parents.iter().enumerate() {
            match *parent {
                None => roots.push(node),
                Some(parent) => {
                    nodes[free[parent]] = node;
                    free[parent] += 1;
                }
            }
        }
        Children { roots, starts, nodes }
    }

    fn of_node(&self, node: usize) -> &[usize] {
        &self.nodes[self.starts[node]..self.starts[node + 1]]
    }
}

/// Places siblings; `own` is weight of the parent that takes part and gets no rectangle.
fn place_all(
    siblings: &[usize],
    own: Option<f64>,
    area: Rectangle,
    depth: u32,
    options: &TreemapOptions,
    placed: &mut [PlacedNode],
) {
    let mut items: Vec<TreemapItem> = siblings
        .iter()
        .map(|node| TreemapItem { node: Some(*node), weight: placed[*node].weight })
        .chain(own.map(|weight| TreemapItem { node: None, weight }))
        .filter(|item| item.weight > 0.0)
        .collect();
    if items.is_empty() {
        return;
    }
    if options.algorithm == TreemapAlgorithm::Squarified {
        items.sort_by(TreemapItem::heaviest_first);
    }
    let mut put = |item: &TreemapItem, rectangle: Rectangle| {
        if let Some(node) = item.node
            && rectangle.area() >= options.min_area
        {
            placed[node].rectangle = Some(rectangle);
        }
    };
    match options.algorithm {
        TreemapAlgorithm::Squarified => squarified(&items, area, &mut put),
        TreemapAlgorithm::SliceAndDice => {
            let direction = if depth.is_multiple_of(2) { RowDirection::Across } else { RowDirection::Down };
            row(&items, area, direction, &mut put);
        }
        TreemapAlgorithm::Strip => strips(&items, area, &mut put),
    }
}

#[derive(Debug, Clone, Copy)]
struct TreemapItem {
    node: Option<usize>,
    weight: f64,
}

impl TreemapItem {
    /// Sums in another order differ in their last bits; such weights are taken as equal.
    fn heaviest_first(&self, other: &TreemapItem) -> Ordering {
        let rounded = |weight: f64| (weight.to_bits() + 0x800) >> 12;
        rounded(other.weight).cmp(&rounded(self.weight))
    }
}

/// Which way the rectangles of a row follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowDirection {
    Across,
    Down,
}

/// Fills an area with one row.
fn row(items: &[TreemapItem], area: Rectangle, direction: RowDirection, put: &mut impl FnMut(&TreemapItem, Rectangle)) {
    let total: f64 = items.iter().map(|item| item.weight).sum();
    let mut before = 0.0;
    for item in items {
        let (share, start) = (item.weight / total, (before / total).min(1.0));
        before += item.weight;
        put(
            item,
            match direction {
                RowDirection::Across => Rectangle { x: area.x + area.width * start, width: area.width * share, ..area },
                RowDirection::Down => {
                    Rectangle { y: area.y + area.height * start, height: area.height * share, ..area }
                }
            },
        );
    }
}

/// Weights of the items from each one on, added from the last, so that small ones are not lost.
fn rests(items: &[TreemapItem]) -> Vec<f64> {
    let mut rests = vec![0.0; items.len() + 1];
    for (index, item) in items.iter().enumerate().rev() {
        rests[index] = rests[index + 1] + item.weight;
    }
    rests
}

/// Rows along the shorter side of what is left, each as long as its worst rectangle gets better.
fn squarified(items: &[TreemapItem], mut area: Rectangle, put: &mut impl FnMut(&TreemapItem, Rectangle)) {
    let rests = rests(items);
    let mut first = 0;
    while first < items.len() {
        let across = area.width < area.height;
        let (side, other) = if across { (area.width, area.height) } else { (area.height, area.width) };
        let (last, sum) = longest_row(items, first, rests[first] * side / other);
        let is_end = last == items.len();
        let share = if is_end { 1.0 } else { sum / rests[first] };
        let rest = if is_end { 0.0 } else { rests[last] / rests[first] };
        let (piece, left) = if across { split_down(area, share, rest) } else { split_across(area, share, rest) };
        row(&items[first..last], piece, if across { RowDirection::Across } else { RowDirection::Down }, put);
        area = left;
        first = last;
    }
}

/// The end of the row that starts at `first`, and its weight.
///
/// `scale` is the square of the side, in units of weight: a row of sum s is s / side thick, and its item
/// of weight w has the aspect ratio scale · w / s², or the inverse of it.
fn longest_row(items: &[TreemapItem], first: usize, scale: f64) -> (usize, f64) {
    let worst = |least: f64, sum: f64| {
        let (heavy, light) = (items[first].weight / sum / sum * scale, sum / least * sum / scale);
        heavy.max(light)
    };
    let mut sum = items[first].weight;
    let mut ratio = worst(sum, sum);
    for (last, item) in items.iter().enumerate().skip(first + 1) {
        let longer = sum + item.weight;
        let ratio_with = worst(item.weight, longer);
        if ratio_with > ratio {
            return (last, sum);
        }
        (sum, ratio) = (longer, ratio_with);
    }
    (items.len(), sum)
}

/// The left part of an area and what is left of it, by their shares of the width.
fn split_across(area: Rectangle, share: f64, rest: f64) -> (Rectangle, Rectangle) {
    let left = area.width * rest;
    let remainder = Rectangle { x: area.x + (area.width - left), width: left, ..area };
    (Rectangle { width: area.width * share, ..area }, remainder)
}

/// The upper part of an area and what is left of it, by their shares of the height.
fn split_down(area: Rectangle, share: f64, rest: f64) -> (Rectangle, Rectangle) {
    let left = area.height * rest;
    let remainder = Rectangle { y: area.y + (area.height - left), height: left, ..area };
    (Rectangle { height: area.height * share, ..area }, remainder)
}

/// Rows from the top, each as long as the mean aspect ratio of its rectangles gets better.
fn strips(items: &[TreemapItem], mut area: Rectangle, put: &mut impl FnMut(&TreemapItem, Rectangle)) {
    let rests = rests(items);
    let mut first = 0;
    while first < items.len() {
        let (last, sum) = longest_strip(items, first, rests[first] * area.width / area.height);
        let is_end = last == items.len();
        let share = if is_end { 1.0 } else { sum / rests[first] };
        let rest = if is_end { 0.0 } else { rests[last] / rests[first] };
        let (piece, left) = split_down(area, share, rest);
        row(&items[first..last], piece, RowDirection::Across, put);
        area = left;
        first = last;
    }
}

/// The end of the strip that starts at `first`, and its weight; `scale` as for [`longest_row`].
fn longest_strip(items: &[TreemapItem], first: usize, scale: f64) -> (usize, f64) {
    let mut strip = Strip { scale, ..Strip::default() };
    strip.add(items[first].weight);
    for (last, item) in items.iter().enumerate().skip(first + 1) {
        let (sum, mean) = (strip.sum, strip.mean());
        strip.add(item.weight);
        if strip.mean() > mean {
            return (last, sum);
        }
    }
    (items.len(), strip.sum)
}

/// A strip that grows. An item of weight w in a strip of sum s is wide while w · scale > s², then tall:
/// its aspect ratio is w · scale / s² or the inverse. The strip only gets heavier, so each item turns once.
#[derive(Debug, Default)]
struct Strip {
    scale: f64,
    sum: f64,
    count: f64,
    /// Weights of the wide items, the lightest on top. A positive number orders as its bits do.
    wide: BinaryHeap<Reverse<u64>>,
    wide_weights: f64,
    tall_inverses: f64,
}

impl Strip {
    fn add(&mut self, weight: f64) {
        self.sum += weight;
        self.count += 1.0;
        self.wide.push(Reverse(weight.to_bits()));
        self.wide_weights += weight;
        while let Some(Reverse(bits)) = self.wide.peek().copied()
            && f64::from_bits(bits) * self.scale <= self.sum * self.sum
        {
            self.wide.pop();
            self.wide_weights -= f64::from_bits(bits);
            self.tall_inverses += f64::from_bits(bits).recip();
        }
        if self.wide.is_empty() {
            self.wide_weights = 0.0;
        }
    }

    /// The mean aspect ratio.
    fn mean(&self) -> f64 {
        let ratio = self.scale / self.sum / self.sum;
        (self.wide_weights * ratio + self.tall_inverses / ratio) / self.count
    }
}

#[cfg(test)]
mod tests;

//! The cut search: Algorithm 1, which finds the partition that maximizes `p · gain − (1 − p) · loss`.
//!
//! The best value of an area is that of the area itself, or the sum of its children's, or the best sum of two
//! shorter intervals. For one node, with rows of equal first slice and half-open intervals:
//!
//! ```text
//!  best[a, c) = max over b of best[a, b) + best[b, c)
//! ```
//! Values lie by length, then by first slice ([`super::triangle`]). All intervals of one length depend on shorter ones
//! only, and for one way to split the length, both summands of neighbors are neighbors: the inner loop reads two
//! contiguous rows, writes a third, waits for nothing, and is plain vector code. Cuts are not stored: a partition looks
//! at few areas, and finds the cut of each again by the same additions.
//!
//! Values within [`TIE`] of each other, relative to the information of the node, are equal: rounding alone cuts nothing.
//! Of equal partitions, [`Ties::Fewest`] takes one with the fewest areas, by a price on every area that is too small to
//! change anything else. [`Ties::Order`] is the paper's: no cut, then the spatial cut, then the earliest temporal cut;
//! where many partitions are equal, as where everything is in one pure state, it gives more areas than there need be.

use rayon::prelude::*;

use super::interrupt::{Interrupt, Interrupted};
use super::measures::{Measures, Quality, TIE, add};
use super::triangle::{cell, cells, row};

/// From this many summands on, the cut in space of one node is shared among threads.
const SHARED_CELLS: usize = 1 << 16;
/// Cells that a thread takes at a time.
const PIECE: usize = 1 << 9;

/// A node during an interval of slices, both ends included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PartitionArea {
    /// The node, by its place in the tree.
    pub node: usize,
    /// First slice.
    pub first: usize,
    /// Last slice, included.
    pub last: usize,
    /// The container that the area is named after: the top of the node's chain when the area was reached from above,
    /// the bottom after a cut in time.
    pub container: Option<usize>,
    /// Gain and loss of the area.
    pub quality: Quality,
}

/// Disjoint areas that cover everything, by first leaf and first slice.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AreaPartition {
    /// The areas.
    pub areas: Vec<PartitionArea>,
    /// Gain and loss of all areas together.
    pub quality: Quality,
}

/// Which of several best partitions is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ties {
    /// At every cut: none, then in space, then the earliest in time.
    Order,
    /// One with the fewest areas; of these, by order.
    Fewest,
}

/// What an area costs with [`Ties::Fewest`]: this many times what counts as equal.
const PRICE: f64 = 8.0;

/// What becomes of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AreaCut {
    Whole,
    /// Into its children.
    Space,
    /// Into the slices up to this one, and those after it.
    Time(usize),
}

/// Finds partitions of one model, for one p after the other.
#[derive(Debug)]
pub struct PartitionSearch {
    measures: Measures,
    /// Taken from the value of every area.
    price: f64,
    p: f64,
    /// Of each node: the best value of every interval.
    best: Vec<f64>,
    interrupt: Interrupt,
}

/// How many sums of two values a search compares for one p: for every node, each cut in time of each interval.
pub fn additions(nodes: usize, slices: usize) -> f64 {
    let (nodes, slices) = (nodes as f64, slices as f64);
    nodes * (slices - 1.0) * slices * (slices + 1.0) / 6.0
}

impl PartitionSearch {
    /// A search over measures that were computed before.
    pub fn new(measures: Measures, ties: Ties) -> PartitionSearch {
        let best = vec![0.0; measures.tree().nodes().len() * cells(measures.slices())];
        let price = match ties {
            Ties::Order => 0.0,
            Ties::Fewest => PRICE * TIE * measures.scale(measures.tree().root()),
        };
        PartitionSearch { measures, price, p: f64::NAN, best, interrupt: Interrupt::default() }
    }

    /// The same search, which stops once it is interrupted.
    pub fn with_interrupt(self, interrupt: Interrupt) -> PartitionSearch {
        PartitionSearch { interrupt, ..self }
    }

    /// The measures that are searched.
    pub fn measures(&self) -> &Measures {
        &self.measures
    }

    /// What is taken from the value of every area.
    pub(super) fn price(&self) -> f64 {
        self.price
    }

    /// The best partition for p, from 0 (lose nothing) to 1 (gain most).
    pub fn partition(&mut self, p: f64) -> Result<AreaPartition, Interrupted> {
        self.prepare(p)?;
        let mut areas = vec![];
        self.collect(self.measures.tree().root(), (0, self.measures.slices() - 1), AreaEntry::FromAbove, &mut areas);
        areas.sort_by_key(|area| self.order(area));
        let quality = areas.iter().fold(Quality::default(), |sum, area| sum + area.quality);
        Ok(AreaPartition { areas, quality })
    }

    /// Computes the best values for p.
    pub(super) fn prepare(&mut self, p: f64) -> Result<(), Interrupted> {
        if self.p == p {
            return Ok(());
        }
        // Values that are half done belong to no p.
        self.p = f64::NAN;
        let PartitionSearch { measures, best, price, interrupt, .. } = self;
        let tree = measures.tree();
        let size = cells(measures.slices());
        for level in tree.levels() {
            let (below, rest) = best.split_at_mut(level.start * size);
            let nodes = &mut rest[..level.len() * size];
            nodes.par_chunks_mut(size).zip(level.clone()).try_for_each_init(Vec::new, |sums, (best, node)| {
                own_values(best, measures, node, p, *price);
                let children = tree.children(node);
                if !children.is_empty() {
                    cut_space(best, sums, children, below);
                }
                cut_time(best, measures.slices(), interrupt)
            })?;
        }
        self.p = p;
        Ok(())
    }

    /// What becomes of an area, by the rules of ties. `prepare` comes first.
    pub(super) fn cut(&self, node: usize, first: usize, last: usize) -> AreaCut {
        let slices = self.measures.slices();
        let value = |node: usize, first: usize, last: usize| self.best_of(node)[cell(slices, first, last)];
        let best = value(node, first, last);
        let enough = best - TIE * self.measures.scale(node);
        let quality = self.measures.quality(node, first, last);
        if self.p * quality.gain - (1.0 - self.p) * quality.loss - self.price >= enough {
            return AreaCut::Whole;
        }
        let children = self.measures.tree().children(node);
        if !children.is_empty() && children.iter().map(|child| value(*child, first, last)).sum::<f64>() >= enough {
            return AreaCut::Space;
        }
        let cut = (first..last).find(|cut| value(node, first, *cut) + value(node, cut + 1, last) >= enough);
        cut.map_or(AreaCut::Whole, AreaCut::Time)
    }

    fn best_of(&self, node: usize) -> &[f64] {
        let size = cells(self.measures.slices());
        &self.best[node * size..(node + 1) * size]
    }

    /// Adds the areas that a node is cut into during an interval.
    pub(super) fn collect(
        &self,
        node: usize,
        interval: (usize, usize),
        entry: AreaEntry,
        areas: &mut Vec<PartitionArea>,
    ) {
        let tree = self.measures.tree();
        let mut waiting = vec![(node, interval, entry)];
        while let Some((node, (first, last), entry)) = waiting.pop() {
            match self.cut(node, first, last) {
                AreaCut::Whole => areas.push(self.area(node, first, last, entry)),
                AreaCut::Space => {
                    waiting
                        .extend(tree.children(node).iter().map(|child| (*child, (first, last), AreaEntry::FromAbove)));
                }
                AreaCut::Time(cut) => {
                    waiting.push((node, (cut + 1, last), AreaEntry::FromCut));
                    waiting.push((node, (first, cut), AreaEntry::FromCut));
                }
            }
        }
    }

    /// What areas are sorted by: first leaf, then time.
    pub(super) fn order(&self, area: &PartitionArea) -> (usize, usize) {
        (self.measures.tree().nodes()[area.node].first_leaf, area.first)
    }

    pub(super) fn area(&self, node: usize, first: usize, last: usize, entry: AreaEntry) -> PartitionArea {
        let place = &self.measures.tree().nodes()[node];
        let container = match entry {
            AreaEntry::FromAbove => place.top,
            AreaEntry::FromCut => place.bottom,
        };
        PartitionArea { node, first, last, container, quality: self.measures.quality(node, first, last) }
    }
}

/// How an area of a node was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AreaEntry {
    /// By a cut in space, or as the whole.
    FromAbove,
    /// By a cut in time of a longer interval of the same node.
    FromCut,
}

/// The values of all intervals of a node as areas of their own.
fn own_values(best: &mut [f64], measures: &Measures, node: usize, p: f64, price: f64) {
    let slices = measures.slices();
    let (h, sums) = (measures.h(node), measures.sums(node));
    let (total, information) = (sums.total(), sums.information());
    for length in 1..=slices {
        let weights = measures.weights(node, length, p);
        let constant = weights.constant - price;
        let place = row(slices, length);
        let totals = total[length..].iter().zip(total);
        let informations = information[length..].iter().zip(information);
        let rows = best[place.clone()].iter_mut().zip(&h[place]).zip(totals.zip(informations));
        for ((best, h), ((total, total_before), (information, information_before))) in rows {
            *best = h * weights.h + (total - total_before) * weights.total
                - (information - information_before) * weights.information
                + constant;
        }
    }
}

/// Raises values to the sums of the children's best values.
fn cut_space(best: &mut [f64], sums: &mut Vec<f64>, children: &[usize], below: &[f64]) {
    let size = best.len();
    sums.clear();
    sums.resize(size, 0.0);
    let raise = |start: usize, best: &mut [f64], sums: &mut [f64]| {
        for child in children {
            add(sums, &below[child * size + start..][..sums.len()]);
        }
        for (best, sum) in best.iter_mut().zip(sums) {
            *best = larger(*best, *sum);
        }
    };
    if children.len() * size < SHARED_CELLS {
        return raise(0, best, sums);
    }
    // Every cell adds its children in the same order, whatever the threads.
    let pieces = best.par_chunks_mut(PIECE).zip(sums.par_chunks_mut(PIECE)).enumerate();
    pieces.for_each(|(place, (best, sums))| raise(place * PIECE, best, sums));
}

#[inline(always)]
fn larger(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

/// Raises values to the best sums over cuts in time.
fn cut_time(best: &mut [f64], slices: usize, interrupt: &Interrupt) -> Result<(), Interrupted> {
    for length in 2..=slices {
        interrupt.check()?;
        let (shorter, rest) = best.split_at_mut(row(slices, length).start);
        let current = &mut rest[..slices + 1 - length];
        let count = current.len();
        // What lies before and after a cut that leaves `before` slices on its left.
        let parts = |before: usize| {
            let (left, right) = (row(slices, before).start, row(slices, length - before).start + before);
            (&shorter[left..left + count], &shorter[right..right + count])
        };
        // Several cuts at once: the row is read and written less often.
        let mut before = 1;
        while before + 4 <= length {
            raise(current, std::array::from_fn::<_, 4, _>(|step| parts(before + step)));
            before += 4;
        }
        while before + 2 <= length {
            raise(current, std::array::from_fn::<_, 2, _>(|step| parts(before + step)));
            before += 2;
        }
        if before < length {
            raise(current, [parts(before)]);
        }
    }
    Ok(())
}

/// Raises a row to the sums of other rows.
#[inline(always)]
fn raise<const CUTS: usize>(current: &mut [f64], parts: [(&[f64], &[f64]); CUTS]) {
    let count = current.len();
    let parts = parts.map(|(left, right)| (&left[..count], &right[..count]));
    for place in 0..count {
        let mut best = current[place];
        for (left, right) in &parts {
            best = larger(best, left[place] + right[place]);
        }
        current[place] = best;
    }
}

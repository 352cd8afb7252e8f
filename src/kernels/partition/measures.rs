//! Gain and loss of every area: equations 1 to 4, computed once for all p.
//!
//! For a node of R resources and an interval of n slices, N = R·n microscopic areas. With the sums over them
//!
//! ```text
//!  S = Σ_x Σ rho_x            I = Σ_x Σ rho_x log2 rho_x            h = Σ_x r_x log2 r_x,  r_x = (Σ rho_x) / N
//!
//!  loss = I − N·h
//!  gain = h − I               measure Mean: equation 3 as printed, proportions of an area are means
//!  gain = N·h + S·log2 N − I  measure Sum: proportions of an area are sums
//! ```
//! Measure Deviation is for numbers with a sign, such as differences of proportions, of which there is no logarithm. The
//! squares take the place of the information:
//!
//! ```text
//!  I = Σ_x Σ d_x²             h = Σ_x m_x²,  m_x = (Σ d_x) / N
//!
//!  loss = I − N·h = Σ_x Σ (d_x − m_x)²          what is lost when every cell is replaced by the mean of its area
//!  gain = (N − 1) · u,  u = L / (M − 1)          numbers that need not be told, each worth what a cell varies
//! ```
//! where L is the loss of the whole as one area, and M the cells of the whole: one area for everything gains and loses L.
//! S and I are differences of running sums over time, which add up over children; so are the sums behind r_x. Only
//! h needs logarithms, one per area and state, and only h is stored: it gives both measures for every p.

use std::ops::Range;

use rayon::prelude::*;

use super::interrupt::{Interrupt, Interrupted};
use super::logarithm::{add_information, log2};
use super::model::Model;
use super::tree::PartitionTree;
use super::triangle::{cell, cells, row};

/// How much two values may differ and still be equal, relative to the sums that they come from.
pub const TIE: f64 = 1e-12;

/// What equation 3 takes for the proportions of an area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PartitionMeasure {
    /// Their mean, as printed.
    Mean,
    /// Their sum, as the authors' library does.
    Sum,
    /// Squared deviations from their mean: for numbers of either sign.
    Deviation,
}

/// The measures of all areas of a model.
#[derive(Debug)]
pub struct Measures {
    model: Model,
    measure: PartitionMeasure,
    /// Of each node: running sums over time, see [`Sums`].
    sums: Vec<f64>,
    /// Of each node: h of every interval.
    h: Vec<f64>,
    /// What a cell that is saved gains, with [`PartitionMeasure::Deviation`].
    unit: f64,
}

/// Gain and loss of an area or of a partition.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Quality {
    /// How much the aggregation simplifies.
    pub gain: f64,
    /// How much information the aggregation loses.
    pub loss: f64,
}

/// The running sums of a node: before slice t, at place t, of `slices + 1` places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sums<'a> {
    places: usize,
    /// `states` series of rho, then S, then I.
    series: &'a [f64],
}

/// The value of an area is `h · h + total · S − information · I + constant`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weights {
    pub(super) h: f64,
    pub(super) total: f64,
    pub(super) information: f64,
    pub(super) constant: f64,
}

impl std::ops::Add for Quality {
    type Output = Quality;

    fn add(self, more: Quality) -> Quality {
        Quality { gain: self.gain + more.gain, loss: self.loss + more.loss }
    }
}

impl<'a> Sums<'a> {
    fn series(&self, number: usize) -> &'a [f64] {
        &self.series[number * self.places..(number + 1) * self.places]
    }

    /// The running sum of S.
    pub(super) fn total(&self) -> &'a [f64] {
        &self.series[self.series.len() - 2 * self.places..self.series.len() - self.places]
    }

    /// The running sum of I.
    pub(super) fn information(&self) -> &'a [f64] {
        &self.series[self.series.len() - self.places..]
    }
}

impl Measures {
    /// Computes the measures of a model, on all threads of the current rayon pool, until it is interrupted.
    pub fn new(model: Model, measure: PartitionMeasure, interrupt: &Interrupt) -> Result<Measures, Interrupted> {
        let (slices, states) = (model.slices(), model.states());
        let sums = running_sums(&model, measure);
        let size = (slices + 1) * (states + 2);
        let mut h = vec![0.0; model.tree().nodes().len() * cells(slices)];
        let nodes = h.par_chunks_mut(cells(slices)).zip(sums.par_chunks(size)).zip(model.tree().nodes());
        nodes.try_for_each_init(Vec::new, |means, ((h, series), node)| {
            let sums = Sums { places: slices + 1, series };
            information_of_means(h, means, &sums, states, (node.resources as f64, measure), interrupt)
        })?;
        let mut measures = Measures { model, measure, sums, h, unit: 0.0 };
        measures.unit = measures.unit_of_cells();
        Ok(measures)
    }

    /// The loss of the whole as one area, over the cells that it saves.
    fn unit_of_cells(&self) -> f64 {
        let root = self.tree().root();
        let saved = self.tree().nodes()[root].resources as f64 * self.slices() as f64 - 1.0;
        if saved > 0.0 { self.quality(root, 0, self.slices() - 1).loss / saved } else { 0.0 }
    }

    /// The model that is measured.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The tree of the model.
    pub fn tree(&self) -> &PartitionTree {
        self.model.tree()
    }

    /// How many slices the model has.
    pub fn slices(&self) -> usize {
        self.model.slices()
    }

    /// Gain and loss of an area. What rounding alone can make is 0.
    pub fn quality(&self, node: usize, first: usize, last: usize) -> Quality {
        let areas = self.tree().nodes()[node].resources as f64 * (last - first + 1) as f64;
        let sums = self.sums(node);
        let (total, information) = (sums.total(), sums.information());
        let total = total[last + 1] - total[first];
        let information = information[last + 1] - information[first];
        let h = self.h(node)[cell(self.slices(), first, last)];
        let gain = match self.measure {
            PartitionMeasure::Mean => h - information,
            PartitionMeasure::Sum => areas * h + total * log2(areas) - information,
            PartitionMeasure::Deviation => self.unit * (areas - 1.0),
        };
        let least = TIE * self.scale(node);
        let rounded = |value: f64| if value.abs() <= least { 0.0 } else { value };
        Quality { gain: rounded(gain), loss: rounded(information - areas * h) }
    }

    /// How large the sums are that the measures of a node come from: what rounding is relative to.
    pub(super) fn scale(&self, node: usize) -> f64 {
        let sums = self.sums(node);
        sums.total()[self.slices()] + sums.information()[self.slices()].abs()
    }

    /// What gain and loss are.
    pub fn measure(&self) -> PartitionMeasure {
        self.measure
    }

    /// What the sums of an interval of a node count for in `p · gain − (1 − p) · loss`.
    pub(super) fn weights(&self, node: usize, length: usize, p: f64) -> Weights {
        let areas = self.tree().nodes()[node].resources as f64 * length as f64;
        match self.measure {
            PartitionMeasure::Mean => Weights { h: p + (1.0 - p) * areas, total: 0.0, information: 1.0, constant: 0.0 },
            PartitionMeasure::Sum => Weights { h: areas, total: p * areas.log2(), information: 1.0, constant: 0.0 },
            PartitionMeasure::Deviation => Weights {
                h: (1.0 - p) * areas,
                total: 0.0,
                information: 1.0 - p,
                constant: p * self.unit * (areas - 1.0),
            },
        }
    }

    pub(super) fn sums(&self, node: usize) -> Sums<'_> {
        let places = self.slices() + 1;
        let size = places * (self.model.states() + 2);
        Sums { places, series: &self.sums[node * size..(node + 1) * size] }
    }

    pub(super) fn h(&self, node: usize) -> &[f64] {
        let size = cells(self.slices());
        &self.h[node * size..(node + 1) * size]
    }
}

/// The running sums of all nodes, children before parents.
fn running_sums(model: &Model, measure: PartitionMeasure) -> Vec<f64> {
    let places = model.slices() + 1;
    let size = places * (model.states() + 2);
    let tree = model.tree();
    let mut sums = vec![0.0; tree.nodes().len() * size];
    for (height, level) in tree.levels().iter().enumerate() {
        let (below, rest) = sums.split_at_mut(level.start * size);
        let nodes = rest[..level.len() * size].par_chunks_mut(size).zip(level.clone());
        nodes.for_each(|(series, node)| match height {
            0 => sums_of_leaf(series, model.leaf(node), model.slices(), (tree.nodes()[node].resources as f64, measure)),
            _ => {
                for child in tree.children(node) {
                    add(series, &below[child * size..(child + 1) * size]);
                }
            }
        });
    }
    sums
}

fn sums_of_leaf(series: &mut [f64], rho: &[f64], slices: usize, (resources, measure): (f64, PartitionMeasure)) {
    let places = slices + 1;
    let (states, rest) = series.split_at_mut(series.len() - 2 * places);
    let (total, information) = rest.split_at_mut(places);
    for (sums, rho) in states.chunks_exact_mut(places).zip(rho.chunks_exact(slices)) {
        match measure {
            PartitionMeasure::Deviation => {
                add_squares(&mut total[1..], rho);
                add_squares(&mut information[1..], rho);
            }
            PartitionMeasure::Mean | PartitionMeasure::Sum => {
                add(&mut total[1..], rho);
                add_information(&mut information[1..], rho);
            }
        }
        sums[1..].copy_from_slice(rho);
    }
    for sums in series.chunks_exact_mut(places) {
        let mut sum = 0.0;
        for value in sums {
            sum += resources * *value;
            *value = sum;
        }
    }
}

/// h of every interval of a node. `means` is room for as many numbers as a [`block`](blocks) has.
///
/// Intervals are worked on in blocks that stay in the first-level cache from state to state.
fn information_of_means(
    h: &mut [f64],
    means: &mut Vec<f64>,
    sums: &Sums<'_>,
    states: usize,
    (resources, measure): (f64, PartitionMeasure),
    interrupt: &Interrupt,
) -> Result<(), Interrupted> {
    let is_signed = measure == PartitionMeasure::Deviation;
    let slices = sums.places - 1;
    for lengths in blocks(slices) {
        interrupt.check()?;
        let start = row(slices, lengths.start).start;
        let block = &mut h[start..row(slices, lengths.end - 1).end];
        means.resize(block.len(), 0.0);
        for state in 0..states {
            let series = sums.series(state);
            if series[slices] == 0.0 && !is_signed {
                continue;
            }
            for length in lengths.clone() {
                let place = row(slices, length);
                let share = 1.0 / (resources * length as f64);
                let sums = series[length..].iter().zip(series);
                for (mean, (after, before)) in means[place.start - start..place.end - start].iter_mut().zip(sums) {
                    // Differences of running sums may fall below zero by rounding.
                    let sum = after - before;
                    *mean = if sum > 0.0 || is_signed { sum * share } else { 0.0 };
                }
            }
            match measure {
                PartitionMeasure::Deviation => add_squares(block, means),
                PartitionMeasure::Mean | PartitionMeasure::Sum => add_information(block, means),
            }
        }
    }
    Ok(())
}

/// The lengths of intervals in groups of about 512 intervals.
fn blocks(slices: usize) -> impl Iterator<Item = Range<usize>> {
    let mut next = 1;
    std::iter::from_fn(move || {
        let first = next;
        let mut count = 0;
        while next <= slices && count < 512 {
            count += slices + 1 - next;
            next += 1;
        }
        (first < next).then_some(first..next)
    })
}

pub(super) fn add(sums: &mut [f64], more: &[f64]) {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum += more;
    }
}

fn add_squares(sums: &mut [f64], values: &[f64]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value * value;
    }
}

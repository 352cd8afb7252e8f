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
        let sums = running_sums(&model);
        let size = (slices + 1) * (states + 2);
        let mut h = vec![0.0; model.tree().nodes().len() * cells(slices)];
        let nodes = h.par_chunks_mut(cells(slices)).zip(sums.par_chunks(size)).zip(model.tree().nodes());
        nodes.try_for_each_init(Vec::new, |means, ((h, series), node)| {
            let sums = Sums { places: slices + 1, series };
            information_of_means(h, means, &sums, states, node.resources as f64, interrupt)
        })?;
        Ok(Measures { model, measure, sums, h })
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

    pub(super) fn measure(&self) -> PartitionMeasure {
        self.measure
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
fn running_sums(model: &Model) -> Vec<f64> {
    let places = model.slices() + 1;
    let size = places * (model.states() + 2);
    let tree = model.tree();
    let mut sums = vec![0.0; tree.nodes().len() * size];
    for (height, level) in tree.levels().iter().enumerate() {
        let (below, rest) = sums.split_at_mut(level.start * size);
        let nodes = rest[..level.len() * size].par_chunks_mut(size).zip(level.clone());
        nodes.for_each(|(series, node)| match height {
            0 => sums_of_leaf(series, model.leaf(node), model.slices(), tree.nodes()[node].resources as f64),
            _ => {
                for child in tree.children(node) {
                    add(series, &below[child * size..(child + 1) * size]);
                }
            }
        });
    }
    sums
}

fn sums_of_leaf(series: &mut [f64], rho: &[f64], slices: usize, resources: f64) {
    let places = slices + 1;
    let (states, rest) = series.split_at_mut(series.len() - 2 * places);
    let (total, information) = rest.split_at_mut(places);
    for (sums, rho) in states.chunks_exact_mut(places).zip(rho.chunks_exact(slices)) {
        add(&mut total[1..], rho);
        add_information(&mut information[1..], rho);
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
    resources: f64,
    interrupt: &Interrupt,
) -> Result<(), Interrupted> {
    let slices = sums.places - 1;
    for lengths in blocks(slices) {
        interrupt.check()?;
        let start = row(slices, lengths.start).start;
        let block = &mut h[start..row(slices, lengths.end - 1).end];
        means.resize(block.len(), 0.0);
        for state in 0..states {
            let series = sums.series(state);
            if series[slices] == 0.0 {
                continue;
            }
            for length in lengths.clone() {
                let place = row(slices, length);
                let share = 1.0 / (resources * length as f64);
                let sums = series[length..].iter().zip(series);
                for (mean, (after, before)) in means[place.start - start..place.end - start].iter_mut().zip(sums) {
                    // Differences of running sums may fall below zero by rounding.
                    let sum = after - before;
                    *mean = if sum > 0.0 { sum * share } else { 0.0 };
                }
            }
            add_information(block, means);
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

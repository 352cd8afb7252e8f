//! How long work takes, compared with that of siblings at the same time and with its own at other times.
//!
//! ```text
//!  begun states of computation: number n and seconds w per member, value and step
//!  usual[value, step] = median over members of w / n          (siblings: see [`RunMatrix`])
//!  x[member, step]    = ln (sum of w / sum of n · usual)      0: as fast as the siblings; 0.69: half as fast
//!  trend[step]        = ln (usual[value, step] / its median over states)
//! ```
//! A step is one or several slices: as few as have states that begin in most steps of most members.

use std::collections::BTreeMap;

use super::borders::{BorderSlice, refined};
use super::cells::WorkCell;
use super::matrix::RunMatrix;
use super::rows::StateActivity;
use super::siblings::LEAST_SIBLINGS;
use super::statistics::{median, spread, weighted_median};

/// Steps have begun states in that part of what members live.
const WANTED_FILL: f64 = 0.8;
/// Steps that a window has at least, where it has as many slices.
const LEAST_STEPS: usize = 10;
/// Noise is never taken to be smaller.
const LEAST_NOISE: f64 = 0.005;

/// States and their seconds in one step, by member.
type StepWork = BTreeMap<usize, (f64, f64)>;

/// Work by member and step.
#[derive(Debug)]
pub(super) struct WorkRatios {
    /// Slices of a step.
    pub(super) factor: usize,
    pub(super) steps: usize,
    /// By member and step; NaN where nothing begins.
    ratios: Vec<f64>,
    /// Seconds beyond the usual, by member and step.
    excess: Vec<f64>,
    /// Usual lengths by group and value: by step, and in all.
    usual: BTreeMap<(usize, usize), (Vec<f64>, f64)>,
    /// By step; NaN where nothing begins.
    pub(super) trend: Vec<f64>,
    /// Seconds that all members would have spent at the usual speed, by step.
    pub(super) seconds: Vec<f64>,
    /// Noise of a cell around the median of its member.
    pub(super) noise: f64,
    /// How medians of members differ.
    pub(super) variety: f64,
    /// Members that can be compared.
    pub(super) compared: usize,
}

impl WorkRatios {
    pub(super) fn new(run: &RunMatrix) -> WorkRatios {
        let factor = step_size(run);
        let steps = run.slices.div_ceil(factor);
        let mut work = WorkRatios {
            factor,
            steps,
            ratios: vec![f64::NAN; run.members.len() * steps],
            excess: vec![0.0; run.members.len() * steps],
            usual: BTreeMap::new(),
            trend: vec![f64::NAN; steps],
            seconds: vec![0.0; steps],
            noise: LEAST_NOISE,
            variety: 0.0,
            compared: 0,
        };
        work.fill(run);
        work.measure();
        work
    }

    fn fill(&mut self, run: &RunMatrix) {
        let mut cells: BTreeMap<(usize, usize, usize), StepWork> = BTreeMap::new();
        let computes = |cell: &&WorkCell| run.values[cell.value].activity == StateActivity::Computation;
        for WorkCell { member, value, slice, states, seconds, .. } in run.work.iter().filter(computes) {
            let step = cells.entry((run.groups[*member], *value, slice / self.factor)).or_default();
            let sum = step.entry(*member).or_default();
            *sum = (sum.0 + states, sum.1 + seconds);
        }
        let mut usual: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        let mut counts: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
        for ((group, value, step), members) in &cells {
            let lengths = usual.entry((*group, *value)).or_insert_with(|| vec![f64::NAN; self.steps]);
            let counts = counts.entry((*group, *value)).or_insert_with(|| vec![0.0; self.steps]);
            if members.len() >= LEAST_SIBLINGS {
                lengths[*step] = median(members.values().map(|(states, seconds)| seconds / states));
                counts[*step] = members.values().map(|(states, _)| states).sum();
            }
        }
        // Where few siblings begin what a member begins, those of the nearest step say how long it usually takes.
        let usual: BTreeMap<(usize, usize), (Vec<f64>, f64)> = usual
            .into_iter()
            .map(|(key, lengths)| {
                let whole = weighted_median(&lengths, &counts[&key]);
                (key, (from_nearest(&lengths), whole))
            })
            .collect();
        let mut sums = vec![(0.0, 0.0); self.ratios.len()];
        let mut trend = vec![(0.0, 0.0); self.steps];
        for ((group, value, step), members) in &cells {
            let (lengths, whole) = &usual[&(*group, *value)];
            let length = lengths[*step];
            if length.is_nan() || length <= 0.0 {
                continue;
            }
            for (member, (states, seconds)) in members {
                let sum = &mut sums[member * self.steps + step];
                *sum = (sum.0 + seconds, sum.1 + states * length);
                trend[*step] = (trend[*step].0 + states * length, trend[*step].1 + states * whole);
            }
        }
        self.usual = usual;
        for (cell, (seconds, expected)) in sums.into_iter().enumerate() {
            if expected > 0.0 && seconds > 0.0 {
                self.ratios[cell] = (seconds / expected).ln();
                self.excess[cell] = seconds - expected;
            }
        }
        for (step, (now, whole)) in trend.into_iter().enumerate() {
            if whole > 0.0 {
                self.trend[step] = (now / whole).ln();
                self.seconds[step] = whole;
            }
        }
    }

    fn measure(&mut self) {
        let (mut centers, mut distances) = (vec![], vec![]);
        for row in self.ratios.chunks(self.steps.max(1)) {
            let center = median(row.iter().copied());
            if center.is_finite() {
                centers.push(center);
                distances.extend(row.iter().filter(|ratio| ratio.is_finite()).map(|ratio| ratio - center));
            }
        }
        self.compared = centers.len();
        self.noise = spread(&distances).max(LEAST_NOISE);
        self.variety = spread(&centers);
    }

    /// The logarithms of the mean lengths of states of a value that begin in each step, by member and step; NaN where there are
    /// none.
    pub(super) fn lengths(&self, run: &RunMatrix, value: usize) -> Vec<f64> {
        let mut sums = vec![(0.0, 0.0); self.ratios.len()];
        for cell in run.work.iter().filter(|cell| cell.value == value) {
            let sum = &mut sums[cell.member * self.steps + cell.slice / self.factor];
            *sum = (sum.0 + cell.states, sum.1 + cell.seconds);
        }
        sums.into_iter().map(|(states, seconds)| (seconds / states).ln()).collect()
    }

    /// The ratio of a member in a step; NaN when there is none.
    pub(super) fn ratio(&self, member: usize, step: usize) -> f64 {
        self.ratios[member * self.steps + step]
    }

    /// Seconds of a member beyond what siblings take for the same.
    pub(super) fn excess(&self, member: usize, step: usize) -> f64 {
        self.excess[member * self.steps + step]
    }

    /// When members deviate by `mean` that were found to do so within some steps: from the first begin to the last end of such work.
    pub(super) fn times(
        &self,
        run: &RunMatrix,
        members: (usize, usize),
        steps: (usize, usize),
        mean: f64,
    ) -> (f64, f64) {
        let expected = |cell: &WorkCell| {
            let (lengths, _) = self.usual.get(&(run.groups[cell.member], cell.value))?;
            Some(cell.states * lengths[cell.slice / self.factor]).filter(|expected| *expected > 0.0)
        };
        self.borders(run, members, steps, mean, expected)
    }

    /// The same for all members, compared with other times instead of siblings.
    pub(super) fn trend_times(&self, run: &RunMatrix, steps: (usize, usize), mean: f64) -> (f64, f64) {
        let expected = |cell: &WorkCell| {
            let (_, whole) = self.usual.get(&(run.groups[cell.member], cell.value))?;
            Some(cell.states * whole).filter(|expected| *expected > 0.0)
        };
        self.borders(run, (0, run.members.len()), steps, mean, expected)
    }

    fn borders(
        &self,
        run: &RunMatrix,
        members: (usize, usize),
        steps: (usize, usize),
        mean: f64,
        expected: impl Fn(&WorkCell) -> Option<f64>,
    ) -> (f64, f64) {
        let mut slices = vec![BorderSlice::EMPTY; run.slices];
        for cell in run.work.iter().filter(|cell| (members.0..members.1).contains(&cell.member)) {
            let Some(expected) = expected(cell) else { continue };
            let slice = &mut slices[cell.slice];
            (slice.value, slice.weight) = (slice.value + cell.seconds, slice.weight + expected);
            (slice.first, slice.last) = (slice.first.min(cell.first), slice.last.max(cell.last));
        }
        for slice in slices.iter_mut().filter(|slice| slice.weight > 0.0) {
            slice.value = (slice.value / slice.weight).ln();
        }
        refined(run, &slices, self.slices(run, steps.0, steps.1), self.factor, mean)
    }

    /// The slices of some steps.
    pub(super) fn slices(&self, run: &RunMatrix, first: usize, last: usize) -> (usize, usize) {
        (first * self.factor, (last * self.factor).min(run.slices))
    }
}

/// Each value, or where it is missing that of the nearest step; of two as near, the earlier one.
pub(super) fn from_nearest(values: &[f64]) -> Vec<f64> {
    let mut found = values.to_vec();
    let mut known: Option<usize> = None;
    for step in 0..values.len() {
        if values[step].is_finite() {
            known = Some(step);
        } else if let Some(before) = known {
            found[step] = values[before];
        }
    }
    let mut known: Option<usize> = None;
    for step in (0..values.len()).rev() {
        if values[step].is_finite() {
            known = Some(step);
        } else if let Some(after) = known {
            let before = (0..step).rev().find(|step| values[*step].is_finite());
            if before.is_none_or(|before| after - step < step - before) {
                found[step] = values[after];
            }
        }
    }
    found
}

/// Slices of a step.
fn step_size(run: &RunMatrix) -> usize {
    let mut factor = 1;
    while run.slices / (factor * 2) >= LEAST_STEPS {
        let steps = run.slices.div_ceil(factor);
        let mut filled = vec![false; run.members.len() * steps];
        let mut first_and_last: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
        for cell in &run.work {
            let step = cell.slice / factor;
            filled[cell.member * steps + step] = true;
            let known = first_and_last.entry(cell.member).or_insert((step, step));
            *known = (known.0.min(step), known.1.max(step));
        }
        let wanted: usize = first_and_last.values().map(|(first, last)| last - first + 1).sum();
        let found = filled.iter().filter(|is_filled| **is_filled).count();
        if found as f64 >= WANTED_FILL * wanted as f64 {
            break;
        }
        factor *= 2;
    }
    factor
}

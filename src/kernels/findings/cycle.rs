//! How long an iteration takes, as far as the work of a run repeats.
//!
//! ```text
//!  rank   work ~~ post ~~ work ~~ post ~~ work ~~ post      begins of `work` are one cycle apart, so are those of `post`
//!         |---------------|---------------|
//! ```
//! Within an iteration, containers do different things at the same time; only over whole ones can it be said that one does more,
//! or waits more, than others or than before.

use std::collections::BTreeMap;

use super::cells::{RunValue, WorkCell};
use super::rows::StateActivity;
use super::statistics::median;

/// Part of the computation that a value has at least.
const LEAST_PART: f64 = 0.1;
/// Times that a member begins it at least.
const LEAST_TIMES: f64 = 3.0;
/// Cycles that a window has at least: what repeats less often is no iteration.
const LEAST_CYCLES: usize = 5;

/// Slices of a cycle, at least one, where slices have a start, a width and a number: of the values with most computation that at least half of the members have, the longest
/// median time from one begin to the next.
pub(super) fn cycle(
    work: &[WorkCell],
    values: &[RunValue],
    members: usize,
    (start, width, slices): (f64, f64, usize),
) -> usize {
    let mut sums = vec![0.0; values.len()];
    let mut begins: BTreeMap<(usize, usize), (f64, f64, f64)> = BTreeMap::new();
    let computes = |cell: &&WorkCell| values[cell.value].activity == StateActivity::Computation;
    for cell in work.iter().filter(computes) {
        sums[cell.value] += cell.seconds;
        let known = begins.entry((cell.value, cell.member)).or_insert((0.0, cell.first, cell.first));
        // The last begin of a cell is not known, but it is in its slice.
        let last = cell.first.max(start + cell.slice as f64 * width);
        *known = (known.0 + cell.states, known.1.min(cell.first), known.2.max(last));
    }
    let whole: f64 = sums.iter().sum();
    let mut longest = 0.0;
    for value in (0..sums.len()).filter(|value| whole > 0.0 && sums[*value] >= LEAST_PART * whole) {
        let periods: Vec<f64> = begins
            .range((value, 0)..(value + 1, 0))
            .filter(|(_, (states, ..))| *states >= LEAST_TIMES)
            .map(|(_, (states, first, last))| (last - first) / (states - 1.0))
            .collect();
        if 2 * periods.len() >= members {
            longest = f64::max(longest, median(periods));
        }
    }
    let length = (longest / width).ceil();
    let most = (slices / LEAST_CYCLES).max(1);
    if length.is_finite() { (length as usize).clamp(1, most) } else { 1 }
}

/// Means over the slices of a cycle around each slice; slices without a value do not count, and have none.
pub(super) fn over_cycle(values: &[f64], cycle: usize) -> Vec<f64> {
    if cycle <= 1 {
        return values.to_vec();
    }
    let mut sums = vec![(0.0, 0.0)];
    for (slice, value) in values.iter().enumerate() {
        let (sum, count) = sums[slice];
        sums.push(if value.is_finite() { (sum + value, count + 1.0) } else { (sum, count) });
    }
    let around = |slice: usize| {
        let first = slice.saturating_sub(cycle / 2);
        let last = (slice + cycle - cycle / 2).min(values.len());
        (sums[last].0 - sums[first].0) / (sums[last].1 - sums[first].1)
    };
    (0..values.len()).map(|slice| if values[slice].is_finite() { around(slice) } else { f64::NAN }).collect()
}

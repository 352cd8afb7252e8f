//! When a deviation begins and ends, closer than steps and slices.
//!
//! ```text
//!  steps     |   .   |   #   |   #   |   .   |      found by [`segments`](super::segments)
//!  slices    |.|.|.|#|#|#|#|#|#|#|#|#|.|.|.|.|      nearest to the deviation or to the usual
//!  states         (==)(==) …      (==)              from the first begin to the last end
//! ```

use super::matrix::RunMatrix;

/// What is known of a slice: how far it deviates, how much that weighs, and when the first state in it begins and the last ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BorderSlice {
    pub(super) value: f64,
    pub(super) weight: f64,
    pub(super) first: f64,
    pub(super) last: f64,
}

impl BorderSlice {
    pub(super) const EMPTY: BorderSlice =
        BorderSlice { value: 0.0, weight: 0.0, first: f64::INFINITY, last: f64::NEG_INFINITY };
}

/// The times of a deviation that was found to be `mean` within some slices. Each border may move by `reach` slices, to where what is
/// within is nearer to `mean` and what is outside nearer to 0.
pub(super) fn refined(
    run: &RunMatrix,
    slices: &[BorderSlice],
    found: (usize, usize),
    reach: usize,
    mean: f64,
) -> (f64, f64) {
    let gain = |slice: usize| (slices[slice].value - 0.5 * mean) * slices[slice].weight;
    let middle = (found.0 + found.1) / 2;
    let mut first = (found.0, f64::NEG_INFINITY);
    let mut sum = 0.0;
    for slice in (found.0.saturating_sub(reach)..middle.min(found.0 + reach + 1)).rev() {
        sum += gain(slice);
        if slices[slice].weight > 0.0 && sum > first.1 {
            first = (slice, sum);
        }
    }
    let mut last = (found.1, f64::NEG_INFINITY);
    let mut sum = 0.0;
    let after = middle.max(found.1.saturating_sub(reach + 1));
    for (slice, cells) in slices.iter().enumerate().take(found.1 + reach).skip(after) {
        sum += gain(slice);
        if cells.weight > 0.0 && sum > last.1 {
            last = (slice + 1, sum);
        }
    }
    let within = &slices[first.0..last.0.max(first.0)];
    let start = within.iter().map(|slice| slice.first).fold(f64::INFINITY, f64::min);
    let end = within.iter().map(|slice| slice.last).fold(f64::NEG_INFINITY, f64::max);
    if start < end { (start.max(run.start), end.min(run.stop)) } else { (run.time(found.0), run.time(found.1)) }
}

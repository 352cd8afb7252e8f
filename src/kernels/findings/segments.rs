//! Where in time values deviate: the interval of slices that stands out most from 0.
//!
//! ```text
//!  value   . . # # # # . .      . missing or near 0
//!  found       [-----)
//! ```

/// Half-open interval of slices, and how it stands out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Segment {
    pub(super) first: usize,
    pub(super) last: usize,
    /// Mean of the values, by weight.
    pub(super) mean: f64,
    /// Sum of the weights.
    pub(super) weight: f64,
}

impl Segment {
    /// What a fit of two means gains over one: the larger, the better.
    pub(super) fn gain(&self) -> f64 {
        self.mean * self.mean * self.weight
    }
}

/// The interval with the largest gain among those whose mean is positive; `None` when there is none. Values of weight 0
/// are missing; the interval begins and ends with others.
pub(super) fn strongest(values: &[f64], weights: &[f64]) -> Option<Segment> {
    let mut best: Option<Segment> = None;
    for first in (0..values.len()).filter(|slice| weights[*slice] > 0.0) {
        let (mut sum, mut weight) = (0.0, 0.0);
        for last in first..values.len() {
            if weights[last] <= 0.0 {
                continue;
            }
            sum += values[last] * weights[last];
            weight += weights[last];
            if sum <= 0.0 {
                continue;
            }
            let segment = Segment { first, last: last + 1, mean: sum / weight, weight };
            if best.is_none_or(|best| segment.gain() > best.gain()) {
                best = Some(segment);
            }
        }
    }
    best
}

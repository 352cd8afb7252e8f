//! Statistics that a few wild values do not move.

/// A median absolute deviation times this is the standard deviation of normal noise.
const NORMAL: f64 = 1.4826;

/// The middle value; of two, the smaller one: where half of the siblings are slow, the other half is the measure. NaN for
/// none.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
    if values.is_empty() {
        return f64::NAN;
    }
    let middle = (values.len() - 1) / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// The standard deviation of noise around its median, by the median of distances; 0 for none.
pub(super) fn spread(values: &[f64]) -> f64 {
    let center = median(values.iter().copied());
    let distance = median(values.iter().map(|value| (value - center).abs()));
    if distance.is_finite() { NORMAL * distance } else { 0.0 }
}

/// The mean; 0 for none.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    if count > 0.0 { sum / count } else { 0.0 }
}

/// How many standard deviations the largest of so many random values reaches, and one more: what is beyond is no chance.
/// The largest of n normal values is about the square root of 2 ln n.
pub(super) fn chance(places: f64) -> f64 {
    (2.0 * places.max(2.0).ln()).sqrt() + 1.0
}

/// How certain a deviation of some standard deviations is, where `needed` is the threshold: 0.5 there, towards 1 beyond.
pub(super) fn confidence(deviations: f64, needed: f64) -> f64 {
    if deviations.is_nan() || deviations <= 0.0 {
        return 0.0;
    }
    let ratio = deviations / needed;
    1.0 - 1.0 / (1.0 + ratio * ratio)
}

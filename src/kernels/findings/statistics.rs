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

/// The value that a part of all are below; NaN for none.
pub(super) fn quantile(values: &[f64], part: f64) -> f64 {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get((part * values.len() as f64) as usize).copied().unwrap_or(f64::NAN)
}

/// The value at which half of the weight is in smaller ones; values that are no numbers do not count. NaN for none.
pub(super) fn weighted_median(values: &[f64], weights: &[f64]) -> f64 {
    let mut known: Vec<(f64, f64)> = values
        .iter()
        .copied()
        .zip(weights.iter().copied())
        .filter(|(value, weight)| value.is_finite() && *weight > 0.0)
        .collect();
    known.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let half = 0.5 * known.iter().map(|(_, weight)| weight).sum::<f64>();
    let mut sum = 0.0;
    for (value, weight) in known {
        sum += weight;
        if sum >= half {
            return value;
        }
    }
    f64::NAN
}

/// The value at which half of the sum of all is in smaller ones; 0 for none.
pub(super) fn middle_of_mass(values: &[f64]) -> f64 {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0).collect();
    values.sort_unstable_by(f64::total_cmp);
    let half = 0.5 * values.iter().sum::<f64>();
    let mut sum = 0.0;
    for value in values {
        sum += value;
        if sum >= half {
            return value;
        }
    }
    0.0
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

/// The standard deviation of the difference of two means, one of the values within an interval and one of those outside of it, by what
/// remains when both are taken off: values that resemble their neighbors, such as those of one long iteration, are not as good
/// as independent ones. So means of as many neighbors as the shorter side has are compared with each other; it is at least that of
/// independent values, of which there is one in `cycle`.
pub(super) fn noise_of_means(values: &[f64], (first, last): (usize, usize), cycle: usize) -> f64 {
    let (inside, outside) = (&values[first..last], [&values[..first], &values[last..]].concat());
    let centers = [mean(inside.iter().copied()), mean(outside.iter().copied())];
    let rest: Vec<f64> =
        (0..values.len()).map(|place| values[place] - centers[usize::from(!(first..last).contains(&place))]).collect();
    let length = inside.len().min(outside.len()).max(1);
    let independent = spread(&rest) / (length as f64 / cycle.max(1) as f64).max(1.0).sqrt();
    let blocks: Vec<f64> = rest.windows(length).map(|block| mean(block.iter().copied())).collect();
    independent.max(spread(&blocks))
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

//! Which two variables a phase portrait shows when none are asked for.
//!
//! In: for each type, the sum over all containers in each slice. Out: the one that varies most, by its standard deviation
//! compared to its mean, and of those that do not vary alike, the one that varies most after it. What is sent and what is
//! received are often one series, and would make a straight line.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

/// A standard deviation over time that is smaller, compared to the mean, is none.
const LEAST_VARIATION: f64 = 1e-9;
/// Two series whose correlation is larger vary alike: they are a pair only where no other is, and never when one is the other
/// times a factor.
const MOST_CORRELATION: f64 = 0.999;

/// The two types, by name; `None` when there are no two that vary differently.
pub fn pair<'a>(series: &BTreeMap<&'a str, BTreeMap<i64, f64>>) -> Option<(&'a str, &'a str)> {
    let mut order: Vec<(f64, &'a str)> = series
        .iter()
        .map(|(name, values)| (variation(values), *name))
        .filter(|(variation, _)| *variation > LEAST_VARIATION)
        .collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    let correlation = |one: &str, other: &str| correlation(&series[one], &series[other]).abs();
    let pairs = || {
        order
            .iter()
            .enumerate()
            .flat_map(|(place, (_, one))| order[place + 1..].iter().map(|(_, other)| (*one, *other)))
    };
    let differs = pairs().find(|(one, other)| correlation(one, other) <= MOST_CORRELATION);
    let nearly = || {
        let candidates = pairs().map(|(one, other)| (correlation(one, other), (one, other)));
        let least = candidates.min_by(|a, b| a.0.total_cmp(&b.0));
        least.filter(|(correlation, _)| *correlation < 1.0 - LEAST_VARIATION).map(|(_, pair)| pair)
    };
    let (first, second) = differs.or_else(nearly)?;
    Some(if first < second { (first, second) } else { (second, first) })
}

/// Standard deviation over the size of the mean.
fn variation(values: &BTreeMap<i64, f64>) -> f64 {
    let count = values.len().max(1) as f64;
    let mean = values.values().sum::<f64>() / count;
    let spread = values.values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
    spread.sqrt() / mean.abs().max(f64::MIN_POSITIVE)
}

/// Pearson's correlation in the slices that both have; 0 where one of them does not vary there.
fn correlation(one: &BTreeMap<i64, f64>, other: &BTreeMap<i64, f64>) -> f64 {
    let pairs: Vec<(f64, f64)> = one.iter().filter_map(|(slice, a)| other.get(slice).map(|b| (*a, *b))).collect();
    let count = pairs.len().max(1) as f64;
    let (mean_a, mean_b) =
        (pairs.iter().map(|pair| pair.0).sum::<f64>() / count, pairs.iter().map(|pair| pair.1).sum::<f64>() / count);
    let sum = |part: fn(f64, f64) -> f64| pairs.iter().map(|(a, b)| part(a - mean_a, b - mean_b)).sum::<f64>();
    let (both, first, second) = (sum(|a, b| a * b), sum(|a, _| a * a), sum(|_, b| b * b));
    if first > 0.0 && second > 0.0 { both / (first.sqrt() * second.sqrt()) } else { 0.0 }
}

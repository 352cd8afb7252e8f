//! Which rows of an overview stand out: those that do what others do not.
//!
//! How far a row is from the others is the mean over slices of the distance between its states and those of all resources
//! together: half of the sum of differences of proportions, time in no state included, from 0 (the same) to 1 (nothing in
//! common). A row stands out when that is more than three median deviations above the median row.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::bands::Band;

/// An area, with the proportions of its states.
pub(super) struct AreaMix<'a> {
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) resources: f64,
    pub(super) mix: &'a [(String, f64)],
}

/// A difference that is too small to be worth a name.
const LEAST: f64 = 0.01;
/// Positions that are the same.
const NEAR: f64 = 1e-6;

/// The places of the rows that stand out, the most different one first.
pub(super) fn standing_out(rows: &[Band], areas: &[AreaMix<'_>]) -> Vec<usize> {
    let distances = distances(rows, areas);
    let middle = median(&distances);
    let deviations: Vec<f64> = distances.iter().map(|distance| (distance - middle).abs()).collect();
    let limit = middle + (3.0 * median(&deviations)).max(LEAST);
    let mut places: Vec<usize> = (0..rows.len()).filter(|row| distances[*row] > limit).collect();
    places.sort_by(|a, b| distances[*b].total_cmp(&distances[*a]).then(a.cmp(b)));
    places
}

/// How far each row is from all together.
fn distances(rows: &[Band], areas: &[AreaMix<'_>]) -> Vec<f64> {
    let slices = areas.iter().map(|area| area.last + 1).max().unwrap_or(0);
    let names: BTreeMap<&str, usize> = areas
        .iter()
        .flat_map(|area| area.mix.iter().map(|(name, _)| name.as_str()))
        .collect::<std::collections::BTreeSet<_>>()
        .into_iter()
        .zip(1..)
        .collect();
    // The first entry is time in no state.
    let proportions = |area: &AreaMix<'_>| {
        let mut shares = vec![0.0; names.len() + 1];
        area.mix.iter().for_each(|(name, share)| shares[names[name.as_str()]] += share);
        shares[0] = (1.0 - shares.iter().sum::<f64>()).max(0.0);
        shares
    };
    let shares: Vec<Vec<f64>> = areas.iter().map(proportions).collect();
    let mut means = vec![(0.0, vec![0.0; names.len() + 1]); slices];
    for (area, shares) in areas.iter().zip(&shares) {
        for (resources, mean) in &mut means[area.first..=area.last] {
            *resources += area.resources;
            mean.iter_mut().zip(shares).for_each(|(sum, share)| *sum += area.resources * share);
        }
    }
    for (resources, mean) in &mut means {
        mean.iter_mut().for_each(|sum| *sum /= resources.max(f64::MIN_POSITIVE));
    }
    let distance = |area: &AreaMix<'_>, shares: &[f64]| -> f64 {
        let apart =
            |(_, mean): &(f64, Vec<f64>)| mean.iter().zip(shares).map(|(a, b)| (a - b).abs()).sum::<f64>() / 2.0;
        means[area.first..=area.last].iter().map(apart).sum()
    };
    let all: Vec<f64> = areas.iter().zip(&shares).map(|(area, shares)| distance(area, shares)).collect();
    let of_row = |row: &Band| {
        let covers = |area: &AreaMix<'_>| area.top <= row.top + NEAR && area.bottom >= row.top + row.height - NEAR;
        let sum: f64 = areas.iter().zip(&all).filter(|(area, _)| covers(area)).map(|(_, distance)| distance).sum();
        sum / slices.max(1) as f64
    };
    rows.iter().map(of_row).collect()
}

fn median(values: &[f64]) -> f64 {
    let mut order = values.to_vec();
    order.sort_by(f64::total_cmp);
    match order.len() {
        0 => 0.0,
        count if count % 2 == 1 => order[count / 2],
        count => (order[count / 2 - 1] + order[count / 2]) / 2.0,
    }
}

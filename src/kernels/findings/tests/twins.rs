//! Statistics, slow twins, and what holds of every run.

use proptest::prelude::*;

use super::super::blame::Blame;
use super::super::finding::FindingKind;
use super::super::rows::WaitReason;
use super::super::segments::strongest;
use super::super::statistics::{chance, median, spread};
use super::super::work;
use super::{RANKS, TestRun, first, noise, same, wait};

#[test]
fn half_of_wild_values_do_not_move_a_median() {
    assert_eq!(median([3.0, 1.0, f64::NAN, 2.0, 1e9, 1e9]), 3.0);
    assert_eq!(median([1.0, 2.0]), 1.0);
    assert!(median([]).is_nan());
    assert_eq!(spread(&[]), 0.0);
    assert!((spread(&[1.0, 2.0, 3.0, 4.0, 1e9]) - 1.4826).abs() < 1e-9);
    assert!(chance(1e6) > chance(10.0));
}

/// All intervals, one by one.
fn strongest_twin(values: &[f64], weights: &[f64]) -> f64 {
    let mut best: f64 = 0.0;
    for first in 0..values.len() {
        for last in first + 1..=values.len() {
            let weight: f64 = weights[first..last].iter().sum();
            let sum: f64 = (first..last).map(|place| values[place] * weights[place]).sum();
            if weight > 0.0 && sum > 0.0 {
                best = best.max(sum * sum / weight);
            }
        }
    }
    best
}

/// What a step that knows nothing takes from the nearest one: the distances, one by one.
fn nearest_twin(values: &[f64], step: usize) -> Option<f64> {
    let known = (0..values.len()).filter(|other| values[*other].is_finite());
    known.min_by_key(|other| (other.abs_diff(step), *other)).map(|other| values[other])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_interval_is_stronger(cells in prop::collection::vec((-1.0..1.0f64, 0u8..3), 1..30)) {
        let (values, weights): (Vec<f64>, Vec<f64>) = cells.into_iter().map(|(value, weight)| (value, f64::from(weight))).unzip();
        let found = strongest(&values, &weights).map_or(0.0, |segment| segment.gain());
        prop_assert!((found - strongest_twin(&values, &weights)).abs() < 1e-9);
    }

    #[test]
    fn missing_steps_take_the_nearest(cells in prop::collection::vec(prop::option::of(0.0..9.0f64), 1..20)) {
        let values: Vec<f64> = cells.iter().map(|cell| cell.unwrap_or(f64::NAN)).collect();
        for (step, found) in work::from_nearest(&values).into_iter().enumerate() {
            prop_assert_eq!(Some(found).filter(|found| found.is_finite()), nearest_twin(&values, step));
        }
    }

    /// Waits are neither lost nor made when they are passed on.
    #[test]
    fn blame_adds_up(waits in prop::collection::vec((0u8..4, 0..RANKS, 0..RANKS, 0.0..9.0f64), 0..60)) {
        let kinds = [WaitReason::LateSender, WaitReason::LateReceiver, WaitReason::Transfer, WaitReason::Collective];
        let mut run = TestRun::new(1.0, same).works(same, noise);
        let mut whole = 0.0;
        for (kind, who, whom, seconds) in waits.into_iter().filter(|(_, who, whom, _)| who != whom) {
            run.rows.waits.push(wait(kinds[usize::from(kind)], who, Some(whom), seconds));
            whole += seconds;
        }
        let blame = Blame::new(&run.matrix());
        let found: f64 = blame.origins.values().chain(blame.network.values()).sum();
        prop_assert!((found - whole).abs() <= 1e-9 * (1.0 + whole));
    }

    /// Seconds or hours, and whatever the ids of ranks are: the same finding.
    #[test]
    fn units_and_ids_do_not_matter(
        rank in 0..RANKS, begin in 3u32..25, length in 6u32..20, factor in 1.3..2.0f64, scale in -6i32..6, shift in 0..RANKS,
    ) {
        let slow = |other: i32, slice: u32| {
            noise(other, slice) * if rank == other && (begin..begin + length).contains(&slice) { factor.min(1.9) } else { 1.0 }
        };
        let width = 10.0_f64.powi(scale);
        let id = |rank: i32| (rank + shift) % RANKS;
        let (plain, one) = TestRun::new(1.0, same).works(same, slow).findings();
        let (turned, other) = TestRun::new(width, id).works(id, slow).findings();
        prop_assert_eq!(one.len(), other.len());
        let name = format!("rank-{rank}");
        prop_assert_eq!(first(&plain, &one), (FindingKind::SlowContainer, name.as_str(), f64::from(begin), f64::from(begin + length)));
        prop_assert_eq!(first(&turned, &other).1, name.as_str());
        let (a, b) = (one[0].seconds / plain.resource_seconds(), other[0].seconds / turned.resource_seconds());
        prop_assert!((a - b).abs() < 1e-9);
        prop_assert!((other[0].start / width - one[0].start).abs() < 1e-6);
    }
}

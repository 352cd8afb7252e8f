//! Who is compared with whom, who waits for whom, and how closely times are told.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::borders::{BorderSlice, refined};
use super::super::finding::FindingKind;
use super::super::siblings::{SiblingGroups, alike_groups};
use super::super::statistics::{median, weighted_median};
use super::{RANKS, SLICES, STATES, TestRun, WORK, first, noise, same};

#[test]
fn who_sleeps_does_not_wait_for_anybody() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let is_slow = rank == 5 && (10..25).contains(&slice);
            let part = WORK * noise(rank, slice) * if is_slow { 1.5 } else { 1.0 };
            run.state(rank, slice, "work", STATES, part);
            run.state(rank, slice, "sleep", STATES, 1.0 - part);
        }
    }
    let run = run.matrix();
    let settings = super::FindingSettings { least: 0.0, kinds: vec![FindingKind::SlowContainer] };
    let found = super::find(&run, &settings);
    // A quarter of a slice for 15 slices of its own, and nothing else.
    assert!((found[0].seconds - 0.25 * 15.0).abs() < 0.2, "{}", found[0].seconds);
}

#[test]
fn containers_of_another_role_are_not_compared() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            // Four of the ranks do something else most of the time, and what they do as the others takes them longer.
            let (work, section) = if rank % 4 == 1 { (0.1, 0.6) } else { (0.5, 0.0) };
            let states = if rank % 4 == 1 { 0.2 } else { STATES };
            run.state(rank, slice, "work", states, work * noise(rank, slice));
            run.state(rank, slice, "section", 1.0, section * noise(rank, slice));
            run.state(rank, slice, "exchange", STATES, 1.0 - work - section);
        }
    }
    let (_, found) = run.findings();
    assert!(found.iter().all(|finding| finding.kind != FindingKind::SlowContainer), "{found:?}");
}

#[test]
fn who_is_no_sibling_has_no_part_in_an_imbalance() {
    let mut run = TestRun::new(1.0, same);
    let mut devices = 0;
    for rank in 0..RANKS {
        let is_host = [0, 3, 5].contains(&(rank % 8));
        let name = run.text(&format!("{}-{rank}", if is_host { "host" } else { "device" }));
        let row = run.rows.containers.iter_mut().find(|row| row.id == rank).expect("a rank");
        row.name = name;
        let place = devices * 3 % 10;
        devices += i32::from(!is_host);
        for slice in 0..SLICES as u32 {
            let is_uneven = (20..45).contains(&slice) && !is_host;
            let work = if is_host { 0.1 } else { 0.2 } + if is_uneven { 0.06 * f64::from(place) } else { 0.0 };
            run.state(rank, slice, "work", STATES, work);
            run.state(rank, slice, "exchange", STATES, 1.0 - work);
        }
    }
    let (run, found) = run.findings();
    assert_eq!(first(&run, &found), (FindingKind::LoadImbalance, "machine", 20.0, 45.0));
    // Ten devices work for 0.2 s to 0.74 s of 25 slices: nine wait for 0.06 s + … + 0.54 s of each; six hosts wait for nobody.
    assert!((found[0].seconds - 2.7 * 25.0).abs() < 1e-6, "{}", found[0].seconds);
    assert!(found[0].title.ends_with("computed for 18.5 s, the mean is 11.75 s"), "{}", found[0].title);
}

#[test]
fn profiles_with_half_in_common_are_alike() {
    let profile = |parts: &[f64]| parts.iter().copied().enumerate().collect::<BTreeMap<usize, f64>>();
    let profiles =
        [profile(&[5.0, 5.0]), profile(&[50.0, 5.0]), profile(&[0.0, 0.0, 1.0]), profile(&[]), profile(&[1.0])];
    // The second takes ten times as long for one of two; the third does something else, the fourth nothing.
    let of = |groups: [usize; 5], have_one_name| {
        alike_groups(&SiblingGroups { groups: groups.to_vec(), have_one_name }, &profiles)
    };
    assert_eq!(of([0, 0, 0, 0, 0], true), [0, 0, 1, 2, 0]);
    assert_eq!(of([0, 1, 0, 0, 1], true), [0, 1, 2, 3, 1]);
    // Without one name, who has one value only is alone.
    assert_eq!(of([0, 0, 0, 0, 0], false), [0, 0, 1, 2, 3]);
}

#[test]
fn work_is_slow_from_its_first_begin_to_its_last_end() {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let is_slow = rank == 5 && (10..25).contains(&slice);
            let part = 0.3 * noise(rank, slice) * if is_slow { 2.0 } else { 1.0 };
            run.state(rank, slice, "work", 1.0, part);
            let cell = run.rows.begun.last_mut().expect("a cell");
            (cell.first, cell.last) = (f64::from(slice) + 0.2, f64::from(slice) + 0.2 + part);
            run.state(rank, slice, "exchange", STATES, 1.0 - part);
        }
    }
    let (run, found) = run.findings();
    let (kind, name, start, end) = first(&run, &found);
    assert_eq!((kind, name), (FindingKind::SlowContainer, "rank-5"));
    assert!((start - 10.2).abs() < 1e-9 && (end - 24.8).abs() < 0.01, "{start} {end}");
}

/// The interval among those whose borders are within reach for which what is inside is nearest to `mean` and what is outside to 0.
fn refined_twin(slices: &[BorderSlice], found: (usize, usize), reach: usize, mean: f64) -> f64 {
    let middle = (found.0 + found.1) / 2;
    let mut best = f64::INFINITY;
    for first in found.0.saturating_sub(reach)..middle.min(found.0 + reach + 1) {
        for last in middle.max(found.1.saturating_sub(reach + 1)) + 1..=(found.1 + reach).min(slices.len()) {
            best = best.min(distance(slices, (first, last), mean));
        }
    }
    best
}

fn distance(slices: &[BorderSlice], inside: (usize, usize), mean: f64) -> f64 {
    let expected = |slice: usize| if (inside.0..inside.1).contains(&slice) { mean } else { 0.0 };
    slices.iter().enumerate().map(|(slice, cell)| cell.weight * (cell.value - expected(slice)).powi(2)).sum()
}

proptest! {
    #[test]
    fn borders_are_where_both_sides_fit_best(
        values in prop::collection::vec(-1.0..2.0_f64, 20),
        borders in (4_usize..8, 12_usize..16),
        reach in 1_usize..4,
    ) {
        let cell = |(slice, value): (usize, &f64)| BorderSlice {
            value: *value,
            weight: 1.0,
            first: slice as f64,
            last: slice as f64 + 1.0,
        };
        let slices: Vec<BorderSlice> = values.iter().enumerate().map(cell).collect();
        let run = super::RunMatrix::new(super::RunRows::default(), 0.0, 20.0, 20);
        let (start, end) = refined(&run, &slices, borders, reach, 1.0);
        let found = distance(&slices, (start as usize, end as usize), 1.0);
        prop_assert!((found - refined_twin(&slices, borders, reach, 1.0)).abs() < 1e-9);
    }

    #[test]
    fn a_weighted_median_of_equal_weights_is_the_median(values in prop::collection::vec(-9.0..9.0_f64, 1..40)) {
        prop_assert_eq!(weighted_median(&values, &vec![2.0; values.len()]), median(values.iter().copied()));
    }
}

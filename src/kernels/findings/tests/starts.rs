//! Start and end of the program.

use proptest::prelude::*;

use super::super::finding::{FindingKind, FindingSettings};
use super::{RANKS, SLICES, STATES, TestRun, find, same};

/// A run whose ranks start or end for a part of each slice, and work and exchange for half of the rest each.
fn with_starts(part: impl Fn(u32) -> f64) -> TestRun {
    let mut run = TestRun::new(1.0, same);
    for rank in 0..RANKS {
        for slice in 0..SLICES as u32 {
            let init = part(slice);
            run.state(rank, slice, "init", 1.0, init);
            run.state(rank, slice, "work", STATES, 0.5 * (1.0 - init));
            run.state(rank, slice, "exchange", STATES, 0.5 * (1.0 - init));
        }
    }
    run
}

/// Seconds, begin and end of what is found: of the start, then of the end.
fn starts_and_ends(run: TestRun) -> Vec<(f64, f64, f64)> {
    let settings = FindingSettings { least: 0.0, kinds: vec![FindingKind::StartEnd] };
    let mut found = find(&run.matrix(), &settings);
    found.sort_by(|one, other| other.title.cmp(&one.title));
    found.iter().map(|finding| (finding.seconds, finding.start, finding.end)).collect()
}

#[test]
fn a_start_of_most_of_the_run_is_not_its_end() {
    // 30 of 50 slices, and an eighth of the last one: 16 ranks start for 480 s, and end for 2 s.
    let part = |slice| {
        if slice < 30 {
            1.0
        } else if slice == 49 {
            0.125
        } else {
            0.0
        }
    };
    assert_eq!(starts_and_ends(with_starts(part)), [(480.0, 0.0, 30.0), (2.0, 49.875, 50.0)]);
}

#[test]
fn a_slice_between_start_and_end_is_the_starts() {
    // 49 slices and a quarter of one, of 16 ranks. All together are mostly such: one start, and nothing is left to be the end.
    let part = |slice| if slice == 30 { 0.25 } else { 1.0 };
    assert_eq!(starts_and_ends(with_starts(part)), [(788.0, 0.0, 50.0)]);
    // Two slices and a quarter.
    let part = |slice| {
        if slice < 2 {
            1.0
        } else if slice == 2 {
            0.25
        } else {
            0.0
        }
    };
    assert_eq!(starts_and_ends(with_starts(part)), [(36.0, 0.0, 2.25)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Nothing counts twice: start and end together have no more than there is.
    #[test]
    fn start_and_end_are_parts_of_all(parts in prop::collection::vec(0u8..=4, SLICES)) {
        let whole: f64 = parts.iter().map(|part| f64::from(*part) / 4.0).sum::<f64>() * f64::from(RANKS);
        let found = starts_and_ends(with_starts(|slice| f64::from(parts[slice as usize]) / 4.0));
        let sum: f64 = found.iter().map(|(seconds, ..)| seconds).sum();
        prop_assert!(sum <= whole + 1e-9, "{} of {}", sum, whole);
    }
}

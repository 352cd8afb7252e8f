//! Tests of `concurrency`.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn fast(stays: &[Stay]) -> Vec<Activity> {
    let mut collected = StateStays::default();
    for stay in stays {
        collected.push(*stay);
    }
    let mut found = vec![];
    collected.sweep(|activity| found.push(activity));
    found
}

/// The same with stays that come in the order of their starts.
fn swept(stays: &[Stay]) -> Vec<Activity> {
    let mut stays = stays.to_vec();
    stays.sort_by_key(|stay| stay.start);
    let mut sweep = ActivitySweep::default();
    let mut found = vec![];
    for stay in stays {
        sweep.add(stay, |activity| found.push(activity));
    }
    sweep.finish(|activity| found.push(activity));
    found
}

/// Looks at every stretch between two neighboring times, and counts who is there.
fn slow(stays: &[Stay]) -> Vec<Activity> {
    let times: BTreeSet<i64> = stays.iter().flat_map(|stay| [stay.start, stay.end]).collect();
    let times: Vec<i64> = times.into_iter().collect();
    let mut found: Vec<Activity> = vec![];
    for pair in times.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let here = stays.iter().filter(|stay| stay.start <= start && end <= stay.end);
        let active = here.map(|stay| stay.container).collect::<BTreeSet<i64>>().len() as i64;
        match found.last_mut() {
            Some(last) if last.active == active => last.end = end,
            _ => found.push(Activity { active, start, end }),
        }
    }
    found.retain(|activity| activity.active > 0);
    found
}

fn stay(container: i64, start: i64, end: i64) -> Stay {
    Stay { container, start, end }
}

#[test]
fn the_drawing_of_the_head() {
    let stays = [stay(1, 1, 5), stay(1, 7, 11), stay(1, 2, 6), stay(2, 3, 9)];
    let expected = [(1, 1, 3), (2, 3, 6), (1, 6, 7), (2, 7, 9), (1, 9, 11)];
    let expected: Vec<Activity> =
        expected.iter().map(|&(active, start, end)| Activity { active, start, end }).collect();
    assert_eq!(fast(&stays), expected);
    assert_eq!(swept(&stays), expected);
}

#[test]
fn nobody_anywhere() {
    assert_eq!(fast(&[]), []);
    assert_eq!(swept(&[]), []);
    assert_eq!(swept(&[stay(1, 5, 5), stay(2, 7, 6)]), []);
    assert_eq!(fast(&[stay(1, 5, 5), stay(2, 7, 6)]), []);
}

#[test]
fn one_leaves_when_another_comes() {
    let joined = [Activity { active: 1, start: 0, end: 9 }];
    assert_eq!(fast(&[stay(1, 0, 5), stay(2, 5, 9)]), joined);
    assert_eq!(fast(&[stay(1, 5, 9), stay(1, 0, 5)]), joined);
}

#[test]
fn the_ends_of_time() {
    let stays = [stay(1, i64::MIN, i64::MAX), stay(2, 0, i64::MAX)];
    assert_eq!(fast(&stays), slow(&stays));
    assert_eq!(swept(&stays), slow(&stays));
}

#[test]
fn a_sweep_holds_what_is_open() {
    let mut sweep = ActivitySweep::default();
    for start in 0..100_000 {
        sweep.add(stay(start % 10, start, start + 7), |_| ());
    }
    assert!(sweep.bytes() < 5_000, "{} bytes", sweep.bytes());
}

proptest! {
    #[test]
    fn both_ways_agree(rows in prop::collection::vec((0_i64..4, 0_i64..20, 0_i64..8), 0..40)) {
        let stays: Vec<Stay> =
            rows.into_iter().map(|(container, start, length)| stay(container, start, start + length)).collect();
        prop_assert_eq!(fast(&stays), slow(&stays));
        prop_assert_eq!(swept(&stays), slow(&stays));
    }
}

//! Slices against a slow twin that works each overlap out by itself, in whole numbers.

mod bands;
mod leaves;
mod links;
mod variables;

use super::states::{StatePart, StateSlices};
use super::*;
use crate::pairs::NO_NUMBER;
use proptest::prelude::*;

/// Windows, slices and the slices that are asked for.
pub(super) fn slicings() -> impl Strategy<Value = Slicing> {
    let window = prop_oneof![
        (-50_i64..50, 1_i64..100),
        (any::<i32>().prop_map(i64::from), 1_i64..1_000_000_000),
        (-10_i64..10, (1_i64 << 50)..(1 << 58)),
        (-10_i64..10, (1_i64 << 58)..(1 << 62)),
    ];
    let slices = prop_oneof![1_u32..40, Just(1_000), Just(100_000)];
    (window, slices, any::<u32>(), any::<u32>(), any::<bool>()).prop_map(
        |((start, length), slices, one, other, all)| {
            let slicing = Slicing::new(start, start + length, slices, 1_000_000_000).expect("a window");
            if all && slices <= 1000 { slicing } else { slicing.only(one % slices, one % slices + other % 20) }
        },
    )
}

/// Ticks in and around a window, many of them on boundaries.
pub(super) fn ticks(slicing: Slicing) -> impl Strategy<Value = i64> {
    let slices = slicing.slices();
    prop_oneof![
        (-3..=slicing.length().min(1 << 40) + 3).prop_map(move |into| slicing.start() + into),
        (0..=slices).prop_map(move |slice| slicing.boundary_ticks(slice).0),
        (0..=slices).prop_map(move |slice| slicing.boundary_ticks(slice).1),
        Just(slicing.stop()),
    ]
}

pub(super) fn intervals(slicing: Slicing) -> impl Strategy<Value = Vec<(i64, i64)>> {
    prop::collection::vec((ticks(slicing), ticks(slicing)), 0..40)
}

/// Overlap of an interval with a slice in n-ths of a tick.
pub(super) fn overlap(slicing: &Slicing, slice: u32, start: i64, end: i64) -> i128 {
    let n = i128::from(slicing.slices());
    let length = i128::from(slicing.length());
    let begin = i128::from(slicing.start()) * n + i128::from(slice) * length;
    let (from, to) = (begin.max(i128::from(start) * n), (begin + length).min(i128::from(end) * n));
    (to - from).max(0)
}

/// The slices that are asked for, in order, at most a few hundred of them.
pub(super) fn asked(slicing: &Slicing) -> Vec<u32> {
    let (first, last) = slicing.asked();
    (first..=last).collect()
}

fn states(slicing: Slicing, rows: &[(i64, i64)]) -> (StateSlices, u32) {
    let mut states = StateSlices::new(slicing);
    let series = states.add_series();
    for (start, end) in rows {
        if let Some(part) = StatePart::of(&slicing, *start, *end) {
            states.add(series, part);
        }
    }
    states.tidy();
    (states, series)
}

fn parts(states: &StateSlices, series: u32) -> Vec<(u32, i128)> {
    let mut given = vec![];
    states.parts(series, &mut |slice, parts| given.push((slice, parts)));
    given
}

fn with_intervals() -> impl Strategy<Value = (Slicing, Vec<(i64, i64)>)> {
    slicings().prop_flat_map(|slicing| (Just(slicing), intervals(slicing)))
}

proptest! {
    #[test]
    fn a_tick_lies_in_its_slice((slicing, tick) in slicings().prop_flat_map(|slicing| (Just(slicing), ticks(slicing)))) {
        let n = i128::from(slicing.slices());
        match slicing.place(tick) {
            TickPosition::Before => prop_assert!(tick < slicing.start()),
            TickPosition::After => prop_assert!(tick >= slicing.stop()),
            TickPosition::Within { slice, rest } => {
                let length = i128::from(slicing.length());
                prop_assert!(slice < slicing.slices() && rest >= 0 && i128::from(rest) < length);
                let into = i128::from(tick) - i128::from(slicing.start());
                prop_assert_eq!(into * n, i128::from(slice) * length + i128::from(rest));
            }
        }
    }

    #[test]
    fn boundaries_lie_between_ticks(slicing in slicings(), slice: u32) {
        let slice = slice % (slicing.slices() + 1);
        let (below, above) = slicing.boundary_ticks(slice);
        let n = i128::from(slicing.slices());
        let exact = i128::from(slicing.start()) * n + i128::from(slice) * i128::from(slicing.length());
        prop_assert!(i128::from(below) * n <= exact && exact <= i128::from(above) * n && above - below <= 1);
    }

    #[test]
    fn time_per_slice_is_the_sum_of_overlaps((slicing, rows) in with_intervals()) {
        let (states, series) = states(slicing, &rows);
        let mut expected = vec![];
        for slice in asked(&slicing) {
            let time: i128 = rows.iter().map(|(start, end)| overlap(&slicing, slice, *start, *end)).sum();
            if time > 0 {
                expected.push((slice, time));
            }
        }
        prop_assert_eq!(parts(&states, series), expected);
    }

    /// Rows in any order, and in the order of time.
    #[test]
    fn rows_together_give_what_they_give_one_by_one((slicing, mut rows) in with_intervals(), is_sorted: bool, left_out: u64) {
        if is_sorted {
            rows.sort_unstable();
        }
        let reach = slicing.reach();
        let is_wanted = |row: usize| left_out >> (row % 64) & 3 != 0;
        let (mut series, mut wanted) = (vec![], vec![]);
        for (row, &(start, end)) in rows.iter().enumerate() {
            prop_assert_eq!(reach.touches(start, end), StatePart::of(&slicing, start, end).is_some());
            series.push(if is_wanted(row) && reach.touches(start, end) { 0 } else { NO_NUMBER });
            wanted.extend(is_wanted(row).then_some((start, end)));
        }
        let (starts, ends): (Vec<i64>, Vec<i64>) = rows.into_iter().unzip();
        let mut together = StateSlices::new(slicing);
        together.add_series();
        together.add_rows(&series, &starts, &ends);
        together.tidy();
        let (one_by_one, own) = states(slicing, &wanted);
        prop_assert_eq!(parts(&together, 0), parts(&one_by_one, own));
    }

    #[test]
    fn ticks_that_are_left_of_a_slice_lie_in_it((slicing, tick) in slicings().prop_flat_map(|slicing| (Just(slicing), ticks(slicing)))) {
        if let TickPosition::Within { slice, rest } = slicing.place(tick) {
            let left = slicing.ticks_left(rest);
            let is_same = |into| matches!(slicing.place(tick + into), TickPosition::Within { slice: other, .. } if other == slice);
            prop_assert!(left >= 0 && (left == 0 || is_same(left - 1)));
            // Doubles may miss a tick: of 2^40 ticks, they are wrong by less than one.
            prop_assert!(left > 1 << 40 || !is_same(left + 2));
        }
    }

    #[test]
    fn any_split_gives_the_same((slicing, rows) in with_intervals(), at in any::<prop::sample::Index>()) {
        let at = at.index(rows.len() + 1);
        let (whole, series) = states(slicing, &rows);
        let mut joined = StateSlices::new(slicing);
        joined.add_series();
        let joined_series = joined.add_series();
        for part in [&rows[at..], &rows[..at]] {
            let (piece, piece_series) = states(slicing, part);
            let mut bytes = vec![];
            piece.write(piece_series, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(joined.read(joined_series, &mut rest), Some(()));
            prop_assert!(rest.is_empty());
        }
        joined.tidy();
        prop_assert_eq!(parts(&joined, joined_series), parts(&whole, series));
    }
}

#[test]
fn a_state_over_all_slices_takes_room_for_two() {
    let slicing = Slicing::new(0, 1 << 40, 1_000_000, 1).expect("a window");
    let (mut states, series) = states(slicing, &[(-5, 1 << 41), (1, 1 << 39)]);
    assert!(states.size() < 10_000, "{}", states.size());
    let mut count = 0;
    states.measures(series, &mut |_, _| count += 1);
    assert_eq!(count, 1_000_000);
}

#[test]
fn what_was_cut_short_is_not_read() {
    let slicing = Slicing::new(0, 9, 3, 1).expect("a window");
    let (states, series) = states(slicing, &[(1, 8)]);
    let mut bytes = vec![];
    states.write(series, &mut bytes);
    for length in 0..bytes.len() {
        let mut other = StateSlices::new(slicing);
        let series = other.add_series();
        assert_eq!(other.read(series, &mut &bytes[..length]), None);
    }
}

#[test]
fn windows_without_length_do_not_exist() {
    assert_eq!(Slicing::new(3, 3, 1, 1), None);
    assert_eq!(Slicing::new(0, 9, 0, 1), None);
    assert_eq!(Slicing::new(0, 9, MOST_SLICES + 1, 1), None);
    assert_eq!(Slicing::new(i64::MIN, i64::MAX, 1, 1), None);
}

#[test]
fn seconds_and_boundaries_are_the_nearest_doubles() {
    let slicing = Slicing::new(1_500_000_000, 2_500_000_000, 10, 1_000_000_000).expect("a window");
    assert_eq!(slicing.slice_seconds(), 0.1);
    let boundaries: Vec<f64> = (0..=10).map(|slice| slicing.boundary(slice)).collect();
    assert_eq!(boundaries, [1.5, 1.6, 1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.3, 2.4, 2.5]);
    assert_eq!(nearest_tick(0.3, 10), Some(3));
    assert_eq!(nearest_tick(f64::NAN, 10), None);
    assert_eq!(nearest_tick(f64::INFINITY, 10), Some(i64::MAX));
}

//! Variables and events against slow twins.

use super::super::events::{EventSlices, LastInstant, slice_of};
use super::super::variables::{VariablePart, VariableSlice, Variables};
use super::*;

/// Rows of a variable: an interval, and a whole number as its value.
type Rows = Vec<((i64, i64), i32)>;

fn with_rows() -> impl Strategy<Value = (Slicing, Rows)> {
    let rows = |slicing| prop::collection::vec(((ticks(slicing), ticks(slicing)), any::<i32>()), 0..30);
    slicings().prop_flat_map(move |slicing| (Just(slicing), rows(slicing)))
}

fn variables(slicing: Slicing, rows: &[((i64, i64), i32)]) -> (Variables, u32) {
    let mut variables = Variables::new(slicing);
    variables.add_series();
    let series = variables.add_series();
    for ((start, end), value) in rows {
        if let Some(part) = VariablePart::of(&slicing, *start, *end, f64::from(*value)) {
            variables.add(series, part);
        }
    }
    variables.tidy();
    (variables, series)
}

fn measured(variables: &mut Variables, series: u32) -> Vec<(u32, VariableSlice)> {
    variables.tidy();
    let mut given = vec![];
    variables.measures(series, &mut |slice, measure| given.push((slice, measure)));
    given
}

/// Each slice by itself, in whole numbers.
fn slow(slicing: &Slicing, rows: &Rows) -> Vec<(u32, VariableSlice)> {
    let mut given = vec![];
    for slice in asked(slicing) {
        let mut measure = VariableSlice::default();
        let (mut area, mut time) = (0_i128, 0_i128);
        for ((start, end), value) in rows {
            let shared = overlap(slicing, slice, *start, *end);
            if shared > 0 {
                area += shared * i128::from(*value);
                time += shared;
                measure.extremes.minimum = measure.extremes.minimum.min(f64::from(*value));
                measure.extremes.maximum = measure.extremes.maximum.max(f64::from(*value));
            }
        }
        measure.integral = slicing.per_seconds(area as f64);
        measure.covered = slicing.seconds(time);
        if time > 0 {
            given.push((slice, measure));
        }
    }
    given
}

/// Equal, but for roundings of windows whose ticks are more than a double can count.
fn agree(given: &[(u32, VariableSlice)], expected: &[(u32, VariableSlice)], slicing: &Slicing) -> bool {
    let largest = slicing.seconds(i128::from(slicing.length())) * 40.0 * f64::from(i32::MAX);
    let tolerance = if slicing.length() < 1 << 53 { 0.0 } else { largest * 1e-14 };
    given.len() == expected.len()
        && given.iter().zip(expected).all(|((slice, one), (other_slice, other))| {
            let same = VariableSlice { integral: other.integral, ..*one } == *other;
            slice == other_slice && same && (one.integral - other.integral).abs() <= tolerance
        })
}

proptest! {
    #[test]
    fn variables_agree_with_each_slice_by_itself((slicing, rows) in with_rows()) {
        let (mut variables, series) = variables(slicing, &rows);
        let (given, expected) = (measured(&mut variables, series), slow(&slicing, &rows));
        prop_assert!(agree(&given, &expected, &slicing), "{:?} against {:?}", given, expected);
    }

    #[test]
    fn any_split_of_variables_gives_the_same((slicing, rows) in with_rows(), at in any::<prop::sample::Index>()) {
        let at = at.index(rows.len() + 1);
        let mut joined = Variables::new(slicing);
        let series = joined.add_series();
        for part in [&rows[at..], &rows[..at]] {
            let (piece, piece_series) = variables(slicing, part);
            let mut bytes = vec![];
            piece.write(piece_series, &mut bytes);
            let mut rest = bytes.as_slice();
            prop_assert_eq!(joined.read(series, &mut rest), Some(()));
            prop_assert!(rest.is_empty());
        }
        let (given, expected) = (measured(&mut joined, series), slow(&slicing, &rows));
        prop_assert!(agree(&given, &expected, &slicing), "{:?} against {:?}", given, expected);
    }

    #[test]
    fn events_are_counted_once(
        (slicing, instants) in slicings().prop_flat_map(|s| (Just(s), prop::collection::vec(ticks(s), 0..60))),
        is_within: bool,
    ) {
        let last_instant = if is_within { LastInstant::Within } else { LastInstant::Outside };
        let mut events = EventSlices::new(slicing);
        let series = events.add_series();
        let mut expected = std::collections::BTreeMap::new();
        let n = i128::from(slicing.slices());
        for tick in instants {
            if let Some(slice) = slice_of(&slicing, tick, last_instant) {
                events.add(series, slice);
            }
            let into = (i128::from(tick) - i128::from(slicing.start())) * n;
            for slice in asked(&slicing) {
                let begin = i128::from(slice) * i128::from(slicing.length());
                let end = begin + i128::from(slicing.length());
                let is_last = is_within && slice == slicing.slices() - 1 && tick == slicing.stop();
                if (begin..end).contains(&into) || is_last {
                    *expected.entry(slice).or_insert(0) += 1;
                }
            }
        }
        let mut given = vec![];
        events.tidy();
        events.measures(series, &mut |slice, count| given.push((slice, count)));
        prop_assert_eq!(given, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn a_small_value_after_a_large_one_is_exact() {
    let slicing = Slicing::new(0, 100, 10, 1).expect("a window");
    let mut variables = Variables::new(slicing);
    let series = variables.add_series();
    for (start, end, value) in [(0, 35, 1e20), (35, 98, 1e-5), (5, 35, f64::NAN)] {
        if let Some(part) = VariablePart::of(&slicing, start, end, value) {
            variables.add(series, part);
        }
    }
    let given = measured(&mut variables, series);
    assert_eq!(given[5], (5, VariableSlice { integral: 1e-4, extremes: given[5].1.extremes, covered: 10.0 }));
    assert_eq!((given[9].1.integral, given[9].1.covered), (8e-5, 8.0));
    assert_eq!((given[3].1.extremes.minimum, given[3].1.extremes.maximum), (1e-5, 1e20));
}

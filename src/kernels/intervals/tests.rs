//! The kernels of intervals against slow, obvious twins.

use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Float64Array, Int32Array, Int64Array, StringArray};
use arrow::datatypes::{DataType, Float64Type};
use proptest::prelude::*;

use super::*;

/// A row as SQL has it: a key, a start and an end, each perhaps NULL.
type Row = (Option<i32>, Option<f64>, Option<f64>);

/// The definition, word by word.
fn rows_overlap(one: &Row, other: &Row) -> bool {
    let (Some(key), Some(a), Some(b)) = *one else { return false };
    let (Some(other_key), Some(c), Some(d)) = *other else { return false };
    if key != other_key || a.is_nan() || b.is_nan() || c.is_nan() || d.is_nan() || a > b || c > d {
        return false;
    }
    match (a == b, c == d) {
        (true, true) => a == c,
        (true, false) => c <= a && a < d,
        (false, true) => a <= c && c < b,
        (false, false) => a < d && c < b,
    }
}

/// All pairs of row numbers that overlap.
fn pairs_twin(left: &[Row], right: &[Row]) -> Vec<(u32, u32)> {
    let mut pairs = vec![];
    for (i, one) in left.iter().enumerate() {
        for (j, other) in right.iter().enumerate() {
            if rows_overlap(one, other) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

fn twin(left: &[Row], right: &[Row], wanted: Wanted) -> Vec<(u32, u32)> {
    let pairs = pairs_twin(left, right);
    let has_partner = |row: u32| pairs.iter().any(|pair| pair.0 == row);
    let rows = || 0..left.len() as u32;
    match wanted {
        Wanted::Pairs => pairs,
        Wanted::PairsAndLonely => {
            let lonely: Vec<(u32, u32)> = rows().filter(|row| !has_partner(*row)).map(|row| (row, NO_ROW)).collect();
            let mut all = [pairs, lonely].concat();
            all.sort_unstable();
            all
        }
        Wanted::Partnered => rows().filter(|row| has_partner(*row)).map(|row| (row, 0)).collect(),
        Wanted::Lonely => rows().filter(|row| !has_partner(*row)).map(|row| (row, 0)).collect(),
    }
}

fn keys_of(rows: &[Row]) -> ArrayRef {
    Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>())
}

fn spans_of(rows: &[Row]) -> Spans {
    let starts: Float64Array = rows.iter().map(|row| row.1).collect();
    let ends: Float64Array = rows.iter().map(|row| row.2).collect();
    Spans::new(&starts, &ends, BoundUnit::Seconds).expect("numbers")
}

/// The answers of an index, asked in batches, a few at a time.
fn by_index(left: &[Row], right: &[Row], wanted: Wanted, batch: usize, limit: usize) -> Vec<(u32, u32)> {
    let mut map = KeyMap::new(&[DataType::Int32]).expect("a map");
    let mut numbered = vec![];
    for rows in right.chunks(batch) {
        let mut numbers = vec![];
        map.insert(&[keys_of(rows)], rows.len(), &mut numbers).expect("numbers");
        numbered.push((numbers, spans_of(rows)));
    }
    let pieces: Vec<Asked<'_>> = numbered.iter().map(|(keys, spans)| Asked { keys, spans }).collect();
    let index = IntervalIndex::new(map.len(), &pieces);
    let mut cursor = IndexCursor::new(&index);
    let mut found = FoundPairs::new(limit);
    let mut answers = vec![];
    for (number, rows) in left.chunks(batch).enumerate() {
        let mut keys = vec![];
        map.look_up(&[keys_of(rows)], rows.len(), &mut keys).expect("numbers");
        let spans = spans_of(rows);
        cursor.rewind();
        loop {
            let is_done = index.answer(Asked { keys: &keys, spans: &spans }, wanted, &mut cursor, &mut found);
            assert!(is_done || found.len() == limit, "neither the limit nor the end was reached");
            assert!(found.asking().is_sorted_by(|one, other| one <= other));
            if matches!(wanted, Wanted::Pairs | Wanted::PairsAndLonely) {
                check_overlaps(&index, Asked { keys: &keys, spans: &spans }, &found, rows, right);
            }
            for (row, place) in found.asking().zip(found.places()) {
                let partner = match wanted {
                    Wanted::Partnered | Wanted::Lonely => 0,
                    _ if place == NO_ROW => NO_ROW,
                    _ => index.row(place),
                };
                answers.push(((number * batch) as u32 + row, partner));
            }
            if is_done {
                break;
            }
        }
    }
    answers.sort_unstable();
    answers
}

/// What the index says that pairs share, against their bounds.
fn check_overlaps(index: &IntervalIndex, asked: Asked<'_>, found: &FoundPairs, left: &[Row], right: &[Row]) {
    let starts = BoundUnit::Seconds.numbers(index.overlap_starts(asked, found), None);
    let ends = BoundUnit::Seconds.numbers(index.overlap_ends(asked, found), None);
    let (starts, ends) = (starts.as_primitive::<Float64Type>(), ends.as_primitive::<Float64Type>());
    for (pair, (row, place)) in found.asking().zip(found.places()).enumerate() {
        if place != NO_ROW {
            let (one, other) = (&left[row as usize], &right[index.row(place) as usize]);
            let bounds = |row: &Row| (row.1.expect("a start"), row.2.expect("an end"));
            assert_eq!(shared(bounds(one), bounds(other)), Some((starts.value(pair), ends.value(pair))));
        }
    }
}

/// The answers of a sweep; rows are kept in slots of one batch each.
fn by_sweep(left: &[Row], right: &[Row], wanted: Wanted, batch: usize) -> Vec<(u32, u32)> {
    let mut map = KeyMap::new(&[DataType::Int32]).expect("a map");
    let mut rows = vec![];
    for (side, input) in [(SweptSide::Kept, left), (SweptSide::Other, right)] {
        let mut numbers = vec![];
        map.insert(&[keys_of(input)], input.len(), &mut numbers).expect("numbers");
        let spans = spans_of(input);
        for (row, key) in numbers.into_iter().enumerate() {
            rows.push(((spans.starts[row], spans.ends[row]), side, key, row));
        }
    }
    rows.sort_by_key(|(span, ..)| span.0);
    let address = |row: usize| ((row / batch) as u32, (row % batch) as u32);
    let mut sweep = IntervalSweep::new(wanted);
    let mut found = vec![];
    for (number, (span, side, key, row)) in rows.into_iter().enumerate() {
        sweep.take(side, key, span, address(row), &mut found);
        if number % batch == 0 {
            sweep.forget(span.0, &mut found);
        }
    }
    sweep.finish(&mut found);
    assert_eq!(sweep.active(SweptSide::Kept) + sweep.active(SweptSide::Other), 0);
    let row = |(slot, row): RowAddress| slot * batch as u32 + row;
    let none = if matches!(wanted, Wanted::PairsAndLonely) { NO_ROW } else { 0 };
    let mut answers: Vec<(u32, u32)> =
        found.into_iter().map(|(kept, other)| (row(kept), other.map_or(none, row))).collect();
    answers.sort_unstable();
    answers
}

/// Bounds on a coarse grid, so that intervals nest, touch, repeat and are empty.
fn bound() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        20 => (-6..6_i32).prop_map(|half| Some(f64::from(half) / 2.0)),
        1 => Just(None),
        1 => Just(Some(-0.0)),
        1 => Just(Some(f64::NAN)),
        1 => Just(Some(f64::INFINITY)),
        1 => Just(Some(f64::NEG_INFINITY)),
        1 => Just(Some(0.0_f64.next_up())),
    ]
}

fn row() -> impl Strategy<Value = Row> {
    let key = prop_oneof![8 => (0..4_i32).prop_map(Some), 1 => Just(None), 1 => Just(Some(i32::MAX))];
    (key, bound(), bound(), 0..4_u8).prop_map(|(key, one, other, form)| match (one, other) {
        // Most rows are in order; some are instants, a few stay as they fell.
        (Some(a), Some(_)) if form == 0 => (key, Some(a), Some(a)),
        (Some(a), Some(b)) if form < 3 => (key, Some(a.min(b)), Some(a.max(b))),
        _ => (key, one, other),
    })
}

const ALL: [Wanted; 4] = [Wanted::Pairs, Wanted::PairsAndLonely, Wanted::Partnered, Wanted::Lonely];

proptest! {
    #[test]
    fn the_index_finds_what_nested_loops_find(
        left in prop::collection::vec(row(), 0..60), right in prop::collection::vec(row(), 0..60),
        batch in 1..20_usize, limit in 1..9_usize
    ) {
        for wanted in ALL {
            prop_assert_eq!(by_index(&left, &right, wanted, batch, limit), twin(&left, &right, wanted), "{:?}", wanted);
        }
    }

    #[test]
    fn the_sweep_finds_what_nested_loops_find(
        left in prop::collection::vec(row(), 0..60), right in prop::collection::vec(row(), 0..60), batch in 1..20_usize
    ) {
        for wanted in ALL {
            prop_assert_eq!(by_sweep(&left, &right, wanted, batch), twin(&left, &right, wanted), "{:?}", wanted);
        }
    }

    #[test]
    fn spans_overlap_as_doubles_do(one in row(), other in row()) {
        let (one, other) = ((Some(0), one.1, one.2), (Some(0), other.1, other.2));
        let span = |row: &Row| {
            let spans = spans_of(std::slice::from_ref(row));
            (spans.starts[0], spans.ends[0])
        };
        let expected = rows_overlap(&one, &other);
        prop_assert_eq!(overlap(span(&one), span(&other)), expected);
        if let ((_, Some(a), Some(b)), (_, Some(c), Some(d))) = (one, other) {
            prop_assert_eq!(shared((a, b), (c, d)), expected.then(|| (a.max(c), b.min(d))));
        }
    }

    #[test]
    fn equal_keys_get_equal_numbers(
        known in prop::collection::vec((prop::option::of(0..5_i64), prop::option::of("[ab]{0,2}")), 0..20),
        asked in prop::collection::vec((prop::option::of(0..5_i64), prop::option::of("[ab]{0,2}")), 0..20),
        scale in prop_oneof![Just(1_i64), Just(-20_000), Just(70_000), Just(i64::MAX / 5)], batch in 1..9_usize
    ) {
        let texts = |rows: &[(Option<i64>, Option<String>)]| -> ArrayRef {
            Arc::new(rows.iter().map(|row| row.1.clone()).collect::<StringArray>())
        };
        let numbers = |rows: &[(Option<i64>, Option<String>)]| -> ArrayRef {
            Arc::new(rows.iter().map(|row| row.0.map(|value| value * scale)).collect::<Int64Array>())
        };
        let (text, number) = (DataType::Utf8, DataType::Int64);
        for kinds in [vec![], vec![number.clone()], vec![text.clone()], vec![number.clone(), text.clone()]] {
            let columns = |rows: &[(Option<i64>, Option<String>)]| -> Vec<ArrayRef> {
                kinds.iter().map(|kind| if *kind == text { texts(rows) } else { numbers(rows) }).collect()
            };
            let mut map = KeyMap::new(&kinds).expect("a map");
            let mut inserted = vec![];
            for rows in known.chunks(batch) {
                map.insert(&columns(rows), rows.len(), &mut inserted).expect("numbers");
            }
            let mut found = vec![];
            map.look_up(&columns(&asked), asked.len(), &mut found).expect("numbers");
            let key = |row: &(Option<i64>, Option<String>)| -> Option<(i64, String)> {
                let number = if kinds.contains(&number) { row.0? } else { 0 };
                let text = if kinds.contains(&text) { row.1.clone()? } else { String::new() };
                Some((number, text))
            };
            for (row, number) in asked.iter().zip(&found) {
                let place = known.iter().position(|other| key(other).is_some() && key(other) == key(row));
                prop_assert_eq!(*number, place.map_or(NO_KEY, |place| inserted[place]));
            }
            let distinct: std::collections::BTreeSet<_> = known.iter().filter_map(key).collect();
            prop_assert_eq!(map.len(), distinct.len());
        }
    }
}

#[test]
fn a_sweep_forgets_what_has_ended() {
    let mut sweep = IntervalSweep::new(Wanted::Lonely);
    let mut found = vec![];
    let mut most = 0;
    for row in 0..100_000 {
        // Each key appears once, so that nothing of the other side lets these rows go.
        sweep.take(SweptSide::Kept, row, (i64::from(row), i64::from(row) + 10), (0, row), &mut found);
        if row % 100 == 0 {
            sweep.forget(i64::from(row), &mut found);
        }
        most = most.max(sweep.active(SweptSide::Kept));
    }
    assert!(most < 2000, "{most} rows were held");
    sweep.finish(&mut found);
    assert_eq!(found.len(), 100_000);
}

#[test]
fn ticks_stay_exact() {
    // Two ticks that are one double.
    let far = 1_i64 << 60;
    let spans = |start: i64, end: i64| {
        let (starts, ends) = (Int64Array::from(vec![start]), Int64Array::from(vec![end]));
        let spans = Spans::new(&starts, &ends, BoundUnit::Ticks).expect("numbers");
        (spans.starts[0], spans.ends[0])
    };
    assert!(!overlap(spans(far, far + 1), spans(far + 1, far + 2)));
    assert!(overlap(spans(far, far + 2), spans(far + 1, far + 2)));
    assert!(overlap(spans(far + 1, far + 1), spans(far + 1, far + 2)));
    assert!(!overlap(spans(far + 2, far + 2), spans(far + 1, far + 2)));
    assert!(!overlap(spans(2, 1), spans(0, 9)));
    // Nothing is behind the last tick, so an instant there holds nothing either.
    assert!(!overlap(spans(i64::MAX, i64::MAX), spans(0, i64::MAX)));
    assert!(overlap(spans(i64::MIN, i64::MIN), spans(i64::MIN, i64::MAX)));
}

#[test]
fn the_clock_is_ticks_only_when_all_are_whole() {
    assert_eq!(BoundUnit::of(&[DataType::Int64, DataType::Int32]), Some(BoundUnit::Ticks));
    assert_eq!(BoundUnit::of(&[DataType::Int64, DataType::Float64]), Some(BoundUnit::Seconds));
    assert_eq!(BoundUnit::of(&[DataType::Int64, DataType::Utf8]), None);
}

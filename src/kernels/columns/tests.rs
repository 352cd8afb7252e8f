//! Columns of states against a twin that looks at every state for every column.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, Copy)]
struct State {
    start: i64,
    end: i64,
    value: u32,
    weight: u64,
}

fn state(start: i64, end: i64, value: u32) -> State {
    State { start, end, value, weight: 1 }
}

/// A span with what each of its values has.
type SpanWithValues = (ColumnSpan, Vec<SpanValue>);

fn mixed_spans(columns: &ScreenColumns, states: &[State], ranks: &[u32]) -> Vec<SpanWithValues> {
    let mut pieces = StatePieces::default();
    let mut near = ColumnBounds::default();
    for state in states {
        pieces.add_state(columns, &mut near, [state.start, state.end], state.value, state.weight);
    }
    let mut found = vec![];
    pieces.sweep(columns, ranks, |span, values| found.push((span, values.to_vec())));
    found
}

fn spans(columns: &ScreenColumns, states: &[State], ranks: &[u32]) -> Vec<ColumnSpan> {
    mixed_spans(columns, states, ranks).into_iter().map(|(span, _)| span).collect()
}

fn by_column(spans: &[SpanWithValues]) -> Vec<SpanWithValues> {
    let columns = |(span, values): &SpanWithValues| {
        let (span, values) = (*span, values.clone());
        (span.first..=span.last).map(move |c| (ColumnSpan { first: c, last: c, ..span }, values.clone()))
    };
    spans.iter().flat_map(columns).collect()
}

/// Looks at every state for every column.
fn slow(start: i64, stop: i64, width: u32, states: &[State], ranks: &[u32]) -> Vec<SpanWithValues> {
    let ticks = i128::from(stop) - i128::from(start);
    let width = (i128::from(width)).min(ticks);
    let boundary = |column: i128| i128::from(start) + column * ticks / width;
    let mut found = vec![];
    for column in 0..width {
        let (low, high) = (boundary(column), boundary(column + 1));
        let mut times: BTreeMap<u32, i128> = BTreeMap::new();
        let (mut touching, mut alone) = (0, 0);
        for state in states {
            let (from, to) = (i128::from(state.start), i128::from(state.end));
            let overlap = to.min(high) - from.max(low);
            let is_instant_here =
                from == to && low <= from && (from < high || from == high && high == i128::from(stop));
            if overlap <= 0 && !is_instant_here {
                continue;
            }
            *times.entry(state.value).or_default() += overlap.max(0) * i128::from(state.weight);
            touching += 1;
            alone = if touching == 1 && overlap == high - low { state.weight } else { 0 };
        }
        let mean = |time: i128| time as f64 / (high - low) as f64;
        let best = times.iter().max_by_key(|(value, time)| (**time, std::cmp::Reverse(ranks[**value as usize])));
        if let Some((value, time)) = best {
            let span = ColumnSpan {
                first: column as u32,
                last: column as u32,
                value: *value,
                amount: mean(*time),
                covered: mean(times.values().sum()),
                states: touching,
                alone,
            };
            let values = times.iter().map(|(value, time)| SpanValue { value: *value, amount: mean(*time) });
            found.push((span, values.collect()));
        }
    }
    found
}

const RANKS: [u32; 3] = [0, 1, 2];

#[test]
fn the_drawing_of_the_head() {
    let columns = ScreenColumns::new(0, 35, 5).expect("columns");
    let (a, b, c) = (0, 1, 2);
    let states =
        [state(0, 5, a), state(5, 9, b), state(9, 10, a), state(10, 12, c), state(12, 30, a), state(30, 33, b)];
    let found = spans(&columns, &states, &RANKS);
    let shown: Vec<(u32, u32, u32, u64, u64)> =
        found.iter().map(|span| (span.first, span.last, span.value, span.states, span.alone)).collect();
    assert_eq!(shown, [(0, 0, a, 2, 0), (1, 1, a, 4, 0), (2, 3, a, 1, 1), (4, 4, b, 2, 0)]);
    assert_eq!(found[0].amount, 5.0 / 7.0);
    assert_eq!(found[3].covered, 5.0 / 7.0);
    // The second column: b, b, a, c, c, a, a.
    let has = |value: u32, ticks: f64| SpanValue { value, amount: ticks / 7.0 };
    assert_eq!(mixed_spans(&columns, &states, &RANKS)[1].1, [has(a, 3.0), has(b, 2.0), has(c, 2.0)]);
}

#[test]
fn one_state_over_all_columns_is_one_span() {
    let columns = ScreenColumns::new(0, 1000, 100).expect("columns");
    let found = spans(&columns, &[state(-5, 2000, 0)], &RANKS);
    let whole = ColumnSpan { first: 0, last: 99, value: 0, amount: 1.0, covered: 1.0, states: 1, alone: 1 };
    assert_eq!(found, [whole]);
    // One that fills a column exactly.
    let found = spans(&columns, &[state(10, 20, 0)], &RANKS);
    assert_eq!(found, [ColumnSpan { first: 1, last: 1, ..whole }]);
}

#[test]
fn columns_are_at_least_a_tick() {
    let columns = ScreenColumns::new(5, 8, 1000).expect("columns");
    assert_eq!(columns.width(), 3);
    assert_eq!((0..=3).map(|column| columns.boundary(column)).collect::<Vec<_>>(), [5, 6, 7, 8]);
    assert_eq!(ScreenColumns::new(5, 5, 10), None);
    assert_eq!(ScreenColumns::new(5, 6, 0), None);
}

#[test]
fn the_ends_of_time() {
    let columns = ScreenColumns::new(i64::MIN, i64::MAX, 1_000_000).expect("columns");
    let states = [state(i64::MIN, i64::MAX, 0), State { weight: 1 << 20, ..state(-7, i64::MAX, 1) }];
    let found = spans(&columns, &states, &RANKS);
    assert_eq!(found.first().map(|span| (span.first, span.value)), Some((0, 0)));
    assert_eq!(found.last().map(|span| (span.last, span.value, span.states)), Some((999_999, 1, 2)));
}

#[test]
fn of_equal_times_the_first_name_wins() {
    let columns = ScreenColumns::new(0, 10, 1).expect("columns");
    let states = [state(0, 5, 0), state(5, 10, 1)];
    assert_eq!(spans(&columns, &states, &[0, 1, 2])[0].value, 0);
    assert_eq!(spans(&columns, &states, &[1, 0, 2])[0].value, 1);
}

fn states() -> impl Strategy<Value = Vec<State>> {
    let one = (-5_i64..60, prop_oneof![Just(0_i64), 0_i64..6, 0_i64..60], 0_u32..3, 1_u64..3);
    prop::collection::vec(
        one.prop_map(|(start, length, value, weight)| State { start, end: start + length, value, weight }),
        0..60,
    )
}

proptest! {
    #[test]
    fn both_ways_agree(states in states(), start in -3_i64..30, length in 1_i64..50, width in 1_u32..25, swap: bool) {
        let ranks = if swap { [2, 1, 0] } else { RANKS };
        let columns = ScreenColumns::new(start, start + length, width).expect("columns");
        let found = mixed_spans(&columns, &states, &ranks);
        prop_assert!(found.windows(2).all(|pair| pair[0].0.last < pair[1].0.first));
        prop_assert_eq!(by_column(&found), slow(start, start + length, width, &states, &ranks));
    }

    /// Bands that are cut and the sums of the others give what all states give.
    #[test]
    fn rows_and_sums_give_what_rows_give(
        states in prop::collection::vec((-50_i64..900, prop_oneof![0_i64..3, 0_i64..40, 0_i64..900], 0_u32..3), 30..150),
        (start, length) in (-60_i64..500, prop_oneof![1_i64..50, 1_i64..1000, Just(64), Just(512)]),
        width in 1_u32..12,
    ) {
        let states: Vec<State> =
            states.into_iter().map(|(start, length, value)| state(start, start + length, value)).collect();
        let columns = ScreenColumns::new(start, start + length, width).expect("columns");
        let (finest, coarsest) = (2, 8);
        let cut = columns.cut_bands(finest);
        let (mut pieces, mut near) = (StatePieces::default(), ColumnBounds::default());
        for state in &states {
            pieces.add_cut_state(&columns, &cut, &mut near, [state.start, state.end], state.value);
        }
        for shift in (finest..=coarsest).step_by(crate::bands::LEVEL_SHIFT as usize) {
            for band in (-1000 >> shift)..=(2000 >> shift) {
                let (low, high) = (band << shift, (band + 1) << shift);
                if !columns.takes_band(low, shift, coarsest) {
                    continue;
                }
                for value in 0..3 {
                    let of_value = || states.iter().filter(|state| state.value == value);
                    let ticks = of_value().map(|state| (state.end.min(high) - state.start.max(low)).max(0)).sum();
                    let begin = of_value().filter(|state| low <= state.start && state.start < high).count();
                    pieces.add_sum(&columns, low, ticks, value, begin as u64);
                }
            }
        }
        let mut found = vec![];
        pieces.sweep(&columns, &RANKS, |span, values| found.push((span, values.to_vec())));
        // Spans too, not only what columns hold.
        prop_assert_eq!(found, mixed_spans(&columns, &states, &RANKS));
    }

    #[test]
    fn columns_agree_with_wide_arithmetic(start: i64, stop: i64, width in 1_u32..1_000_000, tick: i64) {
        let (start, stop) = (start.min(stop), start.max(stop));
        prop_assume!(start < stop);
        let columns = ScreenColumns::new(start, stop, width).expect("columns");
        let tick = tick.clamp(start, stop - 1);
        let column = columns.column_of(tick);
        prop_assert!(column < columns.width());
        prop_assert!(columns.boundary(column) <= tick && tick < columns.boundary(column + 1));
    }
}

fn stacked(shares: &[f64], height: u32) -> Vec<u32> {
    let mut pixels = vec![];
    stack_pixels(shares, height, &mut pixels);
    pixels
}

#[test]
fn pixels_go_to_the_largest_remainders() {
    // Quotas 4.7, 3.1, 0.2 of 8: 4 + 3 + 0, and the one that is left to the first.
    assert_eq!(stacked(&[4.7 / 8.0, 3.1 / 8.0, 0.2 / 8.0], 8), [5, 3, 0]);
    // Equal remainders: to the first.
    assert_eq!(stacked(&[0.25, 0.25, 0.25, 0.25], 10), [3, 3, 2, 2]);
    // Half of it in no state: 5 of 10.
    assert_eq!(stacked(&[0.3, 0.2], 10), [3, 2]);
    // A state far shorter than a pixel, and one without length, are seen.
    assert_eq!(stacked(&[0.001], 10), [1]);
    assert_eq!(stacked(&[0.0, 0.0], 10), [1, 0]);
    // A second value is seen, where there is room for it.
    assert_eq!(stacked(&[0.99, 0.01], 10), [9, 1]);
    assert_eq!(stacked(&[0.5, 0.01], 10), [5, 1]);
    assert_eq!(stacked(&[0.99, 0.01], 3), [3, 0]);
    // Overlapping states: twice the whole.
    assert_eq!(stacked(&[1.0, 1.0], 10), [5, 5]);
    assert!(stacked(&[], 10).is_empty());
}

proptest! {
    /// Gives pixel after pixel to the value that is furthest below its quota, in whole numbers.
    #[test]
    fn pixels_are_those_of_a_twin_that_counts(
        mut ticks in prop::collection::vec(1_u64..1000, 1..6),
        idle in 0_u64..1000,
        height in 1_u32..40,
    ) {
        ticks.sort_by(|one, other| other.cmp(one));
        let length = ticks.iter().sum::<u64>() + idle;
        let shares: Vec<f64> = ticks.iter().map(|ticks| *ticks as f64 / length as f64).collect();
        let sum: u64 = ticks.iter().sum();
        // Halves go up; one pixel at least.
        let doubled = 2 * sum * u64::from(height) + length;
        let total = (doubled / (2 * length)).max(1);
        // On the border of two counts, the rounding of shares decides.
        prop_assume!(!doubled.is_multiple_of(2 * length));
        let mut expected: Vec<u64> = ticks.iter().map(|ticks| ticks * u64::from(height) / length).collect();
        let rest = |at: usize| ticks[at] * u64::from(height) % length;
        let mut order: Vec<usize> = (0..ticks.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(rest(*at)));
        let given: u64 = expected.iter().sum();
        let ties = order.windows(2).any(|pair| rest(pair[0]) == rest(pair[1]) && ticks[pair[0]] != ticks[pair[1]]);
        prop_assume!(!ties && rest(order[order.len() - 1]) != 0);
        for at in order.iter().take(usize::try_from(total - given).expect("few")) {
            expected[*at] += 1;
        }
        if ticks.len() > 1 && height >= 4 && expected.iter().filter(|pixels| **pixels > 0).count() == 1 {
            expected[0] -= u64::from(total == u64::from(height));
            expected[1] = 1;
        }
        let found: Vec<u64> = stacked(&shares, height).into_iter().map(u64::from).collect();
        prop_assert_eq!(found, expected);
    }
}

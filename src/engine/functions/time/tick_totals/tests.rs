//! Tests of `tick_totals`.

use super::*;
use crate::functions::plans::accumulators::testing::GroupedRows;
use arrow::array::Int64Array;
use proptest::prelude::*;

const GROUPS: usize = 4;

type Row = (usize, Option<i64>);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let ticks = prop_oneof![any::<i64>(), -1000_i64..1000, Just(i64::MIN), Just(i64::MAX)];
    prop::collection::vec((0..GROUPS, prop::option::weighted(0.9, ticks)), 0..200)
}

fn narrow(rows: &[Row]) -> ArrayRef {
    Arc::new(rows.iter().map(|row| row.1).collect::<Int64Array>())
}

fn wide_ticks(rows: &[Row]) -> ArrayRef {
    Arc::new(wide(rows.iter().map(|row| row.1.map(i128::from))))
}

fn rate(rows: usize) -> ArrayRef {
    Arc::new(Int64Array::from(vec![1000; rows]))
}

/// What a total of the values of a group is, by its definition.
fn expected(total: TickTotal, values: &[i64]) -> Option<f64> {
    let ticks: i128 = values.iter().map(|ticks| i128::from(*ticks)).sum();
    let divisor = if total == TickTotal::Mean { 1000 * values.len() as u128 } else { 1000 };
    (!values.is_empty()).then(|| nearest_quotient(ticks, divisor))
}

proptest! {
    #[test]
    fn any_split_gives_the_exact_total(
        rows in rows(), cuts in prop::collection::vec(any::<usize>(), 0..9), first in 0..5_usize
    ) {
        let of_group = |group: usize| -> Vec<i64> {
            rows.iter().filter(|row| row.0 == group).filter_map(|row| row.1).collect()
        };
        for total in [TickTotal::Sum, TickTotal::Mean] {
            let expected: Float64Array = (0..GROUPS).map(|group| expected(total, &of_group(group))).collect();
            for ticks in [narrow(&rows), wide_ticks(&rows)] {
                let columns = vec![ticks, rate(rows.len())];
                let given = GroupedRows {
                    columns, groups: rows.iter().map(|row| row.0).collect(), group_count: GROUPS,
                };
                let make = || Box::new(GroupedTicks { total, per_second: 1000, groups: vec![] }) as Box<dyn GroupsAccumulator>;
                let (at_once, in_parts) = (given.at_once(&make), given.in_parts(&make, &cuts, first));
                prop_assert_eq!(at_once.as_primitive(), &expected);
                prop_assert_eq!(in_parts.as_primitive(), &expected);
            }
        }
        let given = GroupedRows {
            columns: vec![narrow(&rows)], groups: rows.iter().map(|row| row.0).collect(), group_count: GROUPS,
        };
        let make = || Box::new(GroupedTicks { total: TickTotal::Ticks, per_second: 1, groups: vec![] }) as Box<dyn GroupsAccumulator>;
        let sums = (0..GROUPS).map(|group| {
            let values = of_group(group);
            (!values.is_empty()).then(|| values.iter().map(|ticks| i128::from(*ticks)).sum())
        });
        let expected: ArrayRef = Arc::new(wide(sums));
        prop_assert_eq!(&given.in_parts(&make, &cuts, first), &expected);
    }

    /// A window of rows that come and go.
    #[test]
    fn what_went_leaves_no_trace(rows in rows(), width in 1_usize..20) {
        let values = [narrow(&rows), rate(rows.len())];
        let part = |from: usize, to: usize| values.iter().map(|values| values.slice(from, to - from)).collect::<Vec<_>>();
        for total in [TickTotal::Sum, TickTotal::Mean] {
            let mut window = UngroupedTicks { total, per_second: 1000, added: AddedTicks::default() };
            for row in 0..rows.len() {
                window.update_batch(&part(row, row + 1)).expect("a row");
                if row >= width {
                    window.retract_batch(&part(row - width, row - width + 1)).expect("a row");
                }
                let inside: Vec<i64> = rows[(row + 1).saturating_sub(width)..=row].iter().filter_map(|row| row.1).collect();
                prop_assert_eq!(window.evaluate().expect("a value"), ScalarValue::Float64(expected(total, &inside)));
            }
        }
    }
}

#[test]
fn filters_and_weights_count() {
    let ticks: ArrayRef = Arc::new(Int64Array::from(vec![Some(3000), Some(5000), Some(7000), None]));
    let weights: ArrayRef = Arc::new(Int64Array::from(vec![3, 1, 0, 9]));
    let filter = BooleanArray::from(vec![Some(true), None, Some(true), Some(true)]);
    let mut mean = GroupedTicks { total: TickTotal::Mean, per_second: 1000, groups: vec![] };
    mean.update_batch(&[ticks, rate(4), weights], &[0, 0, 0, 1], Some(&filter), 3).expect("rows");
    let found = mean.evaluate(EmitTo::All).expect("means");
    // 3 s and 7 s are the time of three values.
    assert_eq!(found.as_primitive(), &Float64Array::from(vec![Some(10.0 / 3.0), None, None]));
}

#[test]
fn what_does_not_fit_is_an_error() {
    let most: ArrayRef = Arc::new(wide([Some(i128::MAX), Some(1)].into_iter()));
    let mut sum = UngroupedTicks { total: TickTotal::Sum, per_second: 1000, added: AddedTicks::default() };
    let error = sum.update_batch(&[most, rate(2)]).expect_err("too much");
    assert!(error.to_string().contains("more than 38 digits"), "{error}");
}

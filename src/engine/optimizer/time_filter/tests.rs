//! Filters on seconds and dates say of every tick what the filters on ticks say that they become.

use super::*;
use arrow::array::{AsArray, Int64Array, RecordBatch};
use arrow::datatypes::{Field, Schema};
use datafusion::common::DFSchema;
use datafusion::logical_expr::ScalarUDF;
use datafusion::prelude::{SessionContext, col};
use proptest::prelude::*;
use std::sync::LazyLock;

use crate::functions::time::{tick_seconds, timestamp_of};

static SESSION: LazyLock<SessionContext> = LazyLock::new(SessionContext::new);

const OPERATORS: [Operator; 6] =
    [Operator::Eq, Operator::NotEq, Operator::Lt, Operator::LtEq, Operator::Gt, Operator::GtEq];

fn seconds_of(resolution: Resolution) -> Expr {
    let function: ScalarUDF = (tick_seconds::FUNCTION.make)();
    function.call(vec![col("tick"), lit(resolution.ticks_per_second())])
}

/// What a filter says about each tick: true, false or NULL.
fn evaluate(filter: &Expr, ticks: &[Option<i64>]) -> Vec<Option<bool>> {
    let schema = Arc::new(Schema::new(vec![Field::new("tick", DataType::Int64, true)]));
    let batch =
        RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(Int64Array::from(ticks.to_vec()))]).expect("a batch");
    let schema = DFSchema::try_from(schema).expect("a schema");
    let physical = SESSION.create_physical_expr(filter.clone(), &schema).expect("an expression");
    let answer = physical.evaluate(&batch).expect("an answer").into_array(ticks.len()).expect("an array");
    answer.as_boolean().iter().collect()
}

fn agree(filter: Expr, ticks: &[Option<i64>]) {
    let translated = translate(filter.clone()).expect("no error");
    assert!(translated.transformed, "{filter} is not translated");
    let mentions_seconds = translated.data.to_string().contains("tick_seconds");
    assert!(!mentions_seconds, "{}", translated.data);
    assert_eq!(evaluate(&translated.data, ticks), evaluate(&filter, ticks), "{filter} against {}", translated.data);
}

/// Seconds near ticks, odd ones and extreme ones.
fn bounds() -> impl Strategy<Value = f64> {
    prop_oneof![
        -5.0..5.0_f64,
        any::<f64>().prop_filter("NaN is left alone", |value| !value.is_nan()),
        (-5000_i64..5000).prop_map(|tick| tick as f64 / 1e3),
        (-5000_i64..5000).prop_map(|tick| (tick as f64 / 1e3).next_up()),
        (-5000_i64..5000).prop_map(|tick| (tick as f64 / 1e3).next_down()),
        any::<i64>().prop_map(|tick| tick as f64 / 1e9),
        Just(0.0),
        Just(-0.0),
        Just(f64::INFINITY),
        Just(f64::NEG_INFINITY),
        Just(f64::MAX),
    ]
}

fn ticks(bound: f64, resolution: Resolution) -> Vec<Option<i64>> {
    let near = resolution.first_tick_at(bound).unwrap_or(i64::MAX);
    let mut ticks: Vec<Option<i64>> = (-3..=3).map(|step| Some(near.saturating_add(step))).collect();
    ticks.extend([None, Some(0), Some(-1), Some(1), Some(i64::MIN), Some(i64::MAX), Some(1_700_000_000_123_456_789)]);
    ticks
}

proptest! {
    #[test]
    fn both_forms_agree_on_every_comparison(
        bound in bounds(), more in any::<Vec<i64>>(), digits in 0_u8..5, operator in 0_usize..6
    ) {
        let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
        let mut ticks = ticks(bound, resolution);
        ticks.extend(more.into_iter().map(Some));
        let operator = OPERATORS[operator];
        let seconds = seconds_of(resolution);
        let binary = |left: &Expr, right: &Expr| {
            Expr::BinaryExpr(BinaryExpr::new(Box::new(left.clone()), operator, Box::new(right.clone())))
        };
        agree(binary(&seconds, &lit(bound)), &ticks);
        agree(binary(&lit(bound), &seconds), &ticks);
    }

    #[test]
    fn both_forms_agree_on_ranges_and_lists(low in bounds(), high in bounds(), digits in 0_u8..5) {
        let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
        let mut ticks = ticks(low, resolution);
        ticks.extend(self::ticks(high, resolution));
        let seconds = || seconds_of(resolution);
        agree(seconds().between(lit(low), lit(high)), &ticks);
        agree(seconds().not_between(lit(low), lit(high)), &ticks);
        // DataFusion's IN tells -0.0 from 0.0, its = does not; we follow the latter. 0.0 + -0.0 is 0.0.
        let list = || vec![lit(0.0 + low), lit(0.0 + high)];
        agree(seconds().in_list(list(), false), &ticks);
        agree(seconds().in_list(list(), true), &ticks);
    }
}

proptest! {
    #[test]
    fn dates_and_ticks_agree(
        near in -5000_i64..5000, far: i64, is_far: bool, origin in prop_oneof![Just(0_i64), any::<i64>(), Just(1_714_564_800_000_000_000)],
        digits in 0_u8..5, operator in 0_usize..6
    ) {
        let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
        let bound = if is_far { far } else { origin.saturating_add(near * 1_000_000) };
        let FirstTick::Tick(tick) = FirstTick::at_date(resolution, origin, bound) else { return Ok(()) };
        let mut ticks: Vec<Option<i64>> = (-3..=3).map(|step| Some(tick.saturating_add(step))).collect();
        ticks.extend([None, Some(0), Some(i64::MIN), Some(i64::MAX), Some(far)]);
        let origin = lit(TimestampOf::origin(origin));
        let date = (timestamp_of::FUNCTION.make)().call(vec![seconds_of(resolution), origin]);
        let bound = lit(TimestampOf::origin(bound));
        let binary = Expr::BinaryExpr(BinaryExpr::new(Box::new(date.clone()), OPERATORS[operator], Box::new(bound.clone())));
        agree(binary, &ticks);
        agree(date.clone().between(bound.clone(), bound.clone()), &ticks);
        agree(date.in_list(vec![bound], true), &ticks);
    }
}

#[test]
fn what_is_no_time_filter_is_left_alone() {
    let seconds = || seconds_of(Resolution::NANOSECONDS);
    let null = lit(ScalarValue::Float64(None));
    let odd_rate = (tick_seconds::FUNCTION.make)().call(vec![col("tick"), lit(7_i64)]);
    for filter in [
        seconds().gt(lit(f64::NAN)),
        seconds().gt(null.clone()),
        seconds().in_list(vec![lit(1.0), null], false),
        seconds().gt(seconds()),
        odd_rate.gt(lit(1.0)),
        col("tick").gt(lit(1.0)),
    ] {
        assert!(!translate(filter.clone()).expect("no error").transformed, "{filter}");
    }
}

#[test]
fn exact_bounds_stay_readable() {
    let filter = seconds_of(Resolution::NANOSECONDS).gt_eq(lit(12.5));
    let translated = translate(filter).expect("no error").data;
    assert_eq!(translated, col("tick").gt_eq(lit(12_500_000_000_i64)));
    let filter = seconds_of(Resolution::MILLISECONDS).eq(lit(0.25));
    assert_eq!(translate(filter).expect("no error").data, col("tick").eq(lit(250_i64)));
    let filter = lit(1_i64).lt(seconds_of(Resolution::MILLISECONDS));
    assert_eq!(translate(filter).expect("no error").data, col("tick").gt_eq(lit(1001_i64)));
}

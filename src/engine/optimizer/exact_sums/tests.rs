//! Tests of `exact_sums`: expressions as ticks. What queries answer is tested by those of the session.

use datafusion::common::{Column, Result};
use datafusion::logical_expr::{Expr, cast, lit, when};
use datafusion::prelude::{coalesce, col};

use super::forms::{Seconds, seconds_of};
use crate::functions::time::tick_seconds;
use crate::functions::time::tick_totals::WIDE_TICKS;

fn seconds(column: &str, ticks_per_second: i64) -> Expr {
    (tick_seconds::FUNCTION.make)().call(vec![col(column), lit(ticks_per_second)])
}

/// Ticks, and how many a second has.
fn ticks(expression: &Expr) -> Option<(Expr, i64)> {
    let mut unknown = |_: &Column| -> Result<Option<Seconds>> { Ok(None) };
    match seconds_of(expression, &mut unknown).expect("no error")? {
        Seconds::Ticks(form) => form.per_second(),
        Seconds::Constant(_) => None,
    }
}

fn wide(expression: Expr) -> Expr {
    cast(expression, WIDE_TICKS)
}

fn number(number: i128) -> Expr {
    lit(datafusion::common::ScalarValue::Decimal128(Some(number), 38, 0))
}

#[test]
fn what_a_second_has_is_scaled_where_possible() {
    let duration = || seconds("t", 1_000_000);
    assert_eq!(ticks(&duration()), Some((col("t"), 1_000_000)));
    assert_eq!(ticks(&(duration() * lit(1000.0))), Some((col("t"), 1000)));
    assert_eq!(ticks(&(lit(1e6) * duration())), Some((col("t"), 1)));
    assert_eq!(ticks(&(duration() / lit(60.0))), Some((col("t"), 60_000_000)));
    // 3 / 2000000 of a second.
    assert_eq!(ticks(&(duration() * lit(3.0) / lit(2.0))), Some((wide(col("t")) * number(3), 2_000_000)));
    assert_eq!(ticks(&(duration() * lit(1e9))), Some((wide(col("t")) * number(1000), 1)));
    assert_eq!(ticks(&(duration() * lit(-1000.0))), Some((Expr::Negative(Box::new(col("t"))), 1000)));
}

#[test]
fn distances_stay_narrow_and_other_sums_do_not() {
    let (start, end) = (seconds("start", 1000), seconds("end", 1000));
    assert_eq!(ticks(&(end.clone() - start.clone())), Some((col("end") - col("start"), 1000)));
    assert_eq!(ticks(&(end.clone() + start)), Some((wide(col("end")) + wide(col("start")), 1000)));
    // Half a second is 500 ticks; a tenth of a tick is none.
    assert_eq!(ticks(&(end.clone() - lit(0.5))), Some((wide(col("end")) - number(500), 1000)));
    assert_eq!(ticks(&(end.clone() - lit(0.0001))), None);
    // Ticks of a millisecond among those of a microsecond.
    let finer = seconds("finer", 1_000_000);
    assert_eq!(ticks(&(end - finer)), Some((wide(col("end")) * number(1000) - wide(col("finer")), 1_000_000)));
}

#[test]
fn branches_have_one_unit() {
    let duration = || seconds("t", 1000);
    let chosen = when(col("depth").eq(lit(0)), duration()).otherwise(lit(0_i64)).expect("a CASE");
    let expected = when(col("depth").eq(lit(0)), col("t")).otherwise(lit(0_i64)).expect("a CASE");
    assert_eq!(ticks(&chosen), Some((expected, 1000)));
    assert_eq!(ticks(&coalesce(vec![duration(), lit(2.0)])), Some((coalesce(vec![col("t"), lit(2000_i64)]), 1000)));
    let mixed = when(col("depth").eq(lit(0)), duration()).otherwise(col("x")).expect("a CASE");
    assert_eq!(ticks(&mixed), None);
}

#[test]
fn other_numbers_are_left_alone() {
    let duration = || seconds("t", 1000);
    for other in [
        duration() * duration(),
        duration() * lit(0.5),
        duration() * lit(0.0),
        duration() / lit(0.0),
        lit(1.0) / duration(),
        duration() + lit(f64::NAN),
        duration() + lit(f64::INFINITY),
        duration() * lit(1e16),
        col("x"),
        lit(1.0),
        (tick_seconds::FUNCTION.make)().call(vec![col("t"), col("rate")]),
    ] {
        assert_eq!(ticks(&other), None, "{other}");
    }
}

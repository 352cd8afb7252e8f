//! Tests of `lineage`.

use std::collections::{BTreeSet, HashMap};

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::common::metadata::FieldMetadata;
use datafusion::logical_expr::{JoinType, LogicalPlanBuilder, lit, table_scan};
use datafusion::prelude::col;

use super::*;
use crate::functions::calls::scanned_schemas::schemas;
use crate::functions::time::tick_seconds;

fn stored() -> LogicalPlanBuilder {
    let ticks = Schema::new(vec![Field::new("start_tick", DataType::Int64, false)]);
    table_scan(Some("t.states"), &ticks, None).expect("a scan")
}

/// A table as the catalog makes it: documented columns, seconds beside their ticks.
fn shown(stored: LogicalPlanBuilder) -> LogicalPlanBuilder {
    let doc = FieldMetadata::from(HashMap::from([("comment".to_string(), "When.".to_string())]));
    let seconds = (tick_seconds::FUNCTION.make)().call(vec![col("start_tick"), lit(1000_i64)]);
    let seconds = seconds.alias_with_metadata("start_time", Some(doc));
    stored.project(vec![seconds, col("start_tick")]).expect("a projection")
}

fn ticks(plan: LogicalPlanBuilder) -> Option<(String, i64)> {
    let plan = plan.build().expect("a plan");
    ticks_of(&plan, "start_time").map(|ticks| (ticks.column.name, ticks.per_second))
}

#[test]
fn ticks_are_found_behind_documented_seconds() {
    let expected = Some(("start_tick".to_string(), 1000));
    assert_eq!(ticks(shown(stored())), expected);
    assert_eq!(ticks(shown(stored()).alias("s").expect("an alias")), expected);
    let below = stored().project(vec![col("start_tick")]).expect("a projection");
    assert_eq!(ticks(shown(below)), expected);
    let renamed = shown(stored()).project(vec![col("start_time"), col("start_tick").alias("t")]).expect("a projection");
    assert_eq!(ticks(renamed), Some(("t".to_string(), 1000)));
    let some = shown(stored()).filter(col("start_time").gt(lit(1.0))).expect("a filter");
    assert_eq!(ticks(some), expected);
}

#[test]
fn ticks_are_found_on_either_side_of_a_join() {
    let expected = Some(("start_tick".to_string(), 1000));
    let known = || {
        let names = Schema::new(vec![Field::new("known_tick", DataType::Int64, false)]);
        table_scan(Some("t.known"), &names, None).expect("a scan").build().expect("a plan")
    };
    let same = || vec![col("start_tick").eq(col("known_tick"))];
    for kind in [JoinType::Inner, JoinType::Left, JoinType::Right, JoinType::Full, JoinType::LeftSemi] {
        let left = shown(stored()).join_on(known(), kind, same()).expect("a join");
        assert_eq!(ticks(left), expected, "{kind}");
    }
    let states = shown(stored()).build().expect("a plan");
    let right = LogicalPlanBuilder::from(known()).join_on(states, JoinType::Right, same()).expect("a join");
    assert_eq!(ticks(right), expected);
    // Ticks of another row do not belong to the seconds.
    let one = shown(stored()).project(vec![col("start_time")]).expect("a projection");
    let one = one.alias("one").expect("an alias");
    let other = stored().alias("other").expect("an alias").build().expect("a plan");
    assert_eq!(ticks(one.cross_join(other).expect("a join")), None);
}

#[test]
fn ticks_that_were_left_behind_or_changed_are_not_found() {
    let left = shown(stored()).project(vec![col("start_time")]).expect("a projection");
    assert_eq!(ticks(left), None);
    let moved = (col("start_time") + lit(1.0)).alias("start_time");
    let moved = shown(stored()).project(vec![moved, col("start_tick")]).expect("a projection");
    assert_eq!(ticks(moved), None);
    let other = (col("start_tick") + lit(1_i64)).alias("start_tick");
    let other = shown(stored()).project(vec![col("start_time"), other]).expect("a projection");
    assert_eq!(ticks(other), None);
}

#[test]
fn ticks_are_found_in_all_inputs_of_a_union() {
    let both = |one: LogicalPlanBuilder, other: LogicalPlanBuilder| {
        one.union(other.build().expect("a plan")).expect("a union").alias("both").expect("an alias")
    };
    let some = || shown(stored()).filter(col("start_time").gt(lit(1.0))).expect("a filter");
    assert_eq!(ticks(both(shown(stored()), some())), Some(("start_tick".to_string(), 1000)));
    assert_eq!(ticks(both(both(some(), some()), some())), Some(("start_tick".to_string(), 1000)));
    // Ticks that are those of the seconds in one input only, or of another second.
    let other = (col("start_tick") + lit(1_i64)).alias("start_tick");
    let other = shown(stored()).project(vec![col("start_time"), other]).expect("a projection");
    assert_eq!(ticks(both(shown(stored()), other)), None);
    let seconds = (tick_seconds::FUNCTION.make)().call(vec![col("start_tick"), lit(10_i64)]).alias("start_time");
    let slower = stored().project(vec![seconds, col("start_tick")]).expect("a projection");
    assert_eq!(ticks(both(shown(stored()), slower)), None);
}

#[test]
fn traces_are_those_that_are_scanned() {
    let plan = shown(stored()).build().expect("a plan");
    assert_eq!(schemas(&plan).expect("no error"), BTreeSet::from(["t".to_string()]));
}

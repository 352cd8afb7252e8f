//! Tests of `stored_columns`.

use arrow::datatypes::{DataType, Field, Schema};
use datafusion::logical_expr::{LogicalPlanBuilder, lit, table_scan};
use datafusion::prelude::col;

use super::*;
use crate::functions::time::tick_seconds;

fn stored(table: &str) -> LogicalPlanBuilder {
    let fields = vec![Field::new("type", DataType::Utf8, false), Field::new("start_tick", DataType::Int64, false)];
    table_scan(Some(table), &Schema::new(fields), None).expect("a scan")
}

/// A table as the catalog shows it.
fn shown(table: &str) -> LogicalPlanBuilder {
    let seconds = (tick_seconds::FUNCTION.make)().call(vec![col("start_tick"), lit(1000_i64)]).alias("start_time");
    stored(table).project(vec![col("type"), seconds]).expect("a projection")
}

fn sources(plan: LogicalPlanBuilder, column: &str) -> Option<Vec<String>> {
    let found = stored_columns(&plan.build().expect("a plan"), column)?;
    Some(found.into_iter().map(|one| format!("{}.{}.{}", one.schema, one.table, one.column)).collect())
}

fn some(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|name| name.to_string()).collect())
}

#[test]
fn unchanged_columns_lead_to_their_table() {
    assert_eq!(sources(shown("t.states"), "type"), some(&["t.states.type"]));
    assert_eq!(sources(shown("t.states"), "start_time"), some(&["t.states.start_tick"]));
    let picked = shown("t.states").filter(col("start_time").gt(lit(1.0))).expect("a filter");
    let picked = picked.limit(0, Some(3)).expect("a limit").alias("s").expect("an alias");
    assert_eq!(sources(picked, "type"), some(&["t.states.type"]));
}

#[test]
fn a_union_leads_to_all_of_its_tables() {
    let both = shown("t.states").union(shown("u.states").build().expect("a plan")).expect("a union");
    assert_eq!(sources(both, "type"), some(&["t.states.type", "u.states.type"]));
}

#[test]
fn computed_columns_lead_nowhere() {
    let renamed = shown("t.states").project(vec![lit("all").alias("type")]).expect("a projection");
    assert_eq!(sources(renamed, "type"), None);
    let moved = (col("start_time") + lit(5.0)).alias("start_time");
    assert_eq!(sources(shown("t.states").project(vec![moved]).expect("a projection"), "start_time"), None);
    assert_eq!(sources(shown("t.states"), "value"), None);
    assert_eq!(sources(shown("states"), "type"), None);
}

//! The one row of `trace_info`, from the manifest.

use std::sync::Arc;

use datafusion::common::{Result, ScalarValue, internal_err};
use datafusion::logical_expr::{LogicalPlan, LogicalPlanBuilder, lit};

use super::columns::documented;
use ocellus_trace::schema::{Column, ColumnSource};
use ocellus_trace::store::TraceEntry;

/// A plan of literals: the stored columns of `trace_info`.
pub(super) fn row(trace: &TraceEntry, columns: &[Column]) -> Result<LogicalPlan> {
    let mut values = vec![];
    for column in columns.iter().filter(|column| column.source == ColumnSource::Stored) {
        values.push(documented(lit(value(trace, &column.name)?), &column.name, &column.doc));
    }
    LogicalPlanBuilder::empty(true).project(values)?.build()
}

fn value(trace: &TraceEntry, column: &str) -> Result<ScalarValue> {
    let text = |value: &str| ScalarValue::Utf8View(Some(value.to_string()));
    let count = |value: u64| ScalarValue::Int64(Some(i64::try_from(value).unwrap_or(i64::MAX)));
    let time = |ms: Option<i64>| ScalarValue::TimestampMillisecond(ms, Some(Arc::from("UTC")));
    Ok(match column {
        "name" => text(&trace.name),
        "format" => text(&trace.format),
        "source" => text(&trace.source),
        "bytes" => count(trace.bytes),
        "containers" | "states" | "events" | "variables" | "links" | "diagnostics" => count(trace.rows(column)),
        "lines" | "event_lines" | "lost_lines" => count(trace.count(column)),
        "time_unit" => ScalarValue::Utf8View(trace.time_unit.clone()),
        "ticks_per_second" => ScalarValue::Int64(Some(trace.resolution().ticks_per_second())),
        "origin" => time(Some(trace.origin_ms())),
        "imported_at" => time(Some(trace.imported_at_ms)),
        "ocellus_version" => text(&trace.ocellus_version),
        "start_tick" => ScalarValue::Int64(trace.start_tick),
        "end_tick" => ScalarValue::Int64(trace.end_tick),
        _ => return internal_err!("the manifest has nothing for trace_info.{column}"),
    })
}

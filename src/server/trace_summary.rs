//! A trace of the store in a few words, as JSON.

use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use ocellus_trace::store::TraceEntry;

/// Name, format, span and rows of a trace.
pub(super) fn trace_summary(trace: &TraceEntry) -> Value {
    let seconds = |tick: Option<i64>| tick.map(|tick| tick as f64 / trace.resolution().ticks_per_second() as f64);
    let tables: serde_json::Map<String, Value> = trace
        .tables
        .iter()
        .filter(|table| table.bands.is_none())
        .map(|table| (table.name.clone(), json!(trace.shown_rows(&table.name))))
        .collect();
    json!({
        "name": trace.name,
        "format": trace.format,
        "bytes": trace.bytes,
        "start_time": seconds(trace.start_tick),
        "end_time": seconds(trace.end_tick),
        "time_unit": trace.time_unit,
        "origin": trace.origin_ms.and_then(time),
        "imported_at": time(trace.imported_at_ms),
        "rows": tables,
    })
}

fn time(milliseconds: i64) -> Option<String> {
    DateTime::from_timestamp_millis(milliseconds).map(|time| time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

//! `GET /traces` and `GET /functions`: what there is to ask about, and to ask with.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Json;
use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};

use super::errors::ErrorResponse;
use super::server::Server;
use ocellus_engine::functions::{Definition, registry};
use ocellus_trace::store::TraceEntry;

/// The traces of the store as it is now.
pub(super) async fn traces(State(server): State<Arc<Server>>) -> Result<Json<Vec<Value>>, ErrorResponse> {
    let snapshot = server.service.snapshot()?;
    Ok(Json(snapshot.catalog.traces().iter().map(trace).collect()))
}

fn trace(trace: &TraceEntry) -> Value {
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

/// Our functions and views.
pub(super) async fn functions() -> Json<Vec<Value>> {
    Json(registry::definitions().map(function).collect())
}

fn function(definition: &Definition) -> Value {
    let relations = definition.relations.iter().map(|relation| {
        json!({ "name": relation.name, "type": "RELATION", "default": relation.default, "doc": relation.doc })
    });
    let constants = definition.constants.iter().map(|constant| {
        json!({
            "name": constant.name,
            "type": constant.kind.name(),
            "default": constant.default.to_string(),
            "accepts": constant.accepts.to_string(),
            "doc": constant.doc,
        })
    });
    let columns = definition.columns.iter();
    let columns = columns.map(|column| json!({ "name": column.name, "type": column.kind, "doc": column.doc }));
    json!({
        "name": definition.name,
        "kind": definition.form.name(),
        "family": definition.family,
        "signature": definition.signature(),
        "doc": definition.description,
        "notes": definition.notes,
        "parameters": relations.chain(constants).collect::<Vec<Value>>(),
        "columns": columns.collect::<Vec<Value>>(),
        "examples": definition.examples,
    })
}

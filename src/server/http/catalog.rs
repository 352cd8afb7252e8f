//! `GET /traces` and `GET /functions`: what there is to ask about, and to ask with.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Json;
use serde_json::{Value, json};

use super::errors::ErrorResponse;
use super::server::Server;
use crate::error::ServerError;
use crate::trace_summary::trace_summary;
use ocellus_engine::functions::{Definition, registry};

/// The traces of the store as it is now.
pub(super) async fn traces(State(server): State<Arc<Server>>) -> Result<Json<Vec<Value>>, ErrorResponse> {
    Ok(Json(summaries(&server)?))
}

/// The same without a request.
pub(super) fn summaries(server: &Server) -> Result<Vec<Value>, ServerError> {
    let snapshot = server.service.snapshot()?;
    Ok(snapshot.catalog.traces().iter().map(trace_summary).collect())
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

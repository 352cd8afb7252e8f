//! `/queries/ID`: how far a query is, and its end. A query has a name when its client gives it one.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Json;
use serde_json::{Value, json};

use super::errors::ErrorResponse;
use super::server::Server;
use crate::session::ServerSession;

/// The header with the name of a query.
const QUERY: &str = "x-ocellus-query";

/// Lets a query be found by the name that its client gave it, as long as it runs.
pub(super) fn remember(
    server: &Server,
    headers: &HeaderMap,
    session: &Arc<ServerSession>,
) -> Result<(), ErrorResponse> {
    let Some(name) = headers.get(QUERY) else { return Ok(()) };
    let name = name.to_str().unwrap_or_default();
    let is_name = (8..=64).contains(&name.len())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || "_-".contains(character));
    if !is_name {
        let message = format!("{QUERY} names a query with 8 to 64 letters, digits, _ and -");
        return Err(ErrorResponse::bad_request(message));
    }
    server.running.add(name.as_bytes().to_vec(), session);
    Ok(())
}

/// How far the newest query of a name is.
pub(super) async fn progress(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
) -> Result<Json<Value>, ErrorResponse> {
    let session = server.running.find(id.as_bytes()).pop().ok_or_else(|| no_such_query(&id))?;
    let (stage, seconds) = session.progress.stage();
    Ok(Json(json!({
        "id": id,
        "state": stage.name(),
        "seconds": seconds,
        "rows_scanned": session.progress.scanned.total(),
        "rows_returned": session.progress.returned.total(),
    })))
}

/// Stops the queries of a name.
pub(super) async fn cancel(
    State(server): State<Arc<Server>>,
    Path(id): Path<String>,
) -> Result<StatusCode, ErrorResponse> {
    match server.running.cancel(id.as_bytes()) {
        0 => Err(no_such_query(&id)),
        _ => Ok(StatusCode::NO_CONTENT),
    }
}

fn no_such_query(id: &str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::NOT_FOUND, "not_found", format!("no query {id} runs"))
}

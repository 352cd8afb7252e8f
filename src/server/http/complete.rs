//! `/complete`: what could stand at a place of a text of SQL.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Uri;
use axum::response::Json;
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors::ErrorResponse;
use super::request;
use super::server::Server;
use crate::error::ServerError;
use crate::session_engine::shared_engine;
use ocellus_engine::completion::sql_candidates;

/// Bytes of a text that is completed.
const LONGEST_TEXT: usize = 1 << 20;

/// A text with a cursor.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CompletionRequest {
    sql: String,
    /// In UTF-16 units; the end of the text when not given.
    position: Option<usize>,
    trace: Option<String>,
}

/// Completes a text of the address.
pub(super) async fn get(State(server): State<Arc<Server>>, address: Uri) -> Result<Json<Value>, ErrorResponse> {
    complete(&server, request::from_address(&address)?).await
}

/// Completes a text of the body.
pub(super) async fn post(State(server): State<Arc<Server>>, request: Request) -> Result<Json<Value>, ErrorResponse> {
    let asked = request::read_json(request, &server.service.limits).await?;
    complete(&server, asked).await
}

async fn complete(server: &Server, asked: CompletionRequest) -> Result<Json<Value>, ErrorResponse> {
    if asked.sql.len() > LONGEST_TEXT {
        return Err(ErrorResponse::bad_request(format!("texts of up to {LONGEST_TEXT} bytes are completed")));
    }
    let shared = shared_engine(&server.service, &server.service.snapshot()?, asked.trace.clone())?;
    // The first time, all tables are planned: that is for the threads of queries.
    let task = server.service.workers.spawn(async move {
        let (before, after) = asked.sql.split_at(byte_position(&asked.sql, asked.position));
        let (start, candidates) = sql_candidates(shared.names().await, before, after);
        json!({ "start": utf16_length(&before[..start]), "candidates": candidates })
    });
    let completed = task.await.map_err(|error| ServerError::internal(format!("completion failed: {error}")))?;
    Ok(Json(completed))
}

/// The byte at a position in UTF-16 units; within a character, its start.
fn byte_position(text: &str, position: Option<usize>) -> usize {
    let Some(position) = position else { return text.len() };
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        units += character.len_utf16();
        if units > position {
            return byte;
        }
    }
    text.len()
}

fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

//! What the page would ask first of a trace, answered with the page: the server works for it while the browser starts.
//!
//! ```text
//! {"traces": as of GET /traces, "answers": {SQL: an Arrow stream, as of POST /sql, in base64}}
//! ```
//! The page finds an answer by the very text of its statement, and asks for what is not here.

use std::sync::Arc;

use axum::http::request::Parts;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::future::try_join_all;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::super::server::Server;
use super::super::{catalog, request, response};
use crate::error::ServerError;
use crate::service::Service;
use crate::session::ServerSession;

/// What the page must know of a trace before it can ask for a picture.
const STATEMENTS: [&str; 4] = [
    include_str!("../../../../sql/page/trace.sql"),
    include_str!("../../../../sql/page/containers.sql"),
    include_str!("../../../../sql/page/series.sql"),
    include_str!("../../../../sql/page/values.sql"),
];

/// Bytes of an answer: those of a trace with thousands of containers. The page asks for larger ones, which come as a stream.
const LARGEST_ANSWER: usize = 1 << 20;

#[derive(Debug, Deserialize)]
struct PageAddress {
    trace: Option<String>,
}

/// The trace that the page is going to show: the one of its address, or the first. None for those who may not read.
pub(super) fn trace_of(server: &Server, request: &Parts) -> Option<String> {
    if !server.is_open_to(&request.headers) {
        return None;
    }
    let address: PageAddress = request::from_address(&request.uri).ok()?;
    let snapshot = server.service.snapshot().ok()?;
    let mut names = snapshot.catalog.traces().iter().map(|trace| &trace.name);
    match address.trace {
        Some(wanted) => names.find(|name| **name == wanted),
        None => names.next(),
    }
    .cloned()
}

/// The answers about a trace, as a text of JSON.
pub(super) async fn answers(server: &Server, trace: &str) -> Result<String, ServerError> {
    let statements = STATEMENTS.map(str::trim);
    let rows = try_join_all(statements.map(|sql| answer(&server.service, trace, sql))).await?;
    let answers: Map<String, Value> = statements.into_iter().map(String::from).zip(rows).collect();
    Ok(json!({ "traces": catalog::summaries(server)?, "answers": answers }).to_string())
}

async fn answer(service: &Arc<Service>, trace: &str, sql: &str) -> Result<Value, ServerError> {
    let session = ServerSession::open_shared(service, Some(trace.to_string()))?;
    let rows = session.run_text(sql).await?;
    Ok(STANDARD.encode(response::whole_stream(rows, session, LARGEST_ANSWER).await?).into())
}

//! `POST /sql`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::errors::ErrorResponse;
use super::response::Packing;
use super::server::Server;
use super::{accept, queries, request, response};
use crate::parameters;
use crate::session::ServerSession;
use ocellus_render::formats::ResultFormat;

/// Runs a query, and responds in the format that the client accepts.
pub(super) async fn post(State(server): State<Arc<Server>>, request: Request) -> Result<Response, ErrorResponse> {
    let (parts, body) = request.into_parts();
    let wanted = wanted(&parts.headers)?;
    let query = request::read(&parts, body, &server.service.limits).await?;
    let session = ServerSession::open_shared(&server.service, query.trace)?;
    queries::remember(&server, &parts.headers, &session)?;
    let (text, packing) = (response::text_of(&parts), Packing::of(&parts));
    let sql = parameters::bind(&query.sql, &query.parameters)?;
    let responded = match session.run_text(&sql).await {
        Ok(rows) => response::respond(rows, wanted, text, packing, session).await,
        Err(error) => Err(error),
    };
    // A place in a text with values is none in that of the client.
    Ok(responded.map_err(|error| if query.parameters.is_empty() { error } else { error.without_span() })?)
}

fn wanted(headers: &HeaderMap) -> Result<(&'static str, ResultFormat), ErrorResponse> {
    // A list may be spread over several headers of the name.
    let given: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let given = given.join(",");
    accept::choose(Some(&given)).ok_or_else(|| {
        let offered: Vec<&str> = accept::offered().collect();
        let message = format!("no format matches Accept: {given}; rows are available as {}", offered.join(", "));
        ErrorResponse::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)
    })
}

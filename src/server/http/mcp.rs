//! `/mcp`: the protocol of assistants.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::errors::ErrorResponse;
use super::request;
use super::server::Server;

/// Hands a request to the protocol, once its body has arrived.
pub(super) async fn handle(State(server): State<Arc<Server>>, request: Request) -> Result<Response, ErrorResponse> {
    let (parts, body) = request.into_parts();
    let text = request::text_of(&parts.headers, body, &server.service.limits).await?;
    Ok(server.mcp.respond(parts, text).await?)
}

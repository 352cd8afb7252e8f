//! `GET /server`: what the server is, who asks, and what it allows.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Json;
use serde_json::{Value, json};

use super::server::Server;

/// Describes the server to the page.
pub(super) async fn about(State(server): State<Arc<Server>>, headers: HeaderMap) -> Json<Value> {
    let (service, limits) = (&server.service, &server.service.limits);
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "login": {
            "required": !service.users.is_open(),
            "user": server.session_user(&headers).filter(|name| !name.is_empty()),
        },
        "uploads": service.uploads,
        "limits": {
            "query_time": limits.query_time.as_secs_f64(),
            "query_rows": limits.query_rows,
            "query_memory": limits.query_memory,
            "queries": limits.queries,
            "message": limits.message,
        },
    }))
}

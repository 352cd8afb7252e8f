//! What there is: every path with its handler. `openapi.json` describes the same.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{MethodRouter, get, post};
use serde_json::json;

use super::errors::ErrorResponse;
use super::guard::{self, HEALTH};
use super::login::{LOGIN, LOGOUT};
use super::server::Server;
use super::{about, catalog, complete, draw, login, mcp, page, queries, sql, upload};
use crate::error::ServerError;

type Handler = fn() -> MethodRouter<Arc<Server>>;

const ROUTES: [(&str, Handler); 16] = [
    ("/", || get(page::index)),
    ("/assets/{hash}/{name}", || get(page::asset)),
    (LOGIN, || get(login::show).post(login::log_in)),
    (LOGOUT, || post(login::log_out)),
    ("/sql", || post(sql::post)),
    ("/traces", || get(catalog::traces)),
    ("/functions", || get(catalog::functions)),
    ("/server", || get(about::about)),
    ("/queries/{id}", || get(queries::progress).delete(queries::cancel)),
    ("/complete", || get(complete::get).post(complete::post)),
    ("/import", || post(upload::post)),
    ("/draw/{view}", || get(draw::get).post(draw::post)),
    ("/mcp", || get(mcp::handle).post(mcp::handle).delete(mcp::handle)),
    (HEALTH, || get(health)),
    ("/metrics", || get(metrics)),
    ("/openapi.json", || get(openapi)),
];

/// All routes behind the guard.
pub(super) fn router(server: Arc<Server>) -> Router {
    let mut router = Router::new();
    for (path, handler) in ROUTES {
        router = router.route(path, handler());
    }
    router
        .fallback(no_such_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(Arc::clone(&server), guard::guard))
        .with_state(server)
}

/// Whether queries are taken and the store can be read.
async fn health(State(server): State<Arc<Server>>) -> Response {
    if server.service.closing.is_cancelled() {
        return ErrorResponse::from(ServerError::stopping()).into_response();
    }
    match server.service.snapshot() {
        Ok(_) => Json(json!({ "status": "ok" })).into_response(),
        Err(_) => ErrorResponse::new(StatusCode::SERVICE_UNAVAILABLE, "store_unavailable", "the store cannot be read")
            .with_code("58030")
            .into_response(),
    }
}

async fn metrics(State(server): State<Arc<Server>>) -> impl IntoResponse {
    ([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], server.service.metrics.render())
}

async fn openapi() -> impl IntoResponse {
    ([(CONTENT_TYPE, "application/json")], include_str!("openapi.json"))
}

async fn no_such_path(request: Request) -> ErrorResponse {
    let paths: Vec<&str> = ROUTES.iter().map(|(path, _)| *path).collect();
    let message = format!("there is no {}; there is {}", request.uri().path(), paths.join(", "));
    ErrorResponse::new(StatusCode::NOT_FOUND, "not_found", message)
}

async fn wrong_method(request: Request) -> ErrorResponse {
    let message = format!("{} does not take {}: see /openapi.json", request.uri().path(), request.method());
    ErrorResponse::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

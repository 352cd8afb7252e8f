//! The protocol over HTTP. Who may ask is decided before, by the guard of all paths.
//!
//! Clients of the newest generation send requests that stand alone. Older ones begin a session, which lasts until they
//! end it or are silent for a while.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::request::Parts;
use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use futures::StreamExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::assistant::Assistant;
use super::client_presence::{ClientWatch, ReturningClients};
use super::handler::AssistantHandler;
use crate::error::{ServerError, ServerErrorKind};
use crate::service::Service;

/// Sessions at once.
const MOST_SESSIONS: usize = 128;
/// How long a session may be silent, beyond the time of a query.
const SILENCE: Duration = Duration::from_secs(300);

/// The type of a response whose messages come one by one.
const EVENTS: &str = "text/event-stream";

type McpHttp = StreamableHttpService<AssistantHandler, LocalSessionManager>;

/// What serves the path of the protocol.
pub(crate) struct McpEndpoint {
    sessions: Arc<LocalSessionManager>,
    /// Requests: their answers come until queries must end.
    calls: McpHttp,
    /// Streams that wait for what the server may say: they end when no new client is taken.
    streams: McpHttp,
    returning: ReturningClients,
}

impl McpEndpoint {
    pub(crate) fn new(service: &Arc<Service>) -> McpEndpoint {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.keep_alive = Some(service.limits.query_time.saturating_add(SILENCE));
        let sessions = Arc::new(sessions);
        let assistant = Assistant::new(Arc::clone(service), None);
        let http = |until: &CancellationToken| {
            let config = StreamableHttpServerConfig::default()
                // The guard knows the names of this server, and the origins.
                .disable_allowed_hosts()
                .with_json_response(true)
                .with_max_request_body_bytes(service.limits.message)
                .with_cancellation_token(until.clone());
            let assistant = Arc::clone(&assistant);
            let handler = move || Ok::<_, io::Error>(AssistantHandler::new(Arc::clone(&assistant)));
            StreamableHttpService::new(handler, Arc::clone(&sessions), config)
        };
        McpEndpoint {
            calls: http(&service.ending),
            streams: http(&service.closing),
            sessions,
            returning: ReturningClients::default(),
        }
    }

    /// The response to a request whose body was read.
    pub(crate) async fn respond(&self, mut parts: Parts, body: String) -> Result<Response, ServerError> {
        if may_begin_session(&body) && self.sessions.sessions.read().await.len() >= MOST_SESSIONS {
            let message = format!("{MOST_SESSIONS} sessions are open, the most this server has; try again later");
            return Err(ServerError::new(ServerErrorKind::Busy, message));
        }
        let http = if parts.method == Method::GET { &self.streams } else { &self.calls };
        let is_end = parts.method == Method::DELETE;
        let watch = self.returning.watch(&mut parts);
        let mut response = http.handle(Request::from_parts(parts, Body::from(body))).await.map(Body::new);
        if response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind == EVENTS) {
            response = response.map(|events| watched(events, watch));
        }
        if is_end && response.status() == StatusCode::ACCEPTED {
            // The session has ended: clients that read "accepted" say that it failed to.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        Ok(response)
    }
}

/// The same response, which holds the watch as long as it is read.
fn watched(events: Body, watch: ClientWatch) -> Body {
    Body::from_stream(events.into_data_stream().map(move |event| {
        let _reading = &watch;
        event
    }))
}

/// Whether a message is the first of a session, or cannot be read, and so is nothing else either.
fn may_begin_session(body: &str) -> bool {
    #[derive(Deserialize)]
    struct CalledMethod {
        method: Option<String>,
    }
    match serde_json::from_str::<CalledMethod>(body) {
        Ok(called) => called.method.as_deref() == Some("initialize"),
        Err(_) => !body.is_empty(),
    }
}

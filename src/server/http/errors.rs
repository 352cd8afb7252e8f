//! Failures as answers: a status, and `{"code": …, "message": …}`.

#[cfg(test)]
mod tests;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::{ServerError, ServerErrorKind};

/// An answer that is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ErrorResponse {
    pub(super) status: StatusCode,
    /// An SQLSTATE, or a word when SQL has nothing to do with it.
    code: &'static str,
    message: String,
    headers: Vec<(HeaderName, &'static str)>,
}

impl ErrorResponse {
    /// A request that is wrong before any SQL is read.
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ErrorResponse {
        ErrorResponse { status, code, message: message.into(), headers: vec![] }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> ErrorResponse {
        ErrorResponse::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The connection ends with this answer.
    pub(super) fn with_closing(mut self) -> ErrorResponse {
        self.headers.push((CONNECTION, "close"));
        self
    }
}

impl From<ServerError> for ErrorResponse {
    fn from(error: ServerError) -> ErrorResponse {
        let mut refusal = ErrorResponse::new(status(error.kind), error.sqlstate(), error.message);
        match error.kind {
            ServerErrorKind::Denied => refusal.headers.push((WWW_AUTHENTICATE, "Basic realm=\"ocellus\", Bearer")),
            ServerErrorKind::TooManyClients | ServerErrorKind::Busy => refusal.headers.push((RETRY_AFTER, "5")),
            _ => {}
        }
        refusal
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let body = json!({ "code": self.code, "message": self.message });
        let mut response = (self.status, Json(body)).into_response();
        for (name, value) in self.headers {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        response
    }
}

fn status(kind: ServerErrorKind) -> StatusCode {
    match kind {
        ServerErrorKind::Denied => StatusCode::UNAUTHORIZED,
        ServerErrorKind::ReadOnly => StatusCode::FORBIDDEN,
        ServerErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ServerErrorKind::TooManyClients
        | ServerErrorKind::Busy
        | ServerErrorKind::Stopping
        | ServerErrorKind::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
        ServerErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        // The query is wrong, or asks for more than the server gives.
        _ => StatusCode::BAD_REQUEST,
    }
}

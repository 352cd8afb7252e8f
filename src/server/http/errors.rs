//! Errors as responses: a status, and a JSON object.
//!
//! ```text
//! {"code": "42703", "kind": "unknown_column", "message": "no column valeu",
//!  "line": 1, "column": 8, "hint": "did you mean value?"}
//! ```
//! `line`, `column` and `hint` are left out when they are not known.

#[cfg(test)]
mod tests;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::error::{ServerError, ServerErrorKind};
use ocellus_trace::error::{QueryErrorKind, TextPosition};

/// A response that is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ErrorResponse {
    pub(super) status: StatusCode,
    /// An SQLSTATE, or the kind when SQL has nothing to do with it.
    code: &'static str,
    kind: &'static str,
    message: Box<str>,
    /// Where in the text of the query the error is.
    position: Option<TextPosition>,
    hint: Option<Box<str>>,
    headers: Vec<(HeaderName, &'static str)>,
}

impl ErrorResponse {
    /// A request that is wrong before any SQL is read.
    pub(super) fn new(status: StatusCode, kind: &'static str, message: impl Into<String>) -> ErrorResponse {
        let message = message.into().into();
        ErrorResponse { status, code: kind, kind, message, position: None, hint: None, headers: vec![] }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> ErrorResponse {
        ErrorResponse::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The same with an SQLSTATE as its code.
    pub(super) fn with_code(mut self, code: &'static str) -> ErrorResponse {
        self.code = code;
        self
    }

    /// The connection ends with this response.
    pub(super) fn with_closing(mut self) -> ErrorResponse {
        self.headers.push((CONNECTION, "close"));
        self
    }

    fn body(&self) -> Value {
        let mut body = json!({ "code": self.code, "kind": self.kind, "message": self.message });
        if let Some(position) = self.position {
            body["line"] = json!(position.line);
            body["column"] = json!(position.column);
        }
        if let Some(hint) = &self.hint {
            body["hint"] = json!(hint);
        }
        body
    }
}

impl From<ServerError> for ErrorResponse {
    fn from(error: ServerError) -> ErrorResponse {
        let headers = match error.kind {
            ServerErrorKind::Denied => vec![(WWW_AUTHENTICATE, "Basic realm=\"ocellus\", Bearer")],
            ServerErrorKind::TooManyClients | ServerErrorKind::Busy => vec![(RETRY_AFTER, "5")],
            _ => vec![],
        };
        ErrorResponse {
            status: status(error.kind),
            code: error.sqlstate(),
            kind: error.kind.name(),
            message: error.message.into(),
            position: error.span.map(|span| span.start),
            hint: error.hint.map(Into::into),
            headers,
        }
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body())).into_response();
        for (name, value) in self.headers {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        response
    }
}

fn status(kind: ServerErrorKind) -> StatusCode {
    match kind {
        ServerErrorKind::Query(QueryErrorKind::ReadOnly) => StatusCode::FORBIDDEN,
        ServerErrorKind::Query(QueryErrorKind::Internal) => StatusCode::INTERNAL_SERVER_ERROR,
        // The query is wrong, or asks for more than the server gives.
        ServerErrorKind::Query(_) | ServerErrorKind::TooManyRows => StatusCode::BAD_REQUEST,
        ServerErrorKind::Denied => StatusCode::UNAUTHORIZED,
        ServerErrorKind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        ServerErrorKind::TooManyClients
        | ServerErrorKind::Busy
        | ServerErrorKind::Stopping
        | ServerErrorKind::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
    }
}

//! Failures as answers: a status, and `{"code": …, "message": …}`.

#[cfg(test)]
mod tests;

use axum::Json;
use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::failure::{Failure, Kind};

/// An answer that is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    /// An SQLSTATE, or a word when SQL has nothing to do with it.
    code: &'static str,
    message: String,
    headers: Vec<(HeaderName, &'static str)>,
}

impl Refusal {
    /// A request that is wrong before any SQL is read.
    pub(super) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Refusal {
        Refusal { status, code, message: message.into(), headers: vec![] }
    }

    pub(super) fn bad_request(message: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, "bad_request", message)
    }

    /// The connection ends with this answer.
    pub(super) fn with_closing(mut self) -> Refusal {
        self.headers.push((CONNECTION, "close"));
        self
    }
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Refusal {
        let mut refusal = Refusal::new(status(failure.kind), failure.sqlstate(), failure.message);
        match failure.kind {
            Kind::Denied => refusal.headers.push((WWW_AUTHENTICATE, "Basic realm=\"ocellus\", Bearer")),
            Kind::TooManyClients | Kind::Busy => refusal.headers.push((RETRY_AFTER, "5")),
            _ => {}
        }
        refusal
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let body = json!({ "code": self.code, "message": self.message });
        let mut response = (self.status, Json(body)).into_response();
        for (name, value) in self.headers {
            response.headers_mut().append(name, HeaderValue::from_static(value));
        }
        response
    }
}

fn status(kind: Kind) -> StatusCode {
    match kind {
        Kind::Denied => StatusCode::UNAUTHORIZED,
        Kind::ReadOnly => StatusCode::FORBIDDEN,
        Kind::Timeout => StatusCode::GATEWAY_TIMEOUT,
        Kind::TooManyClients | Kind::Busy | Kind::Stopping | Kind::Cancelled => StatusCode::SERVICE_UNAVAILABLE,
        Kind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        // The query is wrong, or asks for more than the server gives.
        _ => StatusCode::BAD_REQUEST,
    }
}

//! `/login` and `/logout`: a form for people, and the cookie that they get for it.
//!
//! The cookie holds a token that this process signed. Scripts cannot read it, and a browser sends it with requests that
//! the page itself causes only.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, SET_COOKIE, WWW_AUTHENTICATE};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use tokio::time::timeout;
use url::form_urlencoded;

use super::errors::ErrorResponse;
use super::page::{escaped, header, nonce};
use super::request;
use super::server::Server;
use crate::connections::PeerAddress;
use crate::error::ServerErrorKind;

/// Where the form is.
pub(super) const LOGIN: &str = "/login";
/// What ends a session.
pub(super) const LOGOUT: &str = "/logout";

/// Bytes of a form.
const LARGEST_FORM: usize = 64 << 10;

const FORM: &str = include_str!("login.html");

#[derive(Debug, Default, Deserialize)]
struct LoginAddress {
    #[serde(default)]
    next: String,
}

/// What a user typed.
#[derive(Debug, Default, PartialEq, Eq)]
struct LoginForm {
    name: String,
    password: String,
    token: String,
    next: String,
}

impl LoginForm {
    fn parse(body: &[u8]) -> LoginForm {
        let mut form = LoginForm::default();
        for (name, value) in form_urlencoded::parse(body) {
            match name.as_ref() {
                "name" => form.name = value.into_owned(),
                "password" => form.password = value.into_owned(),
                "token" => form.token = value.trim().to_string(),
                "next" => form.next = value.into_owned(),
                _ => {}
            }
        }
        form
    }

    /// The same as a header says it.
    fn authorization(&self) -> String {
        match self.token.as_str() {
            "" => format!("Basic {}", STANDARD.encode(format!("{}:{}", self.name, self.password))),
            token => format!("Bearer {token}"),
        }
    }
}

/// Shows the form.
pub(super) async fn show(State(server): State<Arc<Server>>, address: Uri) -> Result<Response, ErrorResponse> {
    let LoginAddress { next } = request::from_address(&address)?;
    match server.service.users.is_open() {
        true => go_to(&next),
        false => form(StatusCode::OK, &next, ""),
    }
}

/// Takes the form: the cookie and the page, or the form again.
pub(super) async fn log_in(State(server): State<Arc<Server>>, request: Request) -> Result<Response, ErrorResponse> {
    let address = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
    let is_form = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_form.is_some_and(|kind| kind.starts_with("application/x-www-form-urlencoded")) {
        let message = "a login is a form: application/x-www-form-urlencoded";
        return Err(ErrorResponse::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message));
    }
    let body = timeout(server.service.limits.patience, to_bytes(request.into_body(), LARGEST_FORM)).await;
    let Ok(Ok(body)) = body else {
        let message = "the form did not arrive, or is too large";
        return Err(ErrorResponse::bad_request(message).with_closing());
    };
    let typed = LoginForm::parse(&body);
    let context = server.service.login_context(address);
    match server.credentials.open_session(context, &typed.authorization()).await {
        Ok(token) => {
            let mut response = go_to(&typed.next)?;
            response.headers_mut().insert(SET_COOKIE, header(&server.cookie.holding(&token))?);
            Ok(response)
        }
        Err(error) if error.kind == ServerErrorKind::Denied => {
            let mut response = form(StatusCode::UNAUTHORIZED, &typed.next, &error.message)?;
            // A challenge that browsers have no dialog for.
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            Ok(response)
        }
        Err(error) => Err(error.into()),
    }
}

/// Takes the cookie away.
pub(super) async fn log_out(State(server): State<Arc<Server>>) -> Result<Response, ErrorResponse> {
    let headers = [(LOCATION, HeaderValue::from_static(LOGIN)), (SET_COOKIE, header(&server.cookie.cleared())?)];
    Ok((StatusCode::SEE_OTHER, headers).into_response())
}

fn go_to(next: &str) -> Result<Response, ErrorResponse> {
    let location = header(page_address(next)).unwrap_or(HeaderValue::from_static("/"));
    Ok((StatusCode::SEE_OTHER, [(LOCATION, location)]).into_response())
}

/// The page, with the state that an address gives it; nothing else is gone to.
fn page_address(next: &str) -> &str {
    let is_page = next.starts_with("/?") || next.starts_with("/#");
    let is_plain = next.chars().all(|character| character.is_ascii_graphic());
    if is_page && is_plain { next } else { "/" }
}

fn form(status: StatusCode, next: &str, message: &str) -> Result<Response, ErrorResponse> {
    let nonce = nonce()?;
    let text = FORM.replace("__NONCE__", &nonce);
    let text = text.replace("__NEXT__", &escaped(page_address(next))).replace("__MESSAGE__", &escaped(message));
    let policy = format!(
        "default-src 'none'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    );
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, header(&policy)?),
    ];
    Ok((status, headers, text).into_response())
}

//! Who is served: not pages of other sites, and only those who may read.
//!
//! A page that a user happens to look at can send requests to this machine. It cannot read the responses,
//! unless its own name is made to point here ("DNS rebinding"); then the requests name that host. So an
//! open server on this machine serves requests to the names of this machine only, and no server serves a
//! page of another origin.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderValue, ORIGIN, REFERRER_POLICY,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::errors::ErrorResponse;
use super::login::{LOGIN, LOGOUT};
use super::page::ASSETS;
use super::server::Server;
use crate::connections::PeerAddress;

/// Whether the server takes queries.
pub(super) const HEALTH: &str = "/health";

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");

/// Headers of every response that does not have them.
const HEADERS: [(HeaderName, &str); 6] = [
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (CACHE_CONTROL, "no-store"),
    // With less, a form would come without its origin.
    (REFERRER_POLICY, "same-origin"),
    (OPENER_POLICY, "same-origin"),
    (RESOURCE_POLICY, "same-origin"),
    // Rows and pictures that are opened like a page have no rights.
    (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'; sandbox"),
];

/// Passes a request on, or refuses it.
pub(super) async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let has_own_form = is_by_script(&parts.headers);
    let mut response = match check(&server, &parts).await {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(refusal) => refusal.into_response(),
    };
    let is_denied = response.status() == StatusCode::UNAUTHORIZED;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_denied && has_own_form {
        // A challenge that browsers have no dialog for.
        headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

async fn check(server: &Server, request: &Parts) -> Result<(), ErrorResponse> {
    let headers = &request.headers;
    check_host(headers, server.is_local && server.service.users.is_open())?;
    check_site(request)?;
    if is_public(request.uri.path()) {
        return Ok(());
    }
    let authorization = text(headers, &AUTHORIZATION);
    if authorization.is_none() && server.session_user(headers).is_some() {
        return Ok(());
    }
    let address = request.extensions.get::<PeerAddress>().map(|peer| peer.0);
    Ok(server.credentials.check(server.service.login_context(address), authorization).await?)
}

/// Whether a path needs no credentials: there is no data, but for those who may read it.
fn is_public(path: &str) -> bool {
    [HEALTH, "/", LOGIN, LOGOUT].contains(&path) || path.starts_with(ASSETS)
}

/// Whether a script, an image or another part of a page asks, rather than a user.
fn is_by_script(headers: &HeaderMap) -> bool {
    text(headers, &SEC_FETCH_MODE).is_some_and(|mode| mode != "navigate")
}

/// Refuses what another site causes, except a link to the page. Browsers say so of every request, those of images
/// included, which have no origin.
fn check_site(request: &Parts) -> Result<(), ErrorResponse> {
    let headers = &request.headers;
    if matches!(text(headers, &SEC_FETCH_SITE), None | Some("same-origin" | "none")) {
        return Ok(());
    }
    let is_link = text(headers, &SEC_FETCH_MODE) == Some("navigate")
        && text(headers, &SEC_FETCH_DEST) == Some("document")
        && request.method.is_safe();
    match is_link && request.uri.path() == "/" {
        true => Ok(()),
        false => Err(forbidden("pages of other sites may not ask this server")),
    }
}

fn forbidden(message: &str) -> ErrorResponse {
    ErrorResponse::new(StatusCode::FORBIDDEN, "forbidden", message)
}

fn check_host(headers: &HeaderMap, must_be_local: bool) -> Result<(), ErrorResponse> {
    let host = text(headers, &HOST).and_then(|host| host.parse::<Authority>().ok());
    if must_be_local && !host.as_ref().is_some_and(|host| is_local_name(host.host())) {
        return Err(forbidden(
            "an open server on this machine answers to localhost only; give --users to serve other names",
        ));
    }
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://")).map(|(_, authority)| authority);
    match origin.and_then(|origin| origin.parse::<Authority>().ok()) == host && host.is_some() {
        true => Ok(()),
        false => Err(forbidden("pages of other sites may not ask this server")),
    }
}

fn is_local_name(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    address.is_ok_and(|address| address.is_loopback()) || name == "localhost" || name.ends_with(".localhost")
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

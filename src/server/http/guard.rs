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
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, HOST, HeaderValue, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::errors::ErrorResponse;
use super::server::Server;
use crate::connections::PeerAddress;

/// The path that needs no credentials.
pub(super) const HEALTH: &str = "/health";

/// Passes a request on, or refuses it.
pub(super) async fn guard(State(server): State<Arc<Server>>, request: Request, next: Next) -> Response {
    let address = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
    let header = text(request.headers(), &AUTHORIZATION).map(str::to_string);
    let must_be_local = server.is_local && server.service.users.is_open();
    let checked = match check_host(request.headers(), must_be_local) {
        Ok(()) if request.uri().path() != HEALTH => {
            let login = server.service.login_context(address);
            server.credentials.check(login, header.as_deref()).await.map_err(ErrorResponse::from)
        }
        checked => checked,
    };
    let mut response = match checked {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn check_host(headers: &HeaderMap, must_be_local: bool) -> Result<(), ErrorResponse> {
    let forbidden = |message: &str| ErrorResponse::new(StatusCode::FORBIDDEN, "forbidden", message);
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

//! `GET /` and `GET /assets/…`: the page and its files.

mod first_answers;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures::stream::{self, StreamExt};
use ring::rand::{SecureRandom, SystemRandom};

use super::accept;
use super::errors::ErrorResponse;
use super::response::{Packer, Packing};
use super::server::Server;
use crate::error::ServerError;
use crate::page::{INDEX, PageFile};

/// Where the files of the page lie.
pub(super) const ASSETS: &str = "/assets/";

/// Bytes of a nonce.
const NONCE: usize = 18;

/// The page itself; with the answers to its first questions about a trace, for those who may read.
pub(super) async fn index(State(server): State<Arc<Server>>, request: Request) -> Result<Response, ErrorResponse> {
    let (parts, _) = request.into_parts();
    let text = server.page.with_file(INDEX, |file| String::from_utf8_lossy(&file.content).into_owned());
    let text = text.map_err(|error| unreadable(&error))?.ok_or_else(not_found)?;
    let nonce = nonce()?;
    let text = text.replace("__ASSETS__", &format!("{ASSETS}{}", server.page.hash())).replace("__NONCE__", &nonce);
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, header(&policy(&nonce))?),
    ];
    let Some((begin, end)) = text.split_once("__ANSWERS__") else { return Ok((headers, text).into_response()) };
    // A name of a trace is the last that is put in, so that no mark within it is replaced.
    let trace = first_answers::trace_of(&server, &parts);
    let begin = begin.replace("__TRACE__", &escaped(trace.as_deref().unwrap_or_default()));
    let Some(trace) = trace else { return Ok((headers, begin + end).into_response()) };
    let packing = Packing::of(&parts);
    let mut response = (headers, with_answers(begin, server, trace, end.to_string(), packing)).into_response();
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept-encoding"));
    if packing == Packing::Gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// The begin of the page at once, so that a browser loads what the page is made of while the engine works for the rest.
fn with_answers(begin: String, server: Arc<Server>, trace: String, end: String, packing: Packing) -> Body {
    let mut packer = Packer::new(packing);
    let begin = packer.pack(begin.into_bytes());
    let rest = async move {
        // What was sent before leaves first.
        tokio::task::yield_now().await;
        let answers = first_answers::answers(&server, &trace).await;
        // Where there are none, the page asks for itself, and hears why.
        let element = answers.map(|answers| format!("<template id=\"answers\">{}</template>\n", escaped(&answers)));
        packer.pack_last((element.unwrap_or_default() + &end).into_bytes())
    };
    Body::from_stream(stream::iter([begin]).chain(stream::once(rest)))
}

/// A file of the page.
pub(super) async fn asset(
    State(server): State<Arc<Server>>,
    Path((hash, name)): Path<(String, String)>,
    request: Request,
) -> Result<Response, ErrorResponse> {
    if hash != server.page.hash() {
        return Err(not_found());
    }
    let lifetime = if server.page.is_fixed() { "public, max-age=31536000, immutable" } else { "no-cache" };
    let found = server.page.with_file(&name, |file| respond(file, request.headers(), lifetime));
    found.map_err(|error| unreadable(&error))?.ok_or_else(not_found)?
}

fn respond(file: &PageFile, asked: &HeaderMap, lifetime: &'static str) -> Result<Response, ErrorResponse> {
    let is_compressed = accept::takes_gzip(asked);
    let tag = format!("\"{}{}\"", file.tag, if is_compressed { "-gzip" } else { "" });
    let mut headers = HeaderMap::new();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static(lifetime));
    headers.insert(ETAG, header(&tag)?);
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    let known = asked.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    if known.flat_map(|tags| tags.split(',')).any(|known| known.trim().trim_start_matches("W/") == tag) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
    if !is_compressed {
        return Ok((headers, file.content.clone()).into_response());
    }
    headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Ok((headers, file.compressed().map_err(|error| unreadable(&error))?).into_response())
}

/// What the page may load: its own files, and nothing that came with data.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'nonce-{nonce}' 'strict-dynamic'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' blob: data:; font-src 'self'; connect-src 'self'; worker-src 'self'; manifest-src 'self'; \
         base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; \
         trusted-types 'none'"
    )
}

/// A value that nobody can guess, for one response.
pub(super) fn nonce() -> Result<String, ErrorResponse> {
    let mut bytes = [0; NONCE];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| ServerError::internal("the system gives no random numbers"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// A text of ours as the value of a header.
pub(super) fn header(text: &str) -> Result<HeaderValue, ErrorResponse> {
    HeaderValue::from_str(text).map_err(|_| ServerError::internal("a header with signs that none may have").into())
}

/// A text within a page: it stays text, whatever it holds.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}

fn not_found() -> ErrorResponse {
    ErrorResponse::new(StatusCode::NOT_FOUND, "not_found", "the page has no such file; load it anew")
}

fn unreadable(error: &std::io::Error) -> ErrorResponse {
    ServerError::internal(format!("a file of the page cannot be read: {error}")).into()
}

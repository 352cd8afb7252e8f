//! `POST /sql`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;

use super::failures::Refusal;
use super::{Server, accept, answer, request};
use crate::parameters;
use crate::session::Session;
use ocellus_render::formats::ResultFormat;

/// Answers a query in the format that the client accepts.
pub(super) async fn post(State(server): State<Arc<Server>>, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let (media_type, format) = wanted(&parts.headers)?;
    let question = request::read(parts, body, &server.service.limits).await?;
    let session = Session::open(&server.service, question.trace, Arc::new(|_| Ok(())))?;
    let sql = parameters::bind(&question.sql, &question.parameters)?;
    let rows = session.run_text(&sql).await?;
    Ok(answer::answer(rows, media_type, format).await?)
}

fn wanted(headers: &HeaderMap) -> Result<(&'static str, ResultFormat), Refusal> {
    // A list may be spread over several headers of the name.
    let given: Vec<&str> = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let given = given.join(",");
    accept::choose(Some(&given)).ok_or_else(|| {
        let offered: Vec<&str> = accept::offered().collect();
        let message = format!("nothing fits Accept: {given}; rows are given as {}", offered.join(", "));
        Refusal::new(StatusCode::NOT_ACCEPTABLE, "not_acceptable", message)
    })
}

//! `POST /import`: a trace of a client becomes one of the store, where the server allows it.
//!
//! The body goes into a temporary file, and from there into the store as `ocellus import` does it. One import runs at a
//! time; it stops when its client leaves or the server does.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::{IntoResponse, Json, Response};
use futures::StreamExt;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::errors::ErrorResponse;
use super::request;
use super::server::Server;
use crate::error::ServerError;
use ocellus_trace::error::Error;
use ocellus_trace::import::{ImportOptions, ImportSummary, Progress, TraceSource, import};
use ocellus_trace::store::{Store, check_trace_name};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UploadAddress {
    /// The name of the trace in the store.
    name: String,
}

/// Imports the body.
pub(super) async fn post(State(server): State<Arc<Server>>, request: Request) -> Result<Response, ErrorResponse> {
    let service = &server.service;
    let limit = service.uploads.ok_or_else(|| {
        let message = "this server takes no traces: import them with ocellus import, or serve with --accept-uploads";
        ErrorResponse::new(StatusCode::FORBIDDEN, "forbidden", message).with_closing()
    })?;
    let UploadAddress { name } = request::from_address(request.uri())?;
    check_trace_name(&name).map_err(|error| ErrorResponse::bad_request(error.to_string()).with_closing())?;
    let announced = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(too_large(limit));
    }
    if service.snapshot()?.catalog.traces().iter().any(|trace| trace.name == name) {
        let message = format!("the store has a trace {name} already; choose another name");
        return Err(ErrorResponse::new(StatusCode::CONFLICT, "already_exists", message).with_closing());
    }
    let _turn = server.uploads.acquire().await.map_err(|_| ServerError::stopping())?;
    let uploaded = UploadedFile::receive(&server, request.into_body(), &name, limit).await?;
    let stop = service.closing.child_token();
    // Dropped with this request: a client that leaves stops its import.
    let _stop: DropGuard = stop.clone().drop_guard();
    let store = service.store().clone();
    let imported = spawn_blocking(move || uploaded.import(&store, name, stop)).await;
    let imported = imported.map_err(|error| ServerError::internal(format!("the import failed: {error}")))?;
    Ok((StatusCode::CREATED, Json(summary(&imported.map_err(refused)?))).into_response())
}

/// The body of a request on disk, until it is dropped.
struct UploadedFile {
    path: PathBuf,
    _folder: TempDir,
}

impl UploadedFile {
    async fn receive(server: &Server, body: Body, name: &str, limit: u64) -> Result<UploadedFile, ErrorResponse> {
        let failed = |error: io::Error| ServerError::internal(format!("the trace cannot be kept: {error}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        let path = folder.path().join(name);
        let mut file = File::create(&path).map_err(failed)?;
        let (mut chunks, mut size) = (body.into_data_stream(), 0);
        loop {
            let next = timeout(server.service.limits.patience, chunks.next()).await.map_err(|_| {
                let message = format!("nothing arrived for {:?}", server.service.limits.patience);
                ErrorResponse::new(StatusCode::REQUEST_TIMEOUT, "request_timeout", message).with_closing()
            })?;
            let Some(chunk) = next else { break };
            // What fails is the connection, and then nobody reads the response.
            let chunk = chunk.map_err(|_| ErrorResponse::bad_request("the body broke off").with_closing())?;
            size += chunk.len() as u64;
            if size > limit {
                return Err(too_large(limit));
            }
            file.write_all(&chunk).map_err(failed)?;
        }
        Ok(UploadedFile { path, _folder: folder })
    }

    fn import(&self, store: &Store, name: String, stop: CancellationToken) -> Result<ImportSummary, Error> {
        let options = ImportOptions {
            source: Some(format!("{name} (uploaded)")),
            name: Some(name),
            progress: Arc::new(UploadProgress(stop)),
            ..ImportOptions::default()
        };
        import(&TraceSource::Path(self.path.clone()), store, &options)
    }
}

/// Stops an import whose client left.
struct UploadProgress(CancellationToken);

impl Progress for UploadProgress {
    fn advance(&self, _done: u64, _total: Option<u64>) {}

    fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }
}

fn summary(imported: &ImportSummary) -> Value {
    let trace = &imported.trace;
    let tables = trace.tables.iter().filter(|table| table.bands.is_none());
    let rows: serde_json::Map<String, Value> =
        tables.map(|table| (table.name.clone(), json!(trace.shown_rows(&table.name)))).collect();
    json!({ "trace": trace.name, "rows": rows, "lost_lines": trace.count("lost_lines") })
}

fn too_large(limit: u64) -> ErrorResponse {
    let message = format!("the trace is larger than {limit} bytes, the most this server takes: see --accept-uploads");
    ErrorResponse::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message).with_closing()
}

/// A trace that cannot be used is the client's; what else fails is ours.
fn refused(error: Error) -> ErrorResponse {
    match error {
        Error::Trace(message) | Error::Usage(message) => ErrorResponse::bad_request(message),
        other => ServerError::from(other).into(),
    }
}

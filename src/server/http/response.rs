//! The rows of a query as the body of a response, written as they come.
//!
//! The first chunk is made before the status is sent, so that a query that fails early gets a status of
//! its own. A later error breaks the connection within the body: no client can take half of a result
//! for the whole.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;

use crate::error::ServerError;
use crate::rows::ServerRows;
use ocellus_render::formats::{ResultFormat, ResultWriter, SinkKind, TextStyle, writer};
use ocellus_trace::error::QueryErrorKind;

/// Rows that are turned into text at once: others wait for the thread meanwhile.
const STEP: usize = 1024;

/// The response to a query.
pub(super) async fn respond(
    rows: ServerRows,
    media_type: &'static str,
    format: ResultFormat,
) -> Result<Response, ServerError> {
    let mut chunks = BodyChunks::new(rows, format)?;
    let first = chunks.next().await?;
    let rest = futures::stream::unfold(chunks, |mut chunks| async move {
        let chunk = chunks.next().await.transpose()?;
        Some((chunk, chunks))
    });
    let first = futures::stream::iter(first.map(Ok));
    let content_type = match format {
        ResultFormat::Csv => format!("{media_type}; charset=utf-8; header=present"),
        _ => media_type.to_string(),
    };
    Ok(([(CONTENT_TYPE, content_type)], Body::from_stream(first.chain(rest))).into_response())
}

/// The chunks of a body.
struct BodyChunks {
    rows: ServerRows,
    /// Read and not yet written.
    batch: Option<RecordBatch>,
    written: Buffer,
    /// `None` once the end is written.
    writer: Option<Box<dyn ResultWriter>>,
    step: usize,
}

impl BodyChunks {
    fn new(rows: ServerRows, format: ResultFormat) -> Result<BodyChunks, ServerError> {
        if matches!(format, ResultFormat::Json | ResultFormat::Ndjson) {
            refuse_duplicate_columns(rows.schema())?;
        }
        let written = Buffer::default();
        let sink = Box::new(written.clone());
        let writer = writer(format, rows.schema(), &TextStyle::default(), SinkKind::Stream, sink)?;
        let step = if format.is_binary() { usize::MAX } else { STEP };
        Ok(BodyChunks { rows, batch: None, written, writer: Some(writer), step })
    }

    /// The next chunk, never an empty one; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, ServerError> {
        while let Some(writer) = &mut self.writer {
            if self.batch.is_none() {
                self.batch = self.rows.next().await.transpose()?;
            }
            match self.batch.take() {
                Some(batch) => {
                    let count = batch.num_rows().min(self.step);
                    writer.write(&batch.slice(0, count))?;
                    self.batch = (count < batch.num_rows()).then(|| batch.slice(count, batch.num_rows() - count));
                }
                None => {
                    writer.finish()?;
                    self.writer = None;
                }
            }
            let chunk = self.written.take();
            if !chunk.is_empty() {
                return Ok(Some(Bytes::from(chunk)));
            }
        }
        Ok(None)
    }
}

/// An object has each name once: of two columns with one name, a reader would lose one.
fn refuse_duplicate_columns(schema: &SchemaRef) -> Result<(), ServerError> {
    let mut names = std::collections::BTreeSet::new();
    match schema.fields().iter().find(|field| !names.insert(field.name())) {
        Some(duplicate) => Err(ServerError::new(
            QueryErrorKind::Invalid,
            format!("two columns have the name {}: rename one with AS, or ask for CSV or Arrow", duplicate.name()),
        )),
        None => Ok(()),
    }
}

/// Bytes that the writer of a format leaves and the body takes.
#[derive(Clone, Default)]
struct Buffer(Arc<Mutex<Vec<u8>>>);

impl Buffer {
    fn take(&self) -> Vec<u8> {
        // Bytes are only appended or taken, so the lock is whole after any panic.
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

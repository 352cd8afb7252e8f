//! The rows of a query as the body of an answer, written as they come.
//!
//! The first piece is made before the status is sent, so that a query that fails early gets a status of
//! its own. A later failure breaks the connection within the body: no client can take half of a result
//! for the whole.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use futures::StreamExt;

use crate::failure::{Failure, Kind};
use crate::rows::Rows;
use ocellus_render::formats::{ResultFormat, ResultWriter, SinkKind, TextStyle, writer};

/// Rows that are turned into text at once: others wait for the thread meanwhile.
const STEP: usize = 1024;

/// The answer to a query.
pub(super) async fn answer(rows: Rows, media_type: &'static str, format: ResultFormat) -> Result<Response, Failure> {
    let mut pieces = Pieces::new(rows, format)?;
    let first = pieces.next().await?;
    let rest = futures::stream::unfold(pieces, |mut pieces| async move {
        let piece = pieces.next().await.transpose()?;
        Some((piece, pieces))
    });
    let first = futures::stream::iter(first.map(Ok));
    let content_type = match format {
        ResultFormat::Csv => format!("{media_type}; charset=utf-8; header=present"),
        _ => media_type.to_string(),
    };
    Ok(([(CONTENT_TYPE, content_type)], Body::from_stream(first.chain(rest))).into_response())
}

/// The pieces of a body.
struct Pieces {
    rows: Rows,
    /// Read and not yet written.
    batch: Option<RecordBatch>,
    written: Buffer,
    /// `None` once the end is written.
    writer: Option<Box<dyn ResultWriter>>,
    step: usize,
}

impl Pieces {
    fn new(rows: Rows, format: ResultFormat) -> Result<Pieces, Failure> {
        if matches!(format, ResultFormat::Json | ResultFormat::Ndjson) {
            refuse_twins(rows.schema())?;
        }
        let written = Buffer::default();
        let sink = Box::new(written.clone());
        let writer = writer(format, rows.schema(), &TextStyle::default(), SinkKind::Stream, sink)?;
        let step = if format.is_binary() { usize::MAX } else { STEP };
        Ok(Pieces { rows, batch: None, written, writer: Some(writer), step })
    }

    /// The next piece, never an empty one; `None` at the end.
    async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
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
            let piece = self.written.take();
            if !piece.is_empty() {
                return Ok(Some(Bytes::from(piece)));
            }
        }
        Ok(None)
    }
}

/// An object has each name once: of two columns with one name, a reader would lose one.
fn refuse_twins(schema: &SchemaRef) -> Result<(), Failure> {
    let mut names = std::collections::BTreeSet::new();
    match schema.fields().iter().find(|field| !names.insert(field.name())) {
        Some(twin) => Err(Failure::new(
            Kind::Query,
            format!("two columns have the name {}: rename one with AS, or ask for CSV or Arrow", twin.name()),
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

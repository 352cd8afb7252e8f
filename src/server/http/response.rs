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
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderValue, VARY};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use futures::StreamExt;

use super::accept;
use crate::connections::PeerAddress;
use crate::error::{ServerError, ServerErrorKind};
use crate::rows::ServerRows;
use crate::session::ServerSession;
use ocellus_render::formats::{ResultFormat, ResultWriter, SinkKind, TextStyle, writer};
use ocellus_trace::error::QueryErrorKind;

/// How hard answers are compressed: a fifth less than the fastest way, for half as much time again.
const LEVEL: u32 = 4;

/// Rows that are turned into text at once: others wait for the thread meanwhile.
const STEP: usize = 1024;

/// Whether a body is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Plain,
    Gzip,
}

impl Packing {
    /// Clients of this machine get bytes sooner than they could be compressed; others get gzip if they take it.
    pub(super) fn of(request: &Parts) -> Packing {
        let is_near = request.extensions.get::<PeerAddress>().is_none_or(|peer| peer.0.to_canonical().is_loopback());
        if !is_near && accept::takes_gzip(&request.headers) { Packing::Gzip } else { Packing::Plain }
    }
}

/// The header by which a client says that it knows dictionaries: `x-ocellus-text: dictionary`.
const TEXT: &str = "x-ocellus-text";

/// How columns of text are sent in Arrow: as they are, unless a client knows dictionaries.
pub(super) fn text_of(request: &Parts) -> SinkKind {
    match request.headers.get(TEXT).map(HeaderValue::as_bytes) {
        Some(b"dictionary") => SinkKind::DictionaryStream,
        _ => SinkKind::Stream,
    }
}

/// The response to a query. Its session lasts as long.
pub(super) async fn respond(
    rows: ServerRows,
    (media_type, format): (&'static str, ResultFormat),
    text: SinkKind,
    packing: Packing,
    session: Arc<ServerSession>,
) -> Result<Response, ServerError> {
    let mut chunks = BodyChunks::new(rows, (format, text), packing, session)?;
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
    let mut response = ([(CONTENT_TYPE, content_type)], Body::from_stream(first.chain(rest))).into_response();
    response.headers_mut().insert(VARY, HeaderValue::from_static("accept, accept-encoding, x-ocellus-text"));
    if packing == Packing::Gzip {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// The whole answer to a query, for clients of Arrow that know dictionaries: one that goes into another response, and so is
/// held in memory. An error if it has more bytes than a limit.
pub(super) async fn whole_stream(
    rows: ServerRows,
    session: Arc<ServerSession>,
    limit: usize,
) -> Result<Vec<u8>, ServerError> {
    let format = (ResultFormat::Arrow, SinkKind::DictionaryStream);
    let mut chunks = BodyChunks::new(rows, format, Packing::Plain, session)?;
    let mut whole = vec![];
    while let Some(chunk) = chunks.next().await? {
        whole.extend_from_slice(&chunk);
        if whole.len() > limit {
            return Err(ServerError::new(
                ServerErrorKind::TooManyRows,
                format!("the answer has more than {limit} bytes, the most that goes into another one"),
            ));
        }
    }
    Ok(whole)
}

/// Compresses the chunks of a body, or leaves them as they are.
pub(super) struct Packer(Option<GzEncoder<Vec<u8>>>);

impl Packer {
    pub(super) fn new(packing: Packing) -> Packer {
        Packer((packing == Packing::Gzip).then(|| GzEncoder::new(vec![], Compression::new(LEVEL))))
    }

    /// A chunk as it is sent; all of it can be read at once.
    pub(super) fn pack(&mut self, chunk: Vec<u8>) -> io::Result<Vec<u8>> {
        let Some(packer) = &mut self.0 else { return Ok(chunk) };
        if !chunk.is_empty() {
            packer.write_all(&chunk)?;
            packer.flush()?;
        }
        Ok(std::mem::take(packer.get_mut()))
    }

    /// The same for the last one.
    pub(super) fn pack_last(&mut self, chunk: Vec<u8>) -> io::Result<Vec<u8>> {
        let Some(packer) = &mut self.0 else { return Ok(chunk) };
        packer.write_all(&chunk)?;
        packer.try_finish()?;
        Ok(std::mem::take(packer.get_mut()))
    }
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
    packer: Packer,
    _session: Arc<ServerSession>,
}

impl BodyChunks {
    fn new(
        rows: ServerRows,
        (format, text): (ResultFormat, SinkKind),
        packing: Packing,
        session: Arc<ServerSession>,
    ) -> Result<BodyChunks, ServerError> {
        if matches!(format, ResultFormat::Json | ResultFormat::Ndjson) {
            refuse_duplicate_columns(rows.schema())?;
        }
        let written = Buffer::default();
        let sink = Box::new(written.clone());
        let writer = writer(format, rows.schema(), &TextStyle::default(), text, sink)?;
        let step = if format.is_binary() { usize::MAX } else { STEP };
        let packer = Packer::new(packing);
        Ok(BodyChunks { rows, batch: None, written, writer: Some(writer), step, packer, _session: session })
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
            let chunk = self.packed().map_err(|error| ServerError::internal(error.to_string()))?;
            if !chunk.is_empty() {
                return Ok(Some(Bytes::from(chunk)));
            }
        }
        Ok(None)
    }
}

impl BodyChunks {
    /// What was written since the last time, as it is sent.
    fn packed(&mut self) -> io::Result<Vec<u8>> {
        let written = self.written.take();
        if self.writer.is_none() { self.packer.pack_last(written) } else { self.packer.pack(written) }
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

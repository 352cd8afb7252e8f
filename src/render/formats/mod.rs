//! Formats of query results: record batches go in, bytes come out.
//!
//! Every format is one file with one [`ResultWriter`]. All of them stream: memory does not grow with
//! the number of rows. A new format is its file, a variant of [`ResultFormat`] and a line of [`writer`].

mod arrow_file;
mod boxes;
mod cells;
mod counting_writer;
mod delimited;
mod errors;
mod format;
mod json;
mod line;
mod markdown;
mod parquet_file;
mod partitioned;
mod plain_types;
mod writer;

use arrow::datatypes::SchemaRef;

use ocellus_trace::error::Result;

pub(super) use cells::{CellTexts, is_number};
pub use counting_writer::{ByteCounter, CountingWriter};
pub use errors::write_failed;
pub use format::ResultFormat;
pub use partitioned::PartitionedWriter;
pub use plain_types::{plain_batch, plain_schema};
pub use writer::{ResultWriter, Sink, SinkKind, TextStyle};

/// The writer of a format.
pub fn writer(
    format: ResultFormat,
    schema: &SchemaRef,
    style: &TextStyle,
    place: SinkKind,
    sink: Sink,
) -> Result<Box<dyn ResultWriter>> {
    Ok(match format {
        ResultFormat::Box => Box::new(boxes::BoxWriter::new(schema, style, sink)),
        ResultFormat::Csv => Box::new(delimited::DelimitedWriter::new(b',', schema, style, sink)),
        ResultFormat::Tsv => Box::new(delimited::DelimitedWriter::new(b'\t', schema, style, sink)),
        ResultFormat::Json => Box::new(json::array(sink)),
        ResultFormat::Ndjson => Box::new(json::lines(sink)),
        ResultFormat::Markdown => Box::new(markdown::MarkdownWriter::new(schema, style, sink)),
        ResultFormat::Line => Box::new(line::LineWriter::new(schema, style, sink)),
        ResultFormat::Parquet => Box::new(parquet_file::ParquetWriter::new(schema, sink)?),
        ResultFormat::Arrow => arrow_file::writer(schema, place, sink)?,
    })
}

#[cfg(test)]
pub(crate) mod testing;

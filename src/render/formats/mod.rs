//! Formats of query results: record batches go in, bytes come out.
//!
//! Every format is one file with one [`ResultWriter`]. All of them stream: memory does not grow with
//! the number of rows. A new format is its file, a variant of [`Format`] and a line of [`writer`].

mod arrow_file;
mod boxes;
mod cells;
mod counted;
mod delimited;
mod errors;
mod format;
mod json;
mod line;
mod markdown;
mod parquet_file;
mod partitioned;
mod plain;
mod writer;

use arrow::datatypes::SchemaRef;

use ocellus_trace::error::Result;

pub(super) use cells::{Cells, is_number};
pub use counted::{Counted, Counter};
pub use errors::write_failed;
pub use format::Format;
pub use partitioned::PartitionedWriter;
pub use plain::{plain_batch, plain_schema};
pub use writer::{Place, ResultWriter, Sink, Style};

/// The writer of a format.
pub fn writer(
    format: Format,
    schema: &SchemaRef,
    style: &Style,
    place: Place,
    sink: Sink,
) -> Result<Box<dyn ResultWriter>> {
    Ok(match format {
        Format::Box => Box::new(boxes::BoxWriter::new(schema, style, sink)),
        Format::Csv => Box::new(delimited::DelimitedWriter::new(b',', schema, style, sink)),
        Format::Tsv => Box::new(delimited::DelimitedWriter::new(b'\t', schema, style, sink)),
        Format::Json => Box::new(json::array(sink)),
        Format::Ndjson => Box::new(json::lines(sink)),
        Format::Markdown => Box::new(markdown::MarkdownWriter::new(schema, style, sink)),
        Format::Line => Box::new(line::LineWriter::new(schema, style, sink)),
        Format::Parquet => Box::new(parquet_file::ParquetWriter::new(schema, sink)?),
        Format::Arrow => arrow_file::writer(schema, place, sink)?,
    })
}

#[cfg(test)]
pub(crate) mod testing;

//! Formats of query results: record batches go in, bytes come out.
//!
//! Every format is one file with one [`ResultWriter`]. All of them stream: memory does not grow with
//! the number of rows. A new format is its file, a variant of [`Format`] and a line of [`writer`].

mod arrow_file;
mod boxes;
mod cells;
mod counted;
mod delimited;
mod json;
mod line;
mod markdown;
mod parquet_file;
mod partitioned;
mod plain;

use std::io::{self, Write};
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use clap::ValueEnum;
use parquet::errors::ParquetError;

use ocellus_trace::error::{Error, Result};

pub(super) use cells::{Cells, is_number};
pub use counted::{Counted, Counter};
pub use partitioned::PartitionedWriter;
pub use plain::{plain_batch, plain_schema};

/// Where a result goes.
pub type Sink = Box<dyn Write + Send>;

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table drawn with lines, for reading
    Box,
    /// Comma-separated values with a header
    Csv,
    /// Tab-separated values with a header
    Tsv,
    /// One JSON array of objects
    Json,
    /// One JSON object per line
    #[value(alias = "jsonl", alias = "jsonlines")]
    Ndjson,
    /// A Markdown table
    #[value(alias = "md")]
    Markdown,
    /// One column per line
    Line,
    /// Apache Parquet
    Parquet,
    /// Apache Arrow IPC: a stream on standard output, a file elsewhere
    Arrow,
}

impl Format {
    /// The name as the user writes it.
    pub fn name(self) -> &'static str {
        match self {
            Format::Box => "box",
            Format::Csv => "csv",
            Format::Tsv => "tsv",
            Format::Json => "json",
            Format::Ndjson => "ndjson",
            Format::Markdown => "markdown",
            Format::Line => "line",
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        }
    }

    /// Reads a name, with the aliases that the command line accepts.
    pub fn parse(name: &str) -> Result<Format> {
        <Format as ValueEnum>::from_str(name, true).map_err(|_| {
            let accepted: Vec<&str> = Format::value_variants().iter().map(|format| format.name()).collect();
            Error::Usage(format!("no format {name}; the formats are {}", accepted.join(", ")))
        })
    }

    /// The format that a file name asks for, when it asks for one.
    pub fn of_file(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(Format::Csv),
            "tsv" | "tab" => Some(Format::Tsv),
            "json" => Some(Format::Json),
            "ndjson" | "jsonl" => Some(Format::Ndjson),
            "md" | "markdown" => Some(Format::Markdown),
            "txt" => Some(Format::Box),
            "parquet" | "pq" => Some(Format::Parquet),
            "arrow" | "feather" | "ipc" => Some(Format::Arrow),
            _ => None,
        }
    }

    /// Whether the format is bytes that no terminal shows.
    pub fn is_binary(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow)
    }

    /// Whether a file of this format holds one result and no more.
    pub fn holds_one_result(self) -> bool {
        matches!(self, Format::Parquet | Format::Arrow | Format::Json)
    }
}

/// What kind of place the sink is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A file that can be read at any position.
    File,
    /// A pipe or a terminal that is read in order.
    Stream,
}

/// How text formats look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Style {
    /// Text of NULL; each format has its own when not given.
    pub null: Option<String>,
    /// Columns of the terminal; `None` for no limit.
    pub width: Option<usize>,
    /// Most rows that a box shows; `None` for all.
    pub max_rows: Option<usize>,
}

/// Writes one result.
pub trait ResultWriter: Send {
    /// Takes the next rows.
    fn write(&mut self, batch: &RecordBatch) -> Result<()>;

    /// Writes what is left and flushes.
    fn finish(&mut self) -> Result<()>;
}

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

/// Wraps a failed write.
pub fn write_failed(source: io::Error) -> Error {
    Error::Io { context: "cannot write the result".to_string(), source }
}

/// Finds the failed write in an Arrow error, so that a broken pipe stays recognisable.
fn arrow_failed(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, source) => write_failed(source),
        other => Error::query(format!("the result does not fit the format: {other}")),
    }
}

/// Finds the failed write in a Parquet error.
fn parquet_failed(error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => write_failed(*source),
            Err(other) => Error::query(format!("the result does not fit Parquet: {other}")),
        },
        other => Error::query(format!("the result does not fit Parquet: {other}")),
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

//! The formats by name and by file extension.

#[cfg(test)]
mod tests;

use std::path::Path;

use clap::ValueEnum;

use ocellus_trace::error::{Error, Result};

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

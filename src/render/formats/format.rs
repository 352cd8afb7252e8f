//! The formats by name and by file extension.

#[cfg(test)]
mod tests;

use std::path::Path;

use clap::ValueEnum;

use ocellus_trace::error::{Error, Result};

/// A format of query results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ResultFormat {
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

impl ResultFormat {
    /// The name as the user writes it.
    pub fn name(self) -> &'static str {
        match self {
            ResultFormat::Box => "box",
            ResultFormat::Csv => "csv",
            ResultFormat::Tsv => "tsv",
            ResultFormat::Json => "json",
            ResultFormat::Ndjson => "ndjson",
            ResultFormat::Markdown => "markdown",
            ResultFormat::Line => "line",
            ResultFormat::Parquet => "parquet",
            ResultFormat::Arrow => "arrow",
        }
    }

    /// Reads a name, with the aliases that the command line accepts.
    pub fn parse(name: &str) -> Result<ResultFormat> {
        <ResultFormat as ValueEnum>::from_str(name, true).map_err(|_| {
            let accepted: Vec<&str> = ResultFormat::value_variants().iter().map(|format| format.name()).collect();
            Error::Usage(format!("no format {name}; the formats are {}", accepted.join(", ")))
        })
    }

    /// The format that a file name asks for, when it asks for one.
    pub fn of_file(path: &Path) -> Option<ResultFormat> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "csv" => Some(ResultFormat::Csv),
            "tsv" | "tab" => Some(ResultFormat::Tsv),
            "json" => Some(ResultFormat::Json),
            "ndjson" | "jsonl" => Some(ResultFormat::Ndjson),
            "md" | "markdown" => Some(ResultFormat::Markdown),
            "txt" => Some(ResultFormat::Box),
            "parquet" | "pq" => Some(ResultFormat::Parquet),
            "arrow" | "feather" | "ipc" => Some(ResultFormat::Arrow),
            _ => None,
        }
    }

    /// Whether the format is bytes that no terminal shows.
    pub fn is_binary(self) -> bool {
        matches!(self, ResultFormat::Parquet | ResultFormat::Arrow)
    }

    /// Whether a file of this format holds one result and no more.
    pub fn holds_one_result(self) -> bool {
        matches!(self, ResultFormat::Parquet | ResultFormat::Arrow | ResultFormat::Json)
    }
}

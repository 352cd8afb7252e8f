//! Errors of the libraries that write results, as errors of this one.

#[cfg(test)]
mod tests;

use std::io;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;

use ocellus_trace::error::Error;

/// Wraps a failed write.
pub fn write_failed(source: io::Error) -> Error {
    Error::Io { context: "cannot write the result".to_string(), source }
}

/// Finds the failed write in an Arrow error, so that a broken pipe stays recognizable.
pub(super) fn arrow_failed(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, source) => write_failed(source),
        other => Error::query(format!("the result does not fit the format: {other}")),
    }
}

/// Finds the failed write in a Parquet error.
pub(super) fn parquet_failed(error: ParquetError) -> Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(source) => write_failed(*source),
            Err(other) => Error::query(format!("the result does not fit Parquet: {other}")),
        },
        other => Error::query(format!("the result does not fit Parquet: {other}")),
    }
}

//! The error of every layer below the engine.
//!
//! A wrong trace is not an error: it is a row of [`crate::diagnostics`]. What ends here is a wrong
//! command, a file that cannot be read or written, a store that cannot be opened, a wrong query, or
//! a fault of our own.

use std::fmt;
use std::io;
use std::path::Path;

/// The result of everything fallible in this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, told in words that a user can act on.
#[derive(Debug)]
pub enum Error {
    /// The command line was wrong.
    Usage(String),
    /// The trace cannot be read at all, or `--strict` stopped at its first fault.
    Trace(String),
    /// The store is missing, damaged, locked, or of another version.
    Store(String),
    /// The query was wrong, or failed while it ran.
    Query(String),
    /// The operating system refused something; the text says what was tried.
    Io { context: String, source: io::Error },
    /// The user stopped the work.
    Cancelled,
    /// Our own fault.
    Internal(String),
}

impl Error {
    /// Wraps an I/O error with what was tried on which path.
    pub fn io(doing: &str, path: &Path, source: io::Error) -> Error {
        Error::Io { context: format!("cannot {doing} {}", path.display()), source }
    }

    /// The exit code of the program: 2 for a wrong command line, 1 for the rest.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => 2,
            _ => 1,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Trace(text) | Error::Store(text) | Error::Query(text) => f.write_str(text),
            Error::Io { context, source } => write!(f, "{context}: {source}"),
            Error::Cancelled => f.write_str("cancelled"),
            Error::Internal(text) => write!(f, "internal error of ocellus: {text}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<parquet::errors::ParquetError> for Error {
    fn from(error: parquet::errors::ParquetError) -> Error {
        Error::Store(format!("parquet: {error}"))
    }
}

impl From<arrow::error::ArrowError> for Error {
    fn from(error: arrow::error::ArrowError) -> Error {
        Error::Internal(format!("arrow: {error}"))
    }
}

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

/// What went wrong, in words that a user can act on.
#[derive(Debug)]
pub enum Error {
    /// The command line was wrong.
    Usage(String),
    /// The trace cannot be read at all, or `--strict` stopped at its first fault.
    Trace(String),
    /// The store is missing, damaged, locked, or of another version.
    Store(String),
    /// The query was wrong, or failed while it ran.
    Query(Box<QueryError>),
    /// The operating system refused something; the text says what was tried.
    Io {
        /// What was tried, such as `cannot open a.trace`.
        context: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// The user stopped the work.
    Cancelled,
    /// Our own fault.
    Internal(String),
}

/// Why a query was refused or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryError {
    /// What kind of error it is: what programs decide by.
    pub kind: QueryErrorKind,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where in the statement it is, if it is at one place.
    pub span: Option<TextSpan>,
    /// What may have been meant, or what to do, such as `did you mean value?`.
    pub hint: Option<String>,
}

/// The kinds of errors of queries. Every protocol maps them to codes of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueryErrorKind {
    /// The text is not SQL.
    Syntax,
    /// A table or view that does not exist.
    UnknownTable,
    /// A column that does not exist.
    UnknownColumn,
    /// A column name that several tables have.
    AmbiguousColumn,
    /// A function, or a function for these arguments, that does not exist.
    UnknownFunction,
    /// Values of types that do not go together.
    TypeMismatch,
    /// A text that is no value of its type.
    InvalidValue,
    /// A number beyond its type.
    OutOfRange,
    /// A division by zero.
    DivisionByZero,
    /// SQL that is not supported.
    Unsupported,
    /// A statement that writes, where only reading is allowed.
    ReadOnly,
    /// The limit of memory was reached.
    OutOfMemory,
    /// A file of the store is missing, or not as it was written.
    DamagedStore,
    /// The query is wrong in another way, or failed while it ran.
    Invalid,
    /// A fault of the engine.
    Internal,
}

/// A place in a text: from `start` up to, but not including, `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSpan {
    /// The first character.
    pub start: TextPosition,
    /// The character after the last.
    pub end: TextPosition,
}

/// A character of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// The line, counted from 1.
    pub line: u64,
    /// The character of the line, counted from 1.
    pub column: u64,
}

impl QueryError {
    /// An error without a place and without a hint.
    pub fn new(kind: QueryErrorKind, message: impl Into<String>) -> QueryError {
        QueryError { kind, message: message.into(), span: None, hint: None }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {}

impl Error {
    /// A query that is wrong, or failed, without a more exact kind.
    pub fn query(message: impl Into<String>) -> Error {
        Error::Query(Box::new(QueryError::new(QueryErrorKind::Invalid, message)))
    }

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
            Error::Usage(text) | Error::Trace(text) | Error::Store(text) => f.write_str(text),
            Error::Query(error) => error.fmt(f),
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

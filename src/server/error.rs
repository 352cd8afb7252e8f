//! Why a server could not answer: one list, which every protocol tells in its own codes.

use std::fmt;
use std::time::Duration;

use arrow::error::ArrowError;
use datafusion::common::{DataFusionError, SchemaError};

use ocellus_engine::Engine;
use ocellus_trace::error::Error;

/// What kind of error it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerErrorKind {
    Syntax,
    NoTable,
    NoColumn,
    AmbiguousColumn,
    NoFunction,
    WrongType,
    InvalidValue,
    OutOfRange,
    DivisionByZero,
    Unsupported,
    ReadOnly,
    Denied,
    Timeout,
    Cancelled,
    TooManyRows,
    OutOfMemory,
    TooManyClients,
    Busy,
    Stopping,
    /// The query is wrong in another way, or failed while it ran.
    Query,
    Internal,
}

/// An error, told in words that a user can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    pub kind: ServerErrorKind,
    pub message: String,
}

impl ServerError {
    pub fn new(kind: ServerErrorKind, message: impl Into<String>) -> ServerError {
        ServerError { kind, message: message.into() }
    }

    /// The engine could not plan or run a text.
    pub fn of_engine(engine: &Engine, error: &DataFusionError, text: &str) -> ServerError {
        let kind = kind_of(error.find_root());
        match kind {
            ServerErrorKind::ReadOnly => ServerError::read_only(),
            _ => ServerError::new(kind, engine.explain(error, text).to_string()),
        }
    }

    pub fn read_only() -> ServerError {
        ServerError::new(
            ServerErrorKind::ReadOnly,
            "this server only reads: statements that define, write or set are refused",
        )
    }

    pub fn timeout(limit: Duration) -> ServerError {
        ServerError::new(
            ServerErrorKind::Timeout,
            format!("the query took longer than {limit:?} and was stopped; ask for less, or raise --query-time"),
        )
    }

    pub fn busy(limit: Duration) -> ServerError {
        ServerError::new(
            ServerErrorKind::Busy,
            format!("no slot was free for {limit:?}: too many queries run; try again later, or raise --queries"),
        )
    }

    pub fn too_many_rows(limit: u64) -> ServerError {
        ServerError::new(
            ServerErrorKind::TooManyRows,
            format!("the query gives more than {limit} rows; aggregate, add a LIMIT, or raise --query-rows"),
        )
    }

    pub fn cancelled() -> ServerError {
        ServerError::new(ServerErrorKind::Cancelled, "the query was cancelled by its user")
    }

    pub fn stopping() -> ServerError {
        ServerError::new(ServerErrorKind::Stopping, "the server is stopping")
    }

    /// The code of the PostgreSQL protocol.
    pub fn sqlstate(&self) -> &'static str {
        match self.kind {
            ServerErrorKind::Syntax => "42601",
            ServerErrorKind::NoTable => "42P01",
            ServerErrorKind::NoColumn => "42703",
            ServerErrorKind::AmbiguousColumn => "42702",
            ServerErrorKind::NoFunction => "42883",
            ServerErrorKind::WrongType => "42804",
            ServerErrorKind::InvalidValue => "22P02",
            ServerErrorKind::OutOfRange => "22003",
            ServerErrorKind::DivisionByZero => "22012",
            ServerErrorKind::Unsupported => "0A000",
            ServerErrorKind::ReadOnly => "25006",
            ServerErrorKind::Denied => "28000",
            ServerErrorKind::Timeout | ServerErrorKind::Cancelled => "57014",
            ServerErrorKind::TooManyRows => "54000",
            ServerErrorKind::OutOfMemory => "53200",
            ServerErrorKind::TooManyClients => "53300",
            ServerErrorKind::Busy => "53000",
            ServerErrorKind::Stopping => "57P01",
            ServerErrorKind::Query => "42000",
            ServerErrorKind::Internal => "XX000",
        }
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ServerError {}

impl From<Error> for ServerError {
    fn from(error: Error) -> ServerError {
        let kind = match error {
            // A trace that the store does not have is a wrong command line elsewhere.
            Error::Query(_) | Error::Usage(_) => ServerErrorKind::Query,
            Error::Cancelled => ServerErrorKind::Cancelled,
            _ => ServerErrorKind::Internal,
        };
        ServerError::new(kind, error.to_string())
    }
}

fn kind_of(error: &DataFusionError) -> ServerErrorKind {
    match error {
        DataFusionError::SQL(..) => ServerErrorKind::Syntax,
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { .. } => ServerErrorKind::NoColumn,
            SchemaError::AmbiguousReference { .. } => ServerErrorKind::AmbiguousColumn,
            _ => ServerErrorKind::Query,
        },
        DataFusionError::NotImplemented(_) => ServerErrorKind::Unsupported,
        DataFusionError::ResourcesExhausted(_) => ServerErrorKind::OutOfMemory,
        DataFusionError::Internal(_) | DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => {
            ServerErrorKind::Internal
        }
        DataFusionError::ArrowError(error, _) => kind_of_arrow(error),
        DataFusionError::Collection(errors) => {
            errors.first().map_or(ServerErrorKind::Query, |error| kind_of(error.find_root()))
        }
        DataFusionError::Plan(text) => kind_of_planning(text),
        _ => ServerErrorKind::Query,
    }
}

fn kind_of_arrow(error: &ArrowError) -> ServerErrorKind {
    match error {
        ArrowError::DivideByZero => ServerErrorKind::DivisionByZero,
        ArrowError::CastError(_) | ArrowError::ParseError(_) => ServerErrorKind::InvalidValue,
        ArrowError::ArithmeticOverflow(_) => ServerErrorKind::OutOfRange,
        ArrowError::MemoryError(_) => ServerErrorKind::OutOfMemory,
        ArrowError::NotYetImplemented(_) => ServerErrorKind::Unsupported,
        _ => ServerErrorKind::Query,
    }
}

/// DataFusion tells these apart by their words only.
fn kind_of_planning(text: &str) -> ServerErrorKind {
    let refused = ["DDL not supported", "DML not supported", "Statement not supported"];
    let holds = |parts: &[&str]| parts.iter().all(|part| text.contains(part));
    if refused.iter().any(|start| text.starts_with(start)) {
        ServerErrorKind::ReadOnly
    } else if holds(&["able function '", "' not found"])
        || text.contains("Invalid function '")
        || text.contains("No function matches")
    {
        ServerErrorKind::NoFunction
    } else if holds(&["table '", "' not found"]) {
        ServerErrorKind::NoTable
    } else if text.contains("type_coercion") || text.contains("Cannot coerce") || text.contains("common argument type")
    {
        ServerErrorKind::WrongType
    } else {
        ServerErrorKind::Query
    }
}

//! Why a server could not answer: one list, which every protocol tells in its own codes.

use std::fmt;
use std::time::Duration;

use arrow::error::ArrowError;
use datafusion::common::{DataFusionError, SchemaError};

use ocellus_engine::Engine;
use ocellus_trace::error::Error;

/// What kind of failure it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
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

/// A failure, told in words that a user can act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub kind: Kind,
    pub message: String,
}

impl Failure {
    pub fn new(kind: Kind, message: impl Into<String>) -> Failure {
        Failure { kind, message: message.into() }
    }

    /// The engine could not plan or run a text.
    pub fn of_engine(engine: &Engine, error: &DataFusionError, text: &str) -> Failure {
        let kind = kind_of(error.find_root());
        match kind {
            Kind::ReadOnly => Failure::read_only(),
            _ => Failure::new(kind, engine.explain(error, text).to_string()),
        }
    }

    pub fn read_only() -> Failure {
        Failure::new(Kind::ReadOnly, "this server only reads: statements that define, write or set are refused")
    }

    pub fn timeout(limit: Duration) -> Failure {
        Failure::new(
            Kind::Timeout,
            format!("the query took longer than {limit:?} and was stopped; ask for less, or raise --query-time"),
        )
    }

    pub fn busy(limit: Duration) -> Failure {
        Failure::new(
            Kind::Busy,
            format!("no slot was free for {limit:?}: too many queries run; try again later, or raise --queries"),
        )
    }

    pub fn too_many_rows(limit: u64) -> Failure {
        Failure::new(
            Kind::TooManyRows,
            format!("the query gives more than {limit} rows; aggregate, add a LIMIT, or raise --query-rows"),
        )
    }

    pub fn cancelled() -> Failure {
        Failure::new(Kind::Cancelled, "the query was cancelled by its user")
    }

    pub fn stopping() -> Failure {
        Failure::new(Kind::Stopping, "the server is stopping")
    }

    /// The code of the PostgreSQL protocol.
    pub fn sqlstate(&self) -> &'static str {
        match self.kind {
            Kind::Syntax => "42601",
            Kind::NoTable => "42P01",
            Kind::NoColumn => "42703",
            Kind::AmbiguousColumn => "42702",
            Kind::NoFunction => "42883",
            Kind::WrongType => "42804",
            Kind::InvalidValue => "22P02",
            Kind::OutOfRange => "22003",
            Kind::DivisionByZero => "22012",
            Kind::Unsupported => "0A000",
            Kind::ReadOnly => "25006",
            Kind::Denied => "28000",
            Kind::Timeout | Kind::Cancelled => "57014",
            Kind::TooManyRows => "54000",
            Kind::OutOfMemory => "53200",
            Kind::TooManyClients => "53300",
            Kind::Busy => "53000",
            Kind::Stopping => "57P01",
            Kind::Query => "42000",
            Kind::Internal => "XX000",
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let kind = match error {
            // A trace that the store does not have is a wrong command line elsewhere.
            Error::Query(_) | Error::Usage(_) => Kind::Query,
            Error::Cancelled => Kind::Cancelled,
            _ => Kind::Internal,
        };
        Failure::new(kind, error.to_string())
    }
}

fn kind_of(error: &DataFusionError) -> Kind {
    match error {
        DataFusionError::SQL(..) => Kind::Syntax,
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { .. } => Kind::NoColumn,
            SchemaError::AmbiguousReference { .. } => Kind::AmbiguousColumn,
            _ => Kind::Query,
        },
        DataFusionError::NotImplemented(_) => Kind::Unsupported,
        DataFusionError::ResourcesExhausted(_) => Kind::OutOfMemory,
        DataFusionError::Internal(_) | DataFusionError::IoError(_) | DataFusionError::ObjectStore(_) => Kind::Internal,
        DataFusionError::ArrowError(error, _) => kind_of_arrow(error),
        DataFusionError::Collection(errors) => errors.first().map_or(Kind::Query, |error| kind_of(error.find_root())),
        DataFusionError::Plan(text) => kind_of_planning(text),
        _ => Kind::Query,
    }
}

fn kind_of_arrow(error: &ArrowError) -> Kind {
    match error {
        ArrowError::DivideByZero => Kind::DivisionByZero,
        ArrowError::CastError(_) | ArrowError::ParseError(_) => Kind::InvalidValue,
        ArrowError::ArithmeticOverflow(_) => Kind::OutOfRange,
        ArrowError::MemoryError(_) => Kind::OutOfMemory,
        ArrowError::NotYetImplemented(_) => Kind::Unsupported,
        _ => Kind::Query,
    }
}

/// DataFusion tells these apart by their words only.
fn kind_of_planning(text: &str) -> Kind {
    let refused = ["DDL not supported", "DML not supported", "Statement not supported"];
    let holds = |parts: &[&str]| parts.iter().all(|part| text.contains(part));
    if refused.iter().any(|start| text.starts_with(start)) {
        Kind::ReadOnly
    } else if holds(&["able function '", "' not found"])
        || text.contains("Invalid function '")
        || text.contains("No function matches")
    {
        Kind::NoFunction
    } else if holds(&["table '", "' not found"]) {
        Kind::NoTable
    } else if text.contains("type_coercion") || text.contains("Cannot coerce") || text.contains("common argument type")
    {
        Kind::WrongType
    } else {
        Kind::Query
    }
}

//! Why a server could not serve a request: one list of kinds, which every protocol maps to codes of its own.
//!
//! An error of a query keeps what the engine says of it: its kind, its place in the text, and a hint.

#[cfg(test)]
mod tests;

use std::fmt;
use std::time::Duration;

use datafusion::common::DataFusionError;

use ocellus_engine::Engine;
use ocellus_trace::error::{Error, QueryError, QueryErrorKind, TextSpan};

/// The kind of an error: what programs decide by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerErrorKind {
    /// The query is wrong, or failed while it ran.
    Query(QueryErrorKind),
    /// The client did not show credentials that are known.
    Denied,
    /// The query took longer than it may.
    Timeout,
    /// The client cancelled the query, or left.
    Cancelled,
    /// The query gives more rows than it may.
    TooManyRows,
    /// All connections are taken.
    TooManyClients,
    /// All slots for queries are taken.
    Busy,
    /// The server is stopping.
    Stopping,
}

impl ServerErrorKind {
    /// The code of the SQL standard and of PostgreSQL.
    pub fn sqlstate(self) -> &'static str {
        self.words().0
    }

    /// The kind as one word, for clients that do not read codes.
    pub fn name(self) -> &'static str {
        self.words().1
    }

    fn words(self) -> (&'static str, &'static str) {
        match self {
            ServerErrorKind::Query(kind) => match kind {
                QueryErrorKind::Syntax => ("42601", "syntax"),
                QueryErrorKind::UnknownTable => ("42P01", "unknown_table"),
                QueryErrorKind::UnknownColumn => ("42703", "unknown_column"),
                QueryErrorKind::AmbiguousColumn => ("42702", "ambiguous_column"),
                QueryErrorKind::UnknownFunction => ("42883", "unknown_function"),
                QueryErrorKind::TypeMismatch => ("42804", "type_mismatch"),
                QueryErrorKind::InvalidValue => ("22P02", "invalid_value"),
                QueryErrorKind::OutOfRange => ("22003", "out_of_range"),
                QueryErrorKind::DivisionByZero => ("22012", "division_by_zero"),
                QueryErrorKind::Unsupported => ("0A000", "unsupported"),
                QueryErrorKind::ReadOnly => ("25006", "read_only"),
                QueryErrorKind::OutOfMemory => ("53200", "out_of_memory"),
                QueryErrorKind::DamagedStore => ("XX001", "damaged_store"),
                QueryErrorKind::Invalid => ("42000", "invalid"),
                QueryErrorKind::Internal => ("XX000", "internal"),
            },
            ServerErrorKind::Denied => ("28000", "denied"),
            ServerErrorKind::Timeout => ("57014", "timeout"),
            ServerErrorKind::Cancelled => ("57014", "cancelled"),
            ServerErrorKind::TooManyRows => ("54000", "too_many_rows"),
            ServerErrorKind::TooManyClients => ("53300", "too_many_clients"),
            ServerErrorKind::Busy => ("53000", "busy"),
            ServerErrorKind::Stopping => ("57P01", "stopping"),
        }
    }
}

impl From<QueryErrorKind> for ServerErrorKind {
    fn from(kind: QueryErrorKind) -> ServerErrorKind {
        ServerErrorKind::Query(kind)
    }
}

/// An error that a client receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerError {
    /// What programs decide by.
    pub kind: ServerErrorKind,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where in the text of the statement it is, if it is at one place.
    pub span: Option<TextSpan>,
    /// What may have been meant, or what to do.
    pub hint: Option<String>,
}

impl ServerError {
    /// An error without a place and without a hint.
    pub fn new(kind: impl Into<ServerErrorKind>, message: impl Into<String>) -> ServerError {
        ServerError { kind: kind.into(), message: message.into(), span: None, hint: None }
    }

    /// The engine could not plan or run a text.
    pub fn of_engine(engine: &Engine, error: &DataFusionError, text: &str) -> ServerError {
        engine.explain(error, text).into()
    }

    /// The engine could not split a text into statements.
    pub fn of_parser(error: Error) -> ServerError {
        ServerError { kind: QueryErrorKind::Syntax.into(), ..ServerError::from(error) }
    }

    /// A text that is not the SQL that is expected.
    pub fn syntax(message: impl Into<String>) -> ServerError {
        ServerError::new(QueryErrorKind::Syntax, message)
    }

    /// A value that is none of its type.
    pub fn invalid_value(message: impl Into<String>) -> ServerError {
        ServerError::new(QueryErrorKind::InvalidValue, message)
    }

    /// A fault of the server itself.
    pub fn internal(message: impl Into<String>) -> ServerError {
        ServerError::new(QueryErrorKind::Internal, message)
    }

    /// A statement that does something else than reading.
    pub fn read_only() -> ServerError {
        ServerError::new(
            QueryErrorKind::ReadOnly,
            "this server is read-only: statements that define, write or set are refused",
        )
    }

    /// USE where each statement stands alone.
    pub fn stateless_use() -> ServerError {
        let hint = "name the trace in the request or when connecting, or write it before the table: lu.states";
        let refusal = ServerError::new(QueryErrorKind::Unsupported, "USE does not last beyond its statement here");
        ServerError { hint: Some(hint.to_string()), ..refusal }
    }

    /// A query that took longer than the limit.
    pub fn timeout(limit: Duration) -> ServerError {
        ServerError::new(
            ServerErrorKind::Timeout,
            format!("the query took longer than {limit:?} and was stopped; ask for less, or raise --query-time"),
        )
    }

    /// A query whose client took longer than the limit to read its rows.
    pub fn unread(limit: Duration) -> ServerError {
        ServerError::new(
            ServerErrorKind::Timeout,
            format!(
                "the client took longer than {limit:?} to read the rows; use a cursor, ask for less, or raise --query-time"
            ),
        )
    }

    /// A query that waited for a slot as long as it may take.
    pub fn busy(limit: Duration) -> ServerError {
        ServerError::new(
            ServerErrorKind::Busy,
            format!("no slot was free for {limit:?}: too many queries run; try again later, or raise --queries"),
        )
    }

    /// A query that gives more rows than the limit.
    pub fn too_many_rows(limit: u64) -> ServerError {
        ServerError::new(
            ServerErrorKind::TooManyRows,
            format!("the query gives more than {limit} rows; aggregate, add a LIMIT, or raise --query-rows"),
        )
    }

    /// A query that really holds more than the limit and its margin, whatever it reserved.
    pub(super) fn too_much_memory(bytes: usize) -> ServerError {
        let words = "much more than it may, and was stopped; ask for less, or raise --query-memory";
        ServerError::new(QueryErrorKind::OutOfMemory, format!("out of memory: the query holds {bytes} bytes, {words}"))
    }

    /// A query that was stopped since all of them hold more than they may, and this one the most.
    pub(super) fn short_of_memory(bytes: usize) -> ServerError {
        let words = "the most of those that run, and was stopped; try again later, ask for less, or raise --memory";
        let message = format!("the server is out of memory: the query holds {bytes} bytes, {words}");
        ServerError::new(QueryErrorKind::OutOfMemory, message)
    }

    /// A query that its client cancelled.
    pub fn cancelled() -> ServerError {
        ServerError::new(ServerErrorKind::Cancelled, "the query was cancelled by its user")
    }

    /// A request that came, or a query that still ran, when the server stopped.
    pub fn stopping() -> ServerError {
        ServerError::new(ServerErrorKind::Stopping, "the server is stopping")
    }

    /// The same without its place, which is in a text that the client does not know.
    pub fn without_span(self) -> ServerError {
        ServerError { span: None, ..self }
    }

    /// The code of the SQL standard and of PostgreSQL.
    pub fn sqlstate(&self) -> &'static str {
        self.kind.sqlstate()
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ServerError {}

impl From<QueryError> for ServerError {
    fn from(error: QueryError) -> ServerError {
        match error.kind {
            // Which statements are refused is a rule of the server, not of the engine.
            QueryErrorKind::ReadOnly => ServerError::read_only(),
            kind => ServerError { kind: kind.into(), message: error.message, span: error.span, hint: error.hint },
        }
    }
}

impl From<Error> for ServerError {
    fn from(error: Error) -> ServerError {
        match error {
            Error::Query(error) => (*error).into(),
            // A trace that the store does not have is a wrong command line elsewhere.
            Error::Usage(message) => ServerError::new(QueryErrorKind::Invalid, message),
            Error::Cancelled => ServerError::new(ServerErrorKind::Cancelled, error.to_string()),
            other => ServerError::internal(other.to_string()),
        }
    }
}

//! Errors become Python exceptions: the classes of `ocellus/_errors.py`, with kind, place and hint.

use ocellus::cli::with_excerpt;
use ocellus::error::{Error, QueryErrorKind};
use ocellus::server::{ServerError, ServerErrorKind};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The module that defines the exceptions.
const ERRORS: &str = "ocellus._errors";

/// The exception of an error; `text` is the SQL that it is about.
pub fn python_error(py: Python<'_>, error: Error, text: Option<&str>) -> PyErr {
    let class = match &error {
        Error::Usage(_) => "UsageError",
        Error::Trace(_) => "TraceError",
        Error::Store(_) => "StoreError",
        Error::Query(_) => "QueryError",
        Error::Io { .. } => "FileError",
        Error::Cancelled => "CancelledError",
        Error::Internal(_) => "InternalError",
    };
    let made = describe(py, &error, text).and_then(|details| make(py, class, &shown(error, text), Some(&details)));
    made.unwrap_or_else(|failure| failure)
}

/// The exception of wrong parameters.
pub fn parameter_error(py: Python<'_>, error: ServerError) -> PyErr {
    let details = PyDict::new(py);
    let kind = match error.kind {
        ServerErrorKind::Query(kind) => kind_name(kind),
        _ => "invalid",
    };
    let made = details.set_item("kind", kind).and_then(|()| make(py, "QueryError", &error.message, Some(&details)));
    made.unwrap_or_else(|failure| failure)
}

/// The exception of arguments that are wrong.
pub fn usage_error(py: Python<'_>, message: impl Into<String>) -> PyErr {
    python_error(py, Error::Usage(message.into()), None)
}

/// What the child of a fork is told.
pub const FORKED: &str = "ocellus was used before this process was forked, and its threads exist in the parent only; \
                          start processes by \"spawn\" or \"forkserver\", as multiprocessing.get_context(\"spawn\") does";

/// The exception in the child of a fork.
pub fn fork_error(py: Python<'_>) -> PyErr {
    make(py, "ForkError", FORKED, None).unwrap_or_else(|failure| failure)
}

fn make(py: Python<'_>, class: &str, message: &str, details: Option<&Bound<'_, PyDict>>) -> PyResult<PyErr> {
    let class = py.import(ERRORS)?.getattr(class)?;
    Ok(PyErr::from_value(class.call((message,), details)?))
}

/// The message, with the line of the SQL that it is about.
fn shown(error: Error, text: Option<&str>) -> String {
    match text {
        Some(text) => with_excerpt(error, text).to_string(),
        None => error.to_string(),
    }
}

fn describe<'py>(py: Python<'py>, error: &Error, text: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let details = PyDict::new(py);
    match error {
        Error::Query(query) => {
            details.set_item("kind", kind_name(query.kind))?;
            details.set_item("hint", query.hint.as_deref())?;
            details.set_item("sql", text)?;
            if let Some(span) = query.span {
                details.set_item("line", span.start.line)?;
                details.set_item("column", span.start.column)?;
            }
        }
        Error::Io { source, .. } => details.set_item("errno", source.raw_os_error())?,
        _ => {}
    }
    Ok(details)
}

fn kind_name(kind: QueryErrorKind) -> &'static str {
    ServerErrorKind::Query(kind).name()
}

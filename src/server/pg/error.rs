//! Errors as PostgreSQL reports them, and what they mean for the connection.

#[cfg(test)]
mod tests;

use pgwire::error::ErrorInfo;
use pgwire::messages::PgWireBackendMessage;

use super::super::error::{ServerError, ServerErrorKind};
use super::super::position::character_of;

/// An error as PostgreSQL reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PgError {
    /// An SQLSTATE.
    pub(super) code: &'static str,
    pub(super) message: String,
    /// What may have been meant, or what to do.
    pub(super) hint: Option<String>,
    /// The character of the client's text that is wrong, counted from 1.
    pub(super) position: Option<usize>,
}

impl PgError {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> PgError {
        PgError { code, message: message.into(), hint: None, position: None }
    }

    /// The client does not keep to the protocol.
    pub(super) fn protocol(message: impl Into<String>) -> PgError {
        PgError::new("08P01", message)
    }

    pub(super) fn syntax(message: impl Into<String>) -> PgError {
        PgError::new("42601", message)
    }

    pub(super) fn unsupported(message: impl Into<String>) -> PgError {
        PgError::new("0A000", message)
    }

    /// An error of a text that the client wrote, with its place there.
    pub(super) fn located(error: ServerError, text: &str) -> PgError {
        let position = error.span.and_then(|span| character_of(text, span.start));
        PgError { position, ..PgError::from(error) }
    }

    /// Without its place, which is in a text that the client does not know.
    pub(super) fn unplaced(mut self) -> PgError {
        self.position = None;
        self
    }

    /// The error as a message.
    pub(super) fn message(&self, severity: ErrorSeverity) -> PgWireBackendMessage {
        let severity = match severity {
            ErrorSeverity::Error => "ERROR",
            ErrorSeverity::Fatal => "FATAL",
        };
        PgWireBackendMessage::ErrorResponse(self.info(severity).into())
    }

    /// A warning as a message.
    pub(super) fn warning(code: &'static str, message: &str) -> PgWireBackendMessage {
        PgWireBackendMessage::NoticeResponse(PgError::new(code, message).info("WARNING").into())
    }

    fn info(&self, severity: &str) -> ErrorInfo {
        // PostgreSQL's texts hold no zero bytes.
        let plain = |text: &str| text.replace('\0', "");
        let mut info = ErrorInfo::new(severity.to_string(), self.code.to_string(), plain(&self.message));
        info.severity_nonlocalized = Some(severity.to_string());
        info.hint = self.hint.as_deref().map(plain);
        info.position = self.position.map(|position| position.to_string());
        info
    }

    /// The statement starts this many characters later in what the client sent.
    pub(super) fn moved(mut self, characters: usize) -> PgError {
        self.position = self.position.map(|position| position + characters);
        self
    }
}

/// Without a place: the text of the error may be one that the client does not know.
impl From<ServerError> for PgError {
    fn from(error: ServerError) -> PgError {
        let code = match error.kind {
            // A client that has logged in lacks a privilege, not a login.
            ServerErrorKind::Denied => "42501",
            kind => kind.sqlstate(),
        };
        PgError { hint: error.hint, ..PgError::new(code, error.message) }
    }
}

/// How bad an error is for the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ErrorSeverity {
    Error,
    Fatal,
}

/// Why the handling of a message ends early.
#[derive(Debug)]
pub(super) enum ConnectionError {
    /// The error is reported, and the client may go on.
    Recoverable(PgError),
    /// The error is reported, and the connection is closed.
    Fatal(PgError),
    /// The client is gone.
    Disconnected,
}

impl ConnectionError {
    /// The same with a recoverable error changed.
    pub(super) fn map(self, change: impl FnOnce(PgError) -> PgError) -> ConnectionError {
        match self {
            ConnectionError::Recoverable(error) => ConnectionError::Recoverable(change(error)),
            other => other,
        }
    }
}

impl From<PgError> for ConnectionError {
    fn from(error: PgError) -> ConnectionError {
        ConnectionError::Recoverable(error)
    }
}

impl From<ServerError> for ConnectionError {
    fn from(error: ServerError) -> ConnectionError {
        ConnectionError::Recoverable(error.into())
    }
}

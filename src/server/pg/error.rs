//! What goes wrong with a client: an error that it is told, or the end of its connection.

#[cfg(test)]
mod tests;

use super::super::error::{ServerError, ServerErrorKind};

/// An error as PostgreSQL tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PgError {
    pub(super) code: &'static str,
    pub(super) message: String,
    /// The character of the message that is wrong, counted from 1.
    pub(super) position: Option<usize>,
}

impl PgError {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> PgError {
        PgError { code, message: message.into(), position: None }
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

    /// An error of a text, with its place there instead of an excerpt: clients draw their own.
    pub(super) fn located(error: ServerError, text: &str) -> PgError {
        let mut error = PgError::from(error);
        if let Some((message, position)) = place_in(&error.message, text) {
            (error.message, error.position) = (message, Some(position));
        }
        error
    }

    /// Without its place, which is in a text that the client does not know.
    pub(super) fn unplaced(mut self) -> PgError {
        self.position = None;
        self
    }

    /// The statement starts this many characters later in what the client sent.
    pub(super) fn moved(mut self, characters: usize) -> PgError {
        self.position = self.position.map(|position| position + characters);
        self
    }
}

/// Splits `message\n  |\n2 | line\n  |   ^^^`: the message, and the place of the first caret in the text.
fn place_in(message: &str, text: &str) -> Option<(String, usize)> {
    let mut lines = message.lines().rev();
    let (carets, line) = (lines.next()?, lines.next()?);
    let (_, carets) = carets.split_once(" | ")?;
    let column = carets.find('^').map(|byte| carets[..byte].chars().count())?;
    let number: usize = line.split_once(" | ")?.0.trim().parse().ok()?;
    let before: usize = text.lines().take(number.checked_sub(1)?).map(|line| line.chars().count() + 1).sum();
    let margin = lines.next().filter(|margin| margin.trim() == "|")?;
    let end = message.rfind(&format!("\n{margin}\n"))?;
    Some((message[..end].to_string(), before + column + 1))
}

impl From<ServerError> for PgError {
    fn from(error: ServerError) -> PgError {
        let code = match error.kind {
            // A schema that does not exist is told apart by its caller only.
            ServerErrorKind::Denied => "42501",
            _ => error.sqlstate(),
        };
        PgError::new(code, error.message)
    }
}

/// Why work for a client ends.
#[derive(Debug)]
pub(super) enum ConnectionError {
    /// The client is told, and may go on.
    Recoverable(PgError),
    /// The client is told, and the connection is closed.
    Fatal(PgError),
    /// Nobody is there any more.
    Disconnected,
}

impl ConnectionError {
    /// The same for an error that the client may go on after.
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

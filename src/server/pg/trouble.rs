//! What goes wrong with a client: an error that it is told, or the end of its connection.

#[cfg(test)]
mod tests;

use super::super::failure::{Failure, Kind};

/// An error as PostgreSQL tells it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Trouble {
    pub(super) code: &'static str,
    pub(super) message: String,
    /// The character of the message that is wrong, counted from 1.
    pub(super) position: Option<usize>,
}

impl Trouble {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Trouble {
        Trouble { code, message: message.into(), position: None }
    }

    /// The client does not keep to the protocol.
    pub(super) fn protocol(message: impl Into<String>) -> Trouble {
        Trouble::new("08P01", message)
    }

    pub(super) fn syntax(message: impl Into<String>) -> Trouble {
        Trouble::new("42601", message)
    }

    pub(super) fn unsupported(message: impl Into<String>) -> Trouble {
        Trouble::new("0A000", message)
    }

    /// A failure of a text, with its place there instead of an excerpt: clients draw their own.
    pub(super) fn located(failure: Failure, text: &str) -> Trouble {
        let mut trouble = Trouble::from(failure);
        if let Some((message, position)) = place_in(&trouble.message, text) {
            (trouble.message, trouble.position) = (message, Some(position));
        }
        trouble
    }

    /// Without its place, which is in a text that the client does not know.
    pub(super) fn unplaced(mut self) -> Trouble {
        self.position = None;
        self
    }

    /// The statement starts this many characters later in what the client sent.
    pub(super) fn moved(mut self, characters: usize) -> Trouble {
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

impl From<Failure> for Trouble {
    fn from(failure: Failure) -> Trouble {
        let code = match failure.kind {
            // A schema that does not exist is told apart by its caller only.
            Kind::Denied => "42501",
            _ => failure.sqlstate(),
        };
        Trouble::new(code, failure.message)
    }
}

/// Why work for a client ends.
#[derive(Debug)]
pub(super) enum End {
    /// The client is told, and may go on.
    Error(Trouble),
    /// The client is told, and the connection is closed.
    Fatal(Trouble),
    /// Nobody is there any more.
    Gone,
}

impl End {
    /// The same for an error that the client may go on after.
    pub(super) fn map(self, change: impl FnOnce(Trouble) -> Trouble) -> End {
        match self {
            End::Error(trouble) => End::Error(change(trouble)),
            other => other,
        }
    }
}

impl From<Trouble> for End {
    fn from(trouble: Trouble) -> End {
        End::Error(trouble)
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> End {
        End::Error(failure.into())
    }
}

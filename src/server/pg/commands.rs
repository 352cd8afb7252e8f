//! Statements of PostgreSQL that are about the session rather than about rows.
//!
//! ```text
//! BEGIN | COMMIT | ROLLBACK [TO s] | SAVEPOINT s | RELEASE s
//! SET [SESSION|LOCAL] p {=|TO} v | SHOW p | RESET p | DISCARD ALL
//! DECLARE c CURSOR [WITH HOLD] FOR query | FETCH … c | MOVE … c | CLOSE {c|ALL}
//! PREPARE s [(types)] AS statement | EXECUTE s [(values)] | DEALLOCATE {s|ALL}
//! COPY {table [(columns)]|(query)} TO STDOUT [options] | LISTEN | UNLISTEN | NOTIFY
//! ```

use sqlparser::tokenizer::Token;

use super::super::failure::Failure;
use super::copy::CopyOptions;
use super::script::Piece;
use super::trouble::Trouble;
use super::words::Words;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Command {
    /// For the engine.
    Query(String),
    Begin,
    Commit,
    Rollback,
    Savepoint(String),
    Release(String),
    RollbackTo(String),
    Set {
        name: String,
        values: Vec<String>,
        lasts: Lasts,
    },
    Show(String),
    /// `None`: all.
    Reset(Option<String>),
    Discard(String),
    Declare {
        name: String,
        query: String,
        lasts: Lasts,
    },
    Fetch {
        name: String,
        step: Step,
    },
    Move {
        name: String,
        step: Step,
    },
    /// `None`: all.
    Close(Option<String>),
    Prepare {
        name: String,
        types: Vec<String>,
        text: String,
    },
    Execute {
        name: String,
        values: Vec<String>,
    },
    /// `None`: all.
    Deallocate(Option<String>),
    Copy {
        query: String,
        options: CopyOptions,
    },
    /// Accepted, without effect: its tag.
    Nothing(&'static str),
}

/// How long a cursor or a setting lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasts {
    Transaction,
    Session,
}

/// How far a cursor goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    Forward(u64),
    All,
    /// Goes to this row, counted from 1.
    Absolute(u64),
    /// As many rows on, of which the last is given.
    Relative(u64),
    Last,
}

impl Command {
    /// Reads a statement. Statements that write are refused.
    pub(super) fn read(piece: &Piece) -> Result<Command, Trouble> {
        let mut words = Words::new(piece);
        let Some(first) = words.keyword() else { return Ok(Command::Query(piece.text.clone())) };
        let command = match first.as_str() {
            "BEGIN" | "START" => words.skip_to_end(Command::Begin),
            "COMMIT" | "END" => words.skip_to_end(Command::Commit),
            "ABORT" => words.skip_to_end(Command::Rollback),
            "ROLLBACK" => words.rollback()?,
            "SAVEPOINT" => Command::Savepoint(words.name()?),
            "RELEASE" => {
                words.take("SAVEPOINT");
                Command::Release(words.name()?)
            }
            "SET" => words.set()?,
            "SHOW" => match words.show()? {
                Some(command) => command,
                None => return Ok(Command::Query(piece.text.clone())),
            },
            "RESET" => words.reset()?,
            "DISCARD" => Command::Discard(words.keyword().unwrap_or_default()),
            "DECLARE" => words.declare()?,
            "FETCH" => words.step().map(|(name, step)| Command::Fetch { name, step })?,
            "MOVE" => words.step().map(|(name, step)| Command::Move { name, step })?,
            "CLOSE" => Command::Close(words.name_or_all()?),
            "PREPARE" => words.prepare()?,
            "EXECUTE" => words.execute()?,
            "DEALLOCATE" => {
                words.take("PREPARE");
                Command::Deallocate(words.name_or_all()?)
            }
            "COPY" => words.copy()?,
            "LISTEN" => words.skip_to_end(Command::Nothing("LISTEN")),
            "UNLISTEN" => words.skip_to_end(Command::Nothing("UNLISTEN")),
            "NOTIFY" => words.skip_to_end(Command::Nothing("NOTIFY")),
            _ if WRITES.contains(&first.as_str()) => return Err(Failure::read_only().into()),
            _ => return Ok(Command::Query(piece.text.clone())),
        };
        words.end()?;
        Ok(command)
    }

    /// The query that gives its rows, if any.
    pub(super) fn query(&self) -> Option<&str> {
        match self {
            Command::Query(text) | Command::Declare { query: text, .. } | Command::Copy { query: text, .. } => {
                Some(text)
            }
            _ => None,
        }
    }

    /// Whether it is allowed after an error in a transaction.
    pub(super) fn ends_failure(&self) -> bool {
        matches!(self, Command::Commit | Command::Rollback | Command::RollbackTo(_))
    }
}

/// First words of statements that change something.
const WRITES: [&str; 25] = [
    "ALTER",
    "ANALYZE",
    "ATTACH",
    "CALL",
    "CHECKPOINT",
    "CLUSTER",
    "COMMENT",
    "CREATE",
    "DELETE",
    "DETACH",
    "DO",
    "DROP",
    "GRANT",
    "IMPORT",
    "INSERT",
    "INSTALL",
    "LOAD",
    "LOCK",
    "MERGE",
    "REFRESH",
    "REINDEX",
    "REVOKE",
    "TRUNCATE",
    "UPDATE",
    "VACUUM",
];

impl Words<'_> {
    fn rollback(&mut self) -> Result<Command, Trouble> {
        let _ = self.take("WORK") || self.take("TRANSACTION");
        if !self.take("TO") {
            return Ok(self.skip_to_end(Command::Rollback));
        }
        self.take("SAVEPOINT");
        Ok(Command::RollbackTo(self.name()?))
    }

    fn set(&mut self) -> Result<Command, Trouble> {
        let lasts = if self.take("LOCAL") { Lasts::Transaction } else { Lasts::Session };
        let is_scoped = lasts == Lasts::Transaction || self.take("SESSION");
        if self.take("CHARACTERISTICS") || self.take("TRANSACTION") {
            // All transactions read what is committed, and write nothing.
            return Ok(self.skip_to_end(Command::Nothing("SET")));
        }
        if is_scoped && self.take("AUTHORIZATION") || self.take("ROLE") || self.take("CONSTRAINTS") {
            return Ok(self.skip_to_end(Command::Nothing("SET")));
        }
        let name = match (self.take("TIME"), self.take("NAMES")) {
            (true, _) => {
                self.take("ZONE");
                return Ok(Command::Set { name: "timezone".to_string(), values: vec![self.value()?], lasts });
            }
            (_, true) => {
                return Ok(Command::Set { name: "client_encoding".to_string(), values: vec![self.value()?], lasts });
            }
            _ => self.setting()?,
        };
        if !self.take("TO") && !self.take_sign(&Token::Eq) {
            return Err(self.unexpected());
        }
        let mut values = vec![self.value()?];
        while self.take_sign(&Token::Comma) {
            values.push(self.value()?);
        }
        Ok(Command::Set { name, values, lasts })
    }

    /// The name of a setting, which may have a dot.
    fn setting(&mut self) -> Result<String, Trouble> {
        let mut name = self.name()?;
        while self.take_sign(&Token::Period) {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name)
    }

    /// `None`: the engine knows what to show.
    fn show(&mut self) -> Result<Option<Command>, Trouble> {
        let name = match self.peek_keyword().as_deref() {
            Some("TABLES" | "COLUMNS" | "FUNCTIONS" | "CREATE") => return Ok(None),
            Some("TIME") => "timezone",
            Some("TRANSACTION") => "transaction_isolation",
            Some("SESSION") => "session_authorization",
            _ => return self.setting().map(|name| Some(Command::Show(name))),
        };
        Ok(Some(self.skip_to_end(Command::Show(name.to_string()))))
    }

    fn reset(&mut self) -> Result<Command, Trouble> {
        if self.take("TIME") {
            self.take("ZONE");
            return Ok(Command::Reset(Some("timezone".to_string())));
        }
        if self.take("ROLE") || self.take("SESSION") {
            return Ok(self.skip_to_end(Command::Nothing("RESET")));
        }
        match self.take("ALL") {
            true => Ok(Command::Reset(None)),
            false => self.setting().map(|name| Command::Reset(Some(name))),
        }
    }

    fn declare(&mut self) -> Result<Command, Trouble> {
        let name = self.name()?;
        while !self.take("CURSOR") {
            // BINARY, INSENSITIVE, SCROLL, NO SCROLL: rows are read once, forward.
            if !["BINARY", "INSENSITIVE", "ASENSITIVE", "NO", "SCROLL"].iter().any(|word| self.take(word)) {
                return Err(self.unexpected());
            }
        }
        let lasts = match (self.take("WITH"), self.take("WITHOUT")) {
            (true, _) => Lasts::Session,
            _ => Lasts::Transaction,
        };
        self.take("HOLD");
        if !self.take("FOR") {
            return Err(self.unexpected());
        }
        Ok(Command::Declare { name, query: self.rest()?, lasts })
    }

    /// How far, and which cursor.
    fn step(&mut self) -> Result<(String, Step), Trouble> {
        let backward = || Trouble::new("55000", "cursor can only scan forward");
        let step = if self.take("NEXT") {
            Step::Forward(1)
        } else if self.take("ALL") {
            Step::All
        } else if self.take("FIRST") {
            Step::Absolute(1)
        } else if self.take("LAST") {
            Step::Last
        } else if self.take("PRIOR") || self.take("BACKWARD") {
            return Err(backward());
        } else if self.take("ABSOLUTE") {
            Step::Absolute(self.count()?.ok_or_else(|| self.unexpected())?)
        } else if self.take("RELATIVE") {
            Step::Relative(self.count()?.ok_or_else(|| self.unexpected())?)
        } else {
            self.take("FORWARD");
            match self.take("ALL") {
                true => Step::All,
                false => Step::Forward(self.count()?.unwrap_or(1)),
            }
        };
        let _ = self.take("FROM") || self.take("IN");
        Ok((self.name()?, step))
    }

    fn count(&mut self) -> Result<Option<u64>, Trouble> {
        if self.take_sign(&Token::Minus) {
            return Err(Trouble::new("55000", "cursor can only scan forward"));
        }
        match self.number() {
            None => Ok(None),
            Some(number) => {
                number.parse().map(Some).map_err(|_| Trouble::syntax(format!("{number} is no number of rows")))
            }
        }
    }

    fn prepare(&mut self) -> Result<Command, Trouble> {
        let name = self.name()?;
        let types = self.parts()?;
        match self.take("AS") {
            true => Ok(Command::Prepare { name, types, text: self.rest()? }),
            false => Err(self.unexpected()),
        }
    }

    fn execute(&mut self) -> Result<Command, Trouble> {
        Ok(Command::Execute { name: self.name()?, values: self.parts()? })
    }

    fn copy(&mut self) -> Result<Command, Trouble> {
        let query = match self.parts()? {
            none if none.is_empty() => self.copied_table()?,
            parts => parts.join(", "),
        };
        if !self.take("TO") {
            return Err(Failure::read_only().into());
        }
        if !self.take("STDOUT") {
            return Err(Trouble::new("42501", "this server writes no files: COPY goes TO STDOUT only"));
        }
        Ok(Command::Copy { query, options: CopyOptions::read(self)? })
    }

    /// `table (columns)` as a query.
    fn copied_table(&mut self) -> Result<String, Trouble> {
        let table = self.spanned(|words| {
            words.name()?;
            while words.take_sign(&Token::Period) {
                words.name()?;
            }
            Ok(())
        })?;
        let columns = match self.parts()? {
            none if none.is_empty() => "*".to_string(),
            columns => columns.join(", "),
        };
        Ok(format!("SELECT {columns} FROM {table}"))
    }
}

#[cfg(test)]
mod tests;

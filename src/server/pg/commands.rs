//! Statements of PostgreSQL that are about the session rather than about rows.
//!
//! ```text
//! BEGIN | COMMIT | ROLLBACK [TO s] | SAVEPOINT s | RELEASE s
//! SET [SESSION|LOCAL] p {=|TO} v | SHOW p | RESET p | DISCARD ALL | USE trace
//! DECLARE c CURSOR [WITH HOLD] FOR query | FETCH … c | MOVE … c | CLOSE {c|ALL}
//! PREPARE s [(types)] AS statement | EXECUTE s [(values)] | DEALLOCATE {s|ALL}
//! COPY {table [(columns)]|(query)} TO STDOUT [options] | LISTEN | UNLISTEN | NOTIFY
//! ```

use sqlparser::tokenizer::Token;

use super::super::error::ServerError;
use super::copy::CopyOptions;
use super::error::PgError;
use super::script::ScriptStatement;
use super::token_cursor::TokenCursor;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum PgCommand {
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
        lifetime: CursorLifetime,
    },
    Show(String),
    /// `None`: all.
    Reset(Option<String>),
    Discard(String),
    /// The trace that names without a schema mean.
    Use(String),
    Declare {
        name: String,
        query: String,
        lifetime: CursorLifetime,
    },
    Fetch {
        name: String,
        step: CursorStep,
    },
    Move {
        name: String,
        step: CursorStep,
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
pub(super) enum CursorLifetime {
    Transaction,
    Session,
}

/// How far a cursor goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CursorStep {
    Forward(u64),
    All,
    /// Goes to this row, counted from 1.
    Absolute(u64),
    /// As many rows on, of which the last is given.
    Relative(u64),
    Last,
}

impl PgCommand {
    /// Reads a statement. Statements that write are refused.
    pub(super) fn read(statement: &ScriptStatement) -> Result<PgCommand, PgError> {
        let mut tokens = TokenCursor::new(statement);
        let Some(first) = tokens.keyword() else { return Ok(PgCommand::Query(statement.text.clone())) };
        let command = match first.as_str() {
            "BEGIN" | "START" => tokens.skip_to_end(PgCommand::Begin),
            "COMMIT" | "END" => tokens.skip_to_end(PgCommand::Commit),
            "ABORT" => tokens.skip_to_end(PgCommand::Rollback),
            "ROLLBACK" => tokens.rollback()?,
            "SAVEPOINT" => PgCommand::Savepoint(tokens.name()?),
            "RELEASE" => {
                tokens.take("SAVEPOINT");
                PgCommand::Release(tokens.name()?)
            }
            "SET" => tokens.set()?,
            "SHOW" => match tokens.show()? {
                Some(command) => command,
                None => return Ok(PgCommand::Query(statement.text.clone())),
            },
            "RESET" => tokens.reset()?,
            "DISCARD" => PgCommand::Discard(tokens.keyword().unwrap_or_default()),
            "USE" => PgCommand::Use(tokens.name()?),
            "DECLARE" => tokens.declare()?,
            "FETCH" => tokens.step().map(|(name, step)| PgCommand::Fetch { name, step })?,
            "MOVE" => tokens.step().map(|(name, step)| PgCommand::Move { name, step })?,
            "CLOSE" => PgCommand::Close(tokens.name_or_all()?),
            "PREPARE" => tokens.prepare()?,
            "EXECUTE" => tokens.execute()?,
            "DEALLOCATE" => {
                tokens.take("PREPARE");
                PgCommand::Deallocate(tokens.name_or_all()?)
            }
            "COPY" => tokens.copy()?,
            "LISTEN" => tokens.skip_to_end(PgCommand::Nothing("LISTEN")),
            "UNLISTEN" => tokens.skip_to_end(PgCommand::Nothing("UNLISTEN")),
            "NOTIFY" => tokens.skip_to_end(PgCommand::Nothing("NOTIFY")),
            _ if WRITES.contains(&first.as_str()) => return Err(ServerError::read_only().into()),
            _ => return Ok(PgCommand::Query(statement.text.clone())),
        };
        tokens.end()?;
        Ok(command)
    }

    /// The query that gives its rows, if any.
    pub(super) fn query(&self) -> Option<&str> {
        match self {
            PgCommand::Query(text) | PgCommand::Declare { query: text, .. } | PgCommand::Copy { query: text, .. } => {
                Some(text)
            }
            _ => None,
        }
    }

    /// Whether it is allowed after an error in a transaction.
    pub(super) fn ends_failure(&self) -> bool {
        matches!(self, PgCommand::Commit | PgCommand::Rollback | PgCommand::RollbackTo(_))
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

impl TokenCursor<'_> {
    fn rollback(&mut self) -> Result<PgCommand, PgError> {
        let _ = self.take("WORK") || self.take("TRANSACTION");
        if !self.take("TO") {
            return Ok(self.skip_to_end(PgCommand::Rollback));
        }
        self.take("SAVEPOINT");
        Ok(PgCommand::RollbackTo(self.name()?))
    }

    fn set(&mut self) -> Result<PgCommand, PgError> {
        let lifetime = if self.take("LOCAL") { CursorLifetime::Transaction } else { CursorLifetime::Session };
        let is_scoped = lifetime == CursorLifetime::Transaction || self.take("SESSION");
        if self.take("CHARACTERISTICS") || self.take("TRANSACTION") {
            // All transactions read what is committed, and write nothing.
            return Ok(self.skip_to_end(PgCommand::Nothing("SET")));
        }
        if is_scoped && self.take("AUTHORIZATION") || self.take("ROLE") || self.take("CONSTRAINTS") {
            return Ok(self.skip_to_end(PgCommand::Nothing("SET")));
        }
        let name = match (self.take("TIME"), self.take("NAMES")) {
            (true, _) => {
                self.take("ZONE");
                return Ok(PgCommand::Set { name: "timezone".to_string(), values: vec![self.value()?], lifetime });
            }
            (_, true) => {
                return Ok(PgCommand::Set {
                    name: "client_encoding".to_string(),
                    values: vec![self.value()?],
                    lifetime,
                });
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
        Ok(PgCommand::Set { name, values, lifetime })
    }

    /// The name of a setting, which may have a dot.
    fn setting(&mut self) -> Result<String, PgError> {
        let mut name = self.name()?;
        while self.take_sign(&Token::Period) {
            name = format!("{name}.{}", self.name()?);
        }
        Ok(name)
    }

    /// `None`: the engine knows what to show.
    fn show(&mut self) -> Result<Option<PgCommand>, PgError> {
        let name = match self.peek_keyword().as_deref() {
            Some("TABLES" | "COLUMNS" | "FUNCTIONS" | "CREATE") => return Ok(None),
            Some("TIME") => "timezone",
            Some("TRANSACTION") => "transaction_isolation",
            Some("SESSION") => "session_authorization",
            _ => return self.setting().map(|name| Some(PgCommand::Show(name))),
        };
        Ok(Some(self.skip_to_end(PgCommand::Show(name.to_string()))))
    }

    fn reset(&mut self) -> Result<PgCommand, PgError> {
        if self.take("TIME") {
            self.take("ZONE");
            return Ok(PgCommand::Reset(Some("timezone".to_string())));
        }
        if self.take("ROLE") || self.take("SESSION") {
            return Ok(self.skip_to_end(PgCommand::Nothing("RESET")));
        }
        match self.take("ALL") {
            true => Ok(PgCommand::Reset(None)),
            false => self.setting().map(|name| PgCommand::Reset(Some(name))),
        }
    }

    fn declare(&mut self) -> Result<PgCommand, PgError> {
        let name = self.name()?;
        while !self.take("CURSOR") {
            // BINARY, INSENSITIVE, SCROLL, NO SCROLL: rows are read once, forward.
            if !["BINARY", "INSENSITIVE", "ASENSITIVE", "NO", "SCROLL"].iter().any(|word| self.take(word)) {
                return Err(self.unexpected());
            }
        }
        let lifetime = match (self.take("WITH"), self.take("WITHOUT")) {
            (true, _) => CursorLifetime::Session,
            _ => CursorLifetime::Transaction,
        };
        self.take("HOLD");
        if !self.take("FOR") {
            return Err(self.unexpected());
        }
        Ok(PgCommand::Declare { name, query: self.rest()?, lifetime })
    }

    /// How far, and which cursor.
    fn step(&mut self) -> Result<(String, CursorStep), PgError> {
        let backward = || PgError::new("55000", "cursor can only scan forward");
        let step = if self.take("NEXT") {
            CursorStep::Forward(1)
        } else if self.take("ALL") {
            CursorStep::All
        } else if self.take("FIRST") {
            CursorStep::Absolute(1)
        } else if self.take("LAST") {
            CursorStep::Last
        } else if self.take("PRIOR") || self.take("BACKWARD") {
            return Err(backward());
        } else if self.take("ABSOLUTE") {
            CursorStep::Absolute(self.count()?.ok_or_else(|| self.unexpected())?)
        } else if self.take("RELATIVE") {
            CursorStep::Relative(self.count()?.ok_or_else(|| self.unexpected())?)
        } else {
            self.take("FORWARD");
            match self.take("ALL") {
                true => CursorStep::All,
                false => CursorStep::Forward(self.count()?.unwrap_or(1)),
            }
        };
        let _ = self.take("FROM") || self.take("IN");
        Ok((self.name()?, step))
    }

    fn count(&mut self) -> Result<Option<u64>, PgError> {
        if self.take_sign(&Token::Minus) {
            return Err(PgError::new("55000", "cursor can only scan forward"));
        }
        match self.number() {
            None => Ok(None),
            Some(number) => {
                number.parse().map(Some).map_err(|_| PgError::syntax(format!("{number} is no number of rows")))
            }
        }
    }

    fn prepare(&mut self) -> Result<PgCommand, PgError> {
        let name = self.name()?;
        let types = self.parts()?;
        match self.take("AS") {
            true => Ok(PgCommand::Prepare { name, types, text: self.rest()? }),
            false => Err(self.unexpected()),
        }
    }

    fn execute(&mut self) -> Result<PgCommand, PgError> {
        Ok(PgCommand::Execute { name: self.name()?, values: self.parts()? })
    }

    fn copy(&mut self) -> Result<PgCommand, PgError> {
        let query = match self.parts()? {
            none if none.is_empty() => self.copied_table()?,
            parts => parts.join(", "),
        };
        if !self.take("TO") {
            return Err(ServerError::read_only().into());
        }
        if !self.take("STDOUT") {
            return Err(PgError::new("42501", "this server writes no files: COPY goes TO STDOUT only"));
        }
        Ok(PgCommand::Copy { query, options: CopyOptions::read(self)? })
    }

    /// `table (columns)` as a query.
    fn copied_table(&mut self) -> Result<String, PgError> {
        let table = self.spanned(|tokens| {
            tokens.name()?;
            while tokens.take_sign(&Token::Period) {
                tokens.name()?;
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

//! Statements about the session itself: transactions, savepoints and settings.

use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::response::TransactionStatus;
use pgwire::messages::startup::ParameterStatus;

use super::catalog::quoted;
use super::client::PgClient;
use super::commands::{CursorLifetime, PgCommand};
use super::error::PgError;
use super::portal::Portal;
use super::settings::unknown;

const MOST_SAVEPOINTS: usize = 10_000;
const LONGEST_NAME: usize = 1000;

impl PgClient {
    /// BEGIN, COMMIT and what belongs to them. Nothing is written, so that only their order counts.
    pub(super) fn transact(&mut self, command: PgCommand) -> Result<&'static str, PgError> {
        let is_open = self.transaction != TransactionStatus::Idle;
        match command {
            PgCommand::Begin => {
                if is_open {
                    self.connection.put(PgError::warning("25001", "there is already a transaction in progress"));
                } else {
                    self.before = self.settings.all();
                }
                self.transaction = TransactionStatus::Transaction;
                Ok("BEGIN")
            }
            PgCommand::Commit | PgCommand::Rollback => {
                if !is_open {
                    self.connection.put(PgError::warning("25P01", "there is no transaction in progress"));
                }
                let is_kept = command == PgCommand::Commit && self.transaction != TransactionStatus::Error;
                self.transaction = TransactionStatus::Idle;
                self.savepoints.clear();
                self.end_portals();
                let (before, local) = (std::mem::take(&mut self.before), std::mem::take(&mut self.before_local));
                // The first value of each is the one from before the transaction.
                self.restore(if is_kept { local.into_iter().rev().collect() } else { before })?;
                Ok(if is_kept { "COMMIT" } else { "ROLLBACK" })
            }
            PgCommand::Savepoint(name) => {
                self.need_transaction("SAVEPOINT")?;
                if self.savepoints.len() >= MOST_SAVEPOINTS || name.len() > LONGEST_NAME {
                    return Err(PgError::new(
                        "53400",
                        format!("{MOST_SAVEPOINTS} savepoints with names of {LONGEST_NAME} bytes are the most"),
                    ));
                }
                self.savepoints.push(name);
                Ok("SAVEPOINT")
            }
            PgCommand::Release(name) => {
                self.need_transaction("RELEASE SAVEPOINT")?;
                let index = self.savepoint(&name)?;
                self.savepoints.truncate(index);
                Ok("RELEASE")
            }
            PgCommand::RollbackTo(name) => {
                self.need_transaction("ROLLBACK TO SAVEPOINT")?;
                let index = self.savepoint(&name)?;
                self.savepoints.truncate(index + 1);
                self.transaction = TransactionStatus::Transaction;
                Ok("ROLLBACK")
            }
            other => Err(PgError::unsupported(format!("this server does not know how to do {other:?}"))),
        }
    }

    /// A transaction that is not kept leaves no settings; SET LOCAL never does.
    fn restore(&mut self, settings: Vec<(String, String)>) -> Result<(), PgError> {
        for (name, value) in settings {
            if self.settings.get(&name).as_ref() != Some(&value) {
                self.change(&name, &value)?;
            }
        }
        Ok(())
    }

    pub(super) fn need_transaction(&self, what: &str) -> Result<(), PgError> {
        match self.transaction {
            TransactionStatus::Idle => {
                Err(PgError::new("25P01", format!("{what} can only be used in transaction blocks")))
            }
            _ => Ok(()),
        }
    }

    fn savepoint(&self, name: &str) -> Result<usize, PgError> {
        let index = self.savepoints.iter().rposition(|known| known == name);
        index.ok_or_else(|| PgError::new("3B001", format!("savepoint \"{name}\" does not exist")))
    }

    pub(super) fn discard(&mut self, what: &str) -> Result<String, PgError> {
        match what {
            "ALL" => {
                if self.transaction != TransactionStatus::Idle {
                    return Err(PgError::new("25001", "DISCARD ALL cannot run inside a transaction block"));
                }
                self.portals.clear();
                self.prepared.clear();
                self.reset(None)?;
            }
            "PLANS" | "SEQUENCES" | "TEMP" | "TEMPORARY" => {}
            other => return Err(PgError::syntax(format!("syntax error at or near \"{other}\""))),
        }
        Ok(format!("DISCARD {what}"))
    }

    pub(super) fn set(&mut self, name: &str, values: &[String], lifetime: CursorLifetime) -> Result<String, PgError> {
        if lifetime == CursorLifetime::Transaction {
            if self.transaction == TransactionStatus::Idle {
                self.connection.put(PgError::warning("25P01", "SET LOCAL can only be used in transaction blocks"));
                return Ok("SET".to_string());
            }
            let before = self.settings.get(name).ok_or_else(|| unknown(name))?;
            self.before_local.push((name.to_string(), before));
        }
        let value = match values {
            [only] if only.eq_ignore_ascii_case("default") => self.settings.start_of(name)?,
            [only] if name != "search_path" => only.clone(),
            several if name == "search_path" => several.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "),
            several => several.join(", "),
        };
        self.change(name, &value)?;
        Ok("SET".to_string())
    }

    /// `USE lu` is `SET search_path TO lu` for a trace that there is.
    pub(super) fn use_trace(&mut self, trace: &str) -> Result<String, PgError> {
        if self.schema_of(&quoted(trace))?.is_none() {
            return Err(PgError::new("3F000", format!("no trace {trace} in the store")));
        }
        self.set("search_path", &[trace.to_string()], CursorLifetime::Session)?;
        Ok("USE".to_string())
    }

    /// Changes a setting, and what follows from it.
    pub(super) fn change(&mut self, name: &str, value: &str) -> Result<(), PgError> {
        let reported = self.settings.set(name, value)?;
        if let Some(reported) = reported {
            let status = ParameterStatus::new(reported.to_string(), self.settings.get(reported).unwrap_or_default());
            self.connection.put(PgWireBackendMessage::ParameterStatus(status));
        }
        match name.to_lowercase().as_str() {
            "search_path" => self.session.use_schema(self.schema_of(value)?)?,
            "statement_timeout" => self.session.limit_time(self.settings.statement_timeout()),
            _ => {}
        }
        Ok(())
    }

    /// The first trace of a path; names that are none are passed over.
    fn schema_of(&self, path: &str) -> Result<Option<String>, PgError> {
        let schemas = self.session.engine()?.schemas();
        let names = path.split(',').map(|name| match name.trim().strip_prefix('"') {
            Some(quoted) => quoted.trim_end_matches('"').replace("\"\"", "\""),
            None => name.trim().to_string(),
        });
        let is_trace = |name: &String| schemas.contains(name) && name != "information_schema" && name != "pg_catalog";
        Ok(names.into_iter().find(is_trace))
    }

    pub(super) fn reset(&mut self, name: Option<&str>) -> Result<String, PgError> {
        let names = name.map_or_else(|| self.settings.changeable(), |name| vec![name.to_string()]);
        for name in names {
            let start = self.settings.start_of(&name)?;
            if self.settings.get(&name).as_ref() != Some(&start) {
                self.change(&name, &start)?;
            }
        }
        Ok("RESET".to_string())
    }

    pub(super) fn show(&self, name: &str) -> Result<Portal, PgError> {
        if name.eq_ignore_ascii_case("all") {
            let rows: Vec<Vec<String>> =
                self.settings.all().into_iter().map(|(name, value)| vec![name, value, String::new()]).collect();
            return Ok(Portal::ready(&["name", "setting", "description"], &rows)?);
        }
        let value = self.settings.get(name).ok_or_else(|| unknown(name))?;
        Ok(Portal::ready(&[name], &[vec![value]])?)
    }
}

//! What statements do: queries and cursors give rows; others change the session, see `session_commands`.

use pgwire::api::results::FieldFormat;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::response::CommandComplete;

use super::catalog;
use super::client::{PgClient, unknown_portal};
use super::commands::{CursorLifetime, CursorStep, PgCommand};
use super::error::{ConnectionError, PgError};
use super::planning::open;
use super::portal::Portal;
use super::row_sender::{copy_rows, send_rows, skip_rows};
use super::script::split_script;
use super::types::description;

/// Whether a statement came alone, or with others in one text, which are one transaction then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BatchMode {
    Single,
    Batch,
}

/// Whether the description of the columns was sent already, or is due before the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowDescription {
    Sent,
    Due,
}

impl PgClient {
    /// Runs a statement of a simple query.
    pub(super) async fn run(&mut self, command: PgCommand, mode: BatchMode) -> Result<(), ConnectionError> {
        self.refuse_in_failure(Some(&command))?;
        self.perform(command, &[], RowDescription::Due, mode).await
    }

    pub(super) async fn perform(
        &mut self,
        command: PgCommand,
        formats: &[FieldFormat],
        due: RowDescription,
        mode: BatchMode,
    ) -> Result<(), ConnectionError> {
        match command {
            PgCommand::Query(_) => self.perform_any(command, formats, due, mode).await,
            // Places are those of a query within the statement.
            _ => self.perform_any(command, formats, due, mode).await.map_err(|end| end.map(PgError::unplaced)),
        }
    }

    async fn perform_any(
        &mut self,
        command: PgCommand,
        formats: &[FieldFormat],
        due: RowDescription,
        mode: BatchMode,
    ) -> Result<(), ConnectionError> {
        let done = match command {
            PgCommand::Query(text) => {
                let portal = self.connection.run_until_disconnect(open(&self.session, &text)).await??;
                return self.send_all(portal, formats, due).await;
            }
            PgCommand::Show(name) => {
                let portal = self.show(&name)?;
                return self.send_all(portal, formats, due).await;
            }
            PgCommand::Copy { query, options } => {
                let mut portal = self.connection.run_until_disconnect(open(&self.session, &query)).await??;
                let style = self.settings.style();
                let given = copy_rows(&mut self.connection, &self.session, &mut portal, &options, style).await?;
                format!("COPY {given}")
            }
            PgCommand::Declare { name, query, lifetime } => self.declare(name, &query, lifetime, mode).await?,
            PgCommand::Fetch { name, step } => self.fetch(&name, step, formats, due).await?,
            PgCommand::Move { name, step } => self.move_cursor(&name, step).await?,
            PgCommand::Close(Some(name)) => {
                if !self.portals.contains_key(&name) {
                    return Err(unknown_portal(&name).into());
                }
                self.close_portal(&name);
                "CLOSE CURSOR".to_string()
            }
            PgCommand::Close(None) => {
                self.portals.clear();
                "CLOSE CURSOR ALL".to_string()
            }
            PgCommand::Prepare { name, types, text } => {
                let types: Vec<u32> = types.iter().map(|name| catalog::type_number(name).unwrap_or(0)).collect();
                self.prepare(name, &text, &types).await?;
                "PREPARE".to_string()
            }
            PgCommand::Execute { name, values } => {
                let command = self.executed(&name, &values)?;
                return Box::pin(self.perform(command, formats, due, mode)).await;
            }
            PgCommand::Deallocate(Some(name)) => {
                self.statement(&name)?;
                self.prepared.remove(&name);
                "DEALLOCATE".to_string()
            }
            PgCommand::Deallocate(None) => {
                self.prepared.clear();
                "DEALLOCATE ALL".to_string()
            }
            PgCommand::Discard(what) => self.discard(&what)?,
            PgCommand::Set { name, values, lifetime } => self.set(&name, &values, lifetime)?,
            PgCommand::Use(trace) => self.use_trace(&trace)?,
            PgCommand::Reset(name) => self.reset(name.as_deref())?,
            PgCommand::Nothing(tag) => tag.to_string(),
            other => self.transact(other)?.to_string(),
        };
        self.connection.put(PgWireBackendMessage::CommandComplete(CommandComplete::new(done)));
        Ok(())
    }

    async fn send_all(
        &mut self,
        mut portal: Portal,
        formats: &[FieldFormat],
        due: RowDescription,
    ) -> Result<(), ConnectionError> {
        if due == RowDescription::Due {
            self.connection.put(description(&portal.columns, formats));
        }
        let style = self.settings.style();
        let given = send_rows(&mut self.connection, &self.session, &mut portal, formats, style, None).await?;
        self.connection.put(PgWireBackendMessage::CommandComplete(CommandComplete::new(tag(portal.tag, given))));
        Ok(())
    }

    async fn declare(
        &mut self,
        name: String,
        query: &str,
        lifetime: CursorLifetime,
        mode: BatchMode,
    ) -> Result<String, ConnectionError> {
        if lifetime == CursorLifetime::Transaction && mode == BatchMode::Single {
            self.need_transaction("DECLARE CURSOR")?;
        }
        self.refuse_portal(&name, query.len())?;
        let mut portal = self.connection.run_until_disconnect(open(&self.session, query)).await??;
        portal.lifetime = lifetime;
        self.portals.insert(name, portal);
        Ok("DECLARE CURSOR".to_string())
    }

    async fn fetch(
        &mut self,
        name: &str,
        step: CursorStep,
        formats: &[FieldFormat],
        due: RowDescription,
    ) -> Result<String, ConnectionError> {
        let mut portal = self.portals.remove(name).ok_or_else(|| unknown_portal(name))?;
        if due == RowDescription::Due {
            self.connection.put(description(&portal.columns, formats));
        }
        let (before, most) = fetch_range(step, portal.given)?;
        let mut given = 0;
        if skip_rows(&mut self.connection, &self.session, &mut portal, Some(before)).await? == before {
            let style = self.settings.style();
            given = send_rows(&mut self.connection, &self.session, &mut portal, formats, style, most).await?;
        }
        self.portals.insert(name.to_string(), portal);
        Ok(format!("FETCH {given}"))
    }

    async fn move_cursor(&mut self, name: &str, step: CursorStep) -> Result<String, ConnectionError> {
        let mut portal = self.portals.remove(name).ok_or_else(|| unknown_portal(name))?;
        let (before, most) = fetch_range(step, portal.given)?;
        let mut passed = 0;
        if skip_rows(&mut self.connection, &self.session, &mut portal, Some(before)).await? == before {
            passed = skip_rows(&mut self.connection, &self.session, &mut portal, most).await?;
        }
        self.portals.insert(name.to_string(), portal);
        Ok(format!("MOVE {passed}"))
    }

    /// The statement of EXECUTE with its values.
    fn executed(&self, name: &str, values: &[String]) -> Result<PgCommand, PgError> {
        let prepared = self.statement(name)?;
        let Some(template) = &prepared.template else { return Ok(PgCommand::Nothing("")) };
        if values.len() != template.count() {
            let (given, wanted) = (values.len(), template.count());
            return Err(PgError::syntax(format!(
                "wrong number of parameters for prepared statement \"{name}\": {wanted} are expected, {given} were given"
            )));
        }
        let text = template.with(|number| {
            let value = &values[number - 1];
            // Only one word needs no parentheses.
            let is_word = split_script(value)
                .is_ok_and(|statements| statements.iter().all(|statement| statement.tokens.len() < 2));
            if is_word { value.clone() } else { format!("({value})") }
        });
        match split_script(&text)?.first().map_or(Ok(PgCommand::Nothing("")), PgCommand::read)? {
            // It could execute itself, without an end.
            PgCommand::Execute { .. } => {
                let message = format!("the prepared statement \"{name}\" is EXECUTE itself: execute what that names");
                Err(PgError::unsupported(message))
            }
            command => Ok(command),
        }
    }
}

/// The tag of the message that completes a statement.
pub(super) fn tag(tag: &str, rows: u64) -> String {
    match tag {
        "SHOW" | "EXPLAIN" => tag.to_string(),
        _ => format!("{tag} {rows}"),
    }
}

/// Rows to pass over, and rows to give after them; `None`: all.
fn fetch_range(step: CursorStep, given: u64) -> Result<(u64, Option<u64>), PgError> {
    let forward_only = || PgError::new("55000", "cursor can only scan forward");
    match step {
        CursorStep::Forward(0) | CursorStep::Relative(0) => Ok((0, Some(0))),
        CursorStep::Forward(count) => Ok((0, Some(count))),
        CursorStep::All => Ok((0, None)),
        CursorStep::Relative(count) => Ok((count - 1, Some(1))),
        CursorStep::Absolute(row) => match row.checked_sub(given + 1) {
            Some(before) => Ok((before, Some(1))),
            None => Err(forward_only()),
        },
        CursorStep::Last => Err(PgError::unsupported("FETCH LAST is not served: rows are read forward, once")),
    }
}

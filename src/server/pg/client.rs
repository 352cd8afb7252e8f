//! The state of one client: its prepared statements, its portals, its transaction.

use std::collections::HashMap;
use std::sync::Arc;

use pgwire::api::results::FieldFormat;
use pgwire::messages::response::TransactionStatus;

use super::super::session::ServerSession;
use super::commands::{CursorLifetime, PgCommand};
use super::connection::PgConnection;
use super::error::{ConnectionError, PgError};
use super::planning::{Prepared, shown_columns};
use super::portal::Portal;
use super::script::split_script;
use super::settings::SessionSettings;
use super::types::ResultColumn;

/// Prepared statements that one client may keep.
const MOST_STATEMENTS: usize = 4096;
/// Bytes of the texts of all of these statements.
const MOST_TEXT: usize = 64 << 20;
/// Portals that one client may have open, whatever they hold.
const MOST_PORTALS: usize = 64;

/// A client that has logged in.
pub(super) struct PgClient {
    pub(super) connection: PgConnection,
    pub(super) session: Arc<ServerSession>,
    pub(super) settings: Arc<SessionSettings>,
    pub(super) transaction: TransactionStatus,
    pub(super) savepoints: Vec<String>,
    /// Settings as they were before the transaction, and before SET LOCAL.
    pub(super) before: Vec<(String, String)>,
    pub(super) before_local: Vec<(String, String)>,
    pub(super) prepared: HashMap<String, Arc<Prepared>>,
    pub(super) portals: HashMap<String, Portal>,
    /// Portals of the protocol that hold statements other than queries.
    pub(super) bound: HashMap<String, Bound>,
    /// After an error, until Sync.
    pub(super) is_skipping: bool,
}

/// A statement that is ready to be executed.
pub(super) struct Bound {
    /// `None`: the statement is empty, or its rows are a portal of the same name.
    pub(super) command: Option<PgCommand>,
    pub(super) formats: Vec<FieldFormat>,
    pub(super) is_empty: bool,
    /// Bytes of its text with its parameters.
    pub(super) bytes: usize,
}

impl PgClient {
    pub(super) fn new(
        connection: PgConnection,
        session: Arc<ServerSession>,
        settings: Arc<SessionSettings>,
    ) -> PgClient {
        PgClient {
            connection,
            session,
            settings,
            transaction: TransactionStatus::Idle,
            savepoints: vec![],
            before: vec![],
            before_local: vec![],
            prepared: HashMap::new(),
            portals: HashMap::new(),
            bound: HashMap::new(),
            is_skipping: false,
        }
    }

    pub(super) fn end_portals(&mut self) {
        self.bound.clear();
        self.portals.retain(|_, portal| portal.lifetime == CursorLifetime::Session);
    }

    pub(super) fn close_portal(&mut self, name: &str) {
        self.bound.remove(name);
        self.portals.remove(name);
    }

    /// Keeps a statement under a name.
    pub(super) async fn prepare(&mut self, name: String, text: &str, types: &[u32]) -> Result<(), ConnectionError> {
        if self.prepared.contains_key(&name) {
            return Err(PgError::new("42P05", format!("prepared statement \"{name}\" already exists")).into());
        }
        let kept: usize =
            self.prepared.values().filter_map(|prepared| prepared.template.as_ref()).map(|kept| kept.text.len()).sum();
        if self.prepared.len() >= MOST_STATEMENTS || kept + text.len() > MOST_TEXT {
            let message =
                format!("{} statements are prepared already, in {kept} bytes: deallocate some", self.prepared.len());
            return Err(PgError::new("53400", message).into());
        }
        if self.transaction == TransactionStatus::Error {
            let command = split_script(text)?.first().map(PgCommand::read).transpose()?;
            self.refuse_in_failure(command.as_ref())?;
        }
        let prepared = self.connection.run_until_disconnect(Prepared::new(&self.session, text, types)).await??;
        let prepared = if name.is_empty() { prepared } else { prepared.without_plan() };
        self.prepared.insert(name, Arc::new(prepared));
        Ok(())
    }

    pub(super) fn statement(&self, name: &str) -> Result<Arc<Prepared>, PgError> {
        let unknown = || PgError::new("26000", format!("prepared statement \"{name}\" does not exist"));
        self.prepared.get(name).cloned().ok_or_else(unknown)
    }

    /// A name that is taken, or one portal too many.
    pub(super) fn refuse_portal(&self, name: &str, bytes: usize) -> Result<(), PgError> {
        if self.portals.contains_key(name) || self.bound.contains_key(name) {
            return Err(PgError::new("42P03", format!("cursor \"{name}\" already exists")));
        }
        let declared = self.portals.keys().filter(|name| !self.bound.contains_key(*name)).count();
        if declared + self.bound.len() >= MOST_PORTALS {
            return Err(PgError::new("53400", format!("{MOST_PORTALS} cursors are open already: close some")));
        }
        let kept: usize = self.portals.values().map(|portal| portal.bytes).sum::<usize>()
            + self.bound.values().map(|bound| bound.bytes).sum::<usize>();
        if kept + bytes > MOST_TEXT {
            let message = format!("the statements of open cursors already have {kept} bytes: close some");
            return Err(PgError::new("53400", message));
        }
        Ok(())
    }

    /// The columns of a statement that is no query.
    pub(super) fn columns_of(&self, command: &PgCommand) -> Option<Vec<ResultColumn>> {
        match command {
            PgCommand::Show(name) => Some(shown_columns(name)),
            PgCommand::Fetch { name, .. } => self.portals.get(name).map(|portal| portal.columns.clone()),
            PgCommand::Execute { name, .. } => self.prepared.get(name).and_then(|prepared| prepared.columns.clone()),
            _ => None,
        }
    }

    /// After an error in a transaction, only its end is taken.
    pub(super) fn refuse_in_failure(&self, command: Option<&PgCommand>) -> Result<(), PgError> {
        match (self.transaction, command) {
            (TransactionStatus::Error, Some(command)) if !command.ends_failure() => Err(PgError::new(
                "25P02",
                "current transaction is aborted, commands ignored until end of transaction block",
            )),
            _ => Ok(()),
        }
    }
}

pub(super) fn unknown_portal(name: &str) -> PgError {
    PgError::new("34000", format!("cursor \"{name}\" does not exist"))
}

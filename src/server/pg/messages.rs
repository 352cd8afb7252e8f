//! The messages of one client: they come in order, and each is handled before the next.
//!
//! ```text
//! Query ─────────────────────────────► statements, one after the other ─► ready
//! Parse ─► Bind ─► Describe ─► Execute ─► … ─► Sync ────────────────────► ready
//!                     error: the rest is skipped ──┘
//! ```

use pgwire::api::Type;
use pgwire::api::results::FieldFormat;
use pgwire::messages::data::{NoData, ParameterDescription};
use pgwire::messages::extendedquery::{
    Bind, BindComplete, CloseComplete, ParseComplete, PortalSuspended, TARGET_TYPE_BYTE_STATEMENT,
};
use pgwire::messages::response::{CommandComplete, EmptyQueryResponse, ReadyForQuery, TransactionStatus};
use pgwire::messages::{PgWireBackendMessage, PgWireFrontendMessage};

use super::client::{Bound, PgClient, unknown_portal};
use super::commands::PgCommand;
use super::error::{ConnectionError, ErrorSeverity, PgError};
use super::frontend::{self, format_of};
use super::parameters::value;
use super::planning::{Prepared, open};
use super::row_sender::send_rows;
use super::script::split_script;
use super::statements::{BatchMode, RowDescription, tag};
use super::types::{ResultColumn, description};

/// Whether to go on with a client.
enum AfterMessage {
    Continue,
    Close,
}

impl PgClient {
    /// Serves until the client leaves or the server stops.
    pub(super) async fn serve(mut self) {
        let closing = self.session.service().closing.clone();
        loop {
            let message = tokio::select! {
                biased;
                () = closing.cancelled() => Err(ConnectionError::Fatal(stopping())),
                message = self.connection.next() => message,
            };
            let next = match message {
                Ok((kind, body)) => self.take(kind, body).await,
                Err(end) => Err(end),
            };
            match next {
                Ok(AfterMessage::Continue) => {}
                Ok(AfterMessage::Close) | Err(ConnectionError::Disconnected) => return,
                Err(ConnectionError::Fatal(error)) => {
                    self.portals.clear();
                    self.connection.put(error.message(ErrorSeverity::Fatal));
                    return self.connection.close().await;
                }
                Err(ConnectionError::Recoverable(error)) => self.fail(&error),
            }
        }
    }

    /// Reports an error. In a transaction, nothing but its end is done any more.
    fn fail(&mut self, error: &PgError) {
        self.connection.put(error.message(ErrorSeverity::Error));
        if self.transaction == TransactionStatus::Transaction {
            self.transaction = TransactionStatus::Error;
        }
    }

    async fn take(&mut self, kind: u8, body: bytes::Bytes) -> Result<AfterMessage, ConnectionError> {
        let message = match frontend::read(kind, body).map_err(ConnectionError::Fatal)? {
            PgWireFrontendMessage::Terminate(_) => return Ok(AfterMessage::Close),
            PgWireFrontendMessage::Query(query) if !self.is_skipping => return self.query(&query.query).await,
            PgWireFrontendMessage::Sync(_) => return self.sync().await,
            _ if self.is_skipping => return Ok(AfterMessage::Continue),
            message => message,
        };
        let done = self.extended(message).await;
        // The rest up to Sync is skipped.
        self.is_skipping |= matches!(done, Err(ConnectionError::Recoverable(_)));
        fatal_if_stopping(done).map(|()| AfterMessage::Continue)
    }

    async fn extended(&mut self, message: PgWireFrontendMessage) -> Result<(), ConnectionError> {
        match message {
            PgWireFrontendMessage::Parse(parse) => {
                self.parse(parse.name.unwrap_or_default(), &parse.query, &parse.type_oids).await
            }
            PgWireFrontendMessage::Bind(bind) => self.bind(bind).await,
            PgWireFrontendMessage::Describe(describe) => {
                let name = describe.name.unwrap_or_default();
                match describe.target_type {
                    TARGET_TYPE_BYTE_STATEMENT => self.describe_statement(&name),
                    _ => self.describe_portal(&name),
                }
            }
            PgWireFrontendMessage::Execute(execute) => {
                let limit = usize::try_from(execute.max_rows).unwrap_or(0);
                self.execute(&execute.name.unwrap_or_default(), limit).await
            }
            PgWireFrontendMessage::Close(close) => {
                let name = close.name.unwrap_or_default();
                match close.target_type {
                    TARGET_TYPE_BYTE_STATEMENT => drop(self.prepared.remove(&name)),
                    _ => self.close_portal(&name),
                }
                self.connection.put(PgWireBackendMessage::CloseComplete(CloseComplete::new()));
                Ok(())
            }
            PgWireFrontendMessage::Flush(_) => self.connection.send().await,
            PgWireFrontendMessage::PasswordMessageFamily(_) => {
                Err(ConnectionError::Fatal(PgError::protocol("unexpected password message")))
            }
            // Handled before, or part of a COPY FROM that was refused.
            _ => Ok(()),
        }
    }

    /// Several statements in one text are one transaction; the first error ends them.
    async fn query(&mut self, text: &str) -> Result<AfterMessage, ConnectionError> {
        let done = fatal_if_stopping(self.run_all(text).await);
        match done {
            Ok(()) => {}
            Err(ConnectionError::Recoverable(error)) => self.fail(&error),
            Err(end) => return Err(end),
        }
        self.ready().await
    }

    async fn run_all(&mut self, text: &str) -> Result<(), ConnectionError> {
        let statements = split_script(text)?;
        let commands = statements
            .iter()
            .map(|statement| PgCommand::read(statement).map_err(|error| error.moved(statement.before)));
        let commands: Vec<PgCommand> = commands.collect::<Result<_, _>>()?;
        if commands.is_empty() {
            self.connection.put(PgWireBackendMessage::EmptyQueryResponse(EmptyQueryResponse::new()));
        }
        let mode = if commands.len() > 1 { BatchMode::Batch } else { BatchMode::Single };
        for (command, statement) in commands.into_iter().zip(&statements) {
            let done = self.run(command, mode).await;
            done.map_err(|end| end.map(|error| error.moved(statement.before)))?;
        }
        Ok(())
    }

    async fn sync(&mut self) -> Result<AfterMessage, ConnectionError> {
        self.is_skipping = false;
        self.ready().await
    }

    /// Outside of a transaction, portals end with the statement.
    async fn ready(&mut self) -> Result<AfterMessage, ConnectionError> {
        if self.transaction == TransactionStatus::Idle {
            self.end_portals();
        }
        self.connection.put(PgWireBackendMessage::ReadyForQuery(ReadyForQuery::new(self.transaction)));
        self.connection.send().await?;
        Ok(AfterMessage::Continue)
    }

    async fn parse(&mut self, name: String, text: &str, types: &[u32]) -> Result<(), ConnectionError> {
        if name.is_empty() {
            self.prepared.remove("");
        }
        self.prepare(name, text, types).await?;
        self.connection.put(PgWireBackendMessage::ParseComplete(ParseComplete::new()));
        Ok(())
    }

    async fn bind(&mut self, bind: Bind) -> Result<(), ConnectionError> {
        let (portal, statement) = (bind.portal_name.clone().unwrap_or_default(), bind.statement_name.as_deref());
        let prepared = self.statement(statement.unwrap_or_default())?;
        if bind.parameters.len() != prepared.types.len() {
            let (given, wanted, name) = (bind.parameters.len(), prepared.types.len(), statement.unwrap_or_default());
            let message = format!(
                "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {wanted}"
            );
            return Err(PgError::protocol(message).into());
        }
        if portal.is_empty() {
            self.close_portal("");
        }
        let text = prepared.template.as_ref().map_or(0, |template| template.text.len());
        let bytes = text + bind.parameters.iter().flatten().map(|value| value.len()).sum::<usize>();
        self.refuse_portal(&portal, bytes)?;
        let command = bound_command(&prepared, &bind)?;
        self.refuse_in_failure(command.as_ref())?;
        let mut bound = Bound { is_empty: command.is_none(), command, formats: vec![], bytes };
        let columns = match &bound.command {
            Some(PgCommand::Query(text)) => {
                let rows = match prepared.take_rows(&self.session)? {
                    Some(rows) => Ok(rows),
                    None => self.connection.run_until_disconnect(open(&self.session, text)).await?,
                };
                // A place in a text with values is none in that of the client.
                let rows = rows.map_err(|error| if bind.parameters.is_empty() { error } else { error.unplaced() })?;
                let columns = rows.columns.len();
                self.portals.insert(portal.clone(), rows);
                bound.command = None;
                // The portal counts them.
                bound.bytes = 0;
                columns
            }
            Some(command) => self.columns_of(command).map_or(0, |columns| columns.len()),
            None => 0,
        };
        bound.formats = (0..columns).map(|index| format_of(&bind.result_column_format_codes, index)).collect();
        self.bound.insert(portal, bound);
        self.connection.put(PgWireBackendMessage::BindComplete(BindComplete::new()));
        Ok(())
    }

    fn describe_statement(&mut self, name: &str) -> Result<(), ConnectionError> {
        let prepared = self.statement(name)?;
        let types = ParameterDescription::new(prepared.types.iter().map(Type::oid).collect());
        self.connection.put(PgWireBackendMessage::ParameterDescription(types));
        let columns = prepared.columns.clone().or_else(|| self.columns_of(prepared.command.as_ref()?));
        self.describe(columns.as_deref(), &[]);
        Ok(())
    }

    fn describe_portal(&mut self, name: &str) -> Result<(), ConnectionError> {
        let formats = self.bound.get(name).map(|bound| bound.formats.clone()).unwrap_or_default();
        let columns = match (self.portals.get(name), self.bound.get(name)) {
            (Some(portal), _) => Some(portal.columns.clone()),
            (None, Some(bound)) => bound.command.as_ref().and_then(|command| self.columns_of(command)),
            (None, None) => return Err(unknown_portal(name).into()),
        };
        self.describe(columns.as_deref(), &formats);
        Ok(())
    }

    fn describe(&mut self, columns: Option<&[ResultColumn]>, formats: &[FieldFormat]) {
        match columns {
            Some(columns) => self.connection.put(description(columns, formats)),
            None => self.connection.put(PgWireBackendMessage::NoData(NoData::new())),
        }
    }

    async fn execute(&mut self, name: &str, limit: usize) -> Result<(), ConnectionError> {
        let bound = self.bound.get_mut(name).map(|bound| (bound.command.take(), bound.formats.clone(), bound.is_empty));
        let (command, formats) = match bound {
            Some((_, _, true)) => {
                self.connection.put(PgWireBackendMessage::EmptyQueryResponse(EmptyQueryResponse::new()));
                return Ok(());
            }
            Some((Some(command), formats, _)) => (command, formats),
            Some((None, formats, _)) => return self.execute_portal(name, &formats, limit).await,
            // A cursor of DECLARE is a portal, too.
            None => return self.execute_portal(name, &[], limit).await,
        };
        self.refuse_in_failure(Some(&command))?;
        self.perform(command, &formats, RowDescription::Sent, BatchMode::Single).await
    }

    async fn execute_portal(
        &mut self,
        name: &str,
        formats: &[FieldFormat],
        limit: usize,
    ) -> Result<(), ConnectionError> {
        let mut portal = self.portals.remove(name).ok_or_else(|| unknown_portal(name))?;
        let most = (limit > 0).then_some(limit as u64);
        let style = self.settings.style();
        self.refuse_in_failure(Some(&PgCommand::Nothing("")))?;
        // A portal whose query failed is gone.
        let given = send_rows(&mut self.connection, &self.session, &mut portal, formats, style, most).await?;
        match most {
            Some(most) if given == most => {
                self.connection.put(PgWireBackendMessage::PortalSuspended(PortalSuspended::new()))
            }
            _ => {
                self.connection.put(PgWireBackendMessage::CommandComplete(CommandComplete::new(tag(portal.tag, given))))
            }
        }
        self.portals.insert(name.to_string(), portal);
        Ok(())
    }
}

/// The statement with the values of its parameters.
fn bound_command(prepared: &Prepared, bind: &Bind) -> Result<Option<PgCommand>, PgError> {
    let Some(template) = prepared.template.as_ref().filter(|_| !bind.parameters.is_empty()) else {
        return Ok(prepared.command.clone());
    };
    let given = prepared.types.iter().zip(&bind.parameters).enumerate();
    let values =
        given.map(|(index, (kind, given))| value(kind, format_of(&bind.parameter_format_codes, index), given.as_ref()));
    let text = template.bind(&values.collect::<Result<Vec<_>, _>>()?)?;
    split_script(&text)?.first().map(PgCommand::read).transpose()
}

fn stopping() -> PgError {
    PgError::new("57P01", "terminating connection: the server is stopping")
}

/// A client whose query the server had to end gets this as its last message.
fn fatal_if_stopping<T>(done: Result<T, ConnectionError>) -> Result<T, ConnectionError> {
    done.map_err(|end| match end {
        ConnectionError::Recoverable(error) if error.code == "57P01" => ConnectionError::Fatal(error),
        other => other,
    })
}

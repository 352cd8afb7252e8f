//! The messages of one client: they come in order, and each is handled before the next.
//!
//! ```text
//! Query ─────────────────────────────► statements, one after the other ─► ready
//! Parse ─► Bind ─► Describe ─► Execute ─► … ─► Sync ────────────────────► ready
//!                     error: the rest is skipped ──┘
//! ```

use pgwire::api::Type;

use super::backend::{ErrorSeverity, Transaction};
use super::client::{Bound, PgClient, unknown_portal};
use super::commands::PgCommand;
use super::error::{ConnectionError, PgError};
use super::frontend::{Bind, DescribeTarget, FrontendMessage, ValueFormat};
use super::parameters::literal;
use super::planning::{Prepared, open};
use super::row_sender::send_rows;
use super::script::split_script;
use super::statements::{BatchMode, RowDescription, tag};
use super::types::ResultColumn;

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
                    self.connection.out.error(ErrorSeverity::Fatal, &error);
                    return self.connection.close().await;
                }
                Err(ConnectionError::Recoverable(error)) => self.fail(&error),
            }
        }
    }

    /// Reports an error. In a transaction, nothing but its end is done any more.
    fn fail(&mut self, error: &PgError) {
        self.connection.out.error(ErrorSeverity::Error, error);
        if self.transaction == Transaction::Open {
            self.transaction = Transaction::Failed;
        }
    }

    async fn take(&mut self, kind: u8, body: bytes::Bytes) -> Result<AfterMessage, ConnectionError> {
        let message = match FrontendMessage::read(kind, body) {
            Ok(FrontendMessage::Terminate) => return Ok(AfterMessage::Close),
            Ok(FrontendMessage::Query(text)) if !self.is_skipping => return self.query(&text).await,
            Ok(FrontendMessage::Sync) => return self.sync().await,
            Ok(_) if self.is_skipping => return Ok(AfterMessage::Continue),
            Ok(message) => message,
            Err(error) => return Err(ConnectionError::Fatal(error)),
        };
        let done = self.extended(message).await;
        // The rest up to Sync is skipped.
        self.is_skipping |= matches!(done, Err(ConnectionError::Recoverable(_)));
        fatal_if_stopping(done).map(|()| AfterMessage::Continue)
    }

    async fn extended(&mut self, message: FrontendMessage) -> Result<(), ConnectionError> {
        match message {
            FrontendMessage::Parse { name, text, types } => self.parse(name, &text, &types).await,
            FrontendMessage::Bind(bind) => self.bind(bind).await,
            FrontendMessage::Describe(DescribeTarget::Statement(name)) => self.describe_statement(&name),
            FrontendMessage::Describe(DescribeTarget::Portal(name)) => self.describe_portal(&name),
            FrontendMessage::Execute { portal, limit } => self.execute(&portal, limit).await,
            FrontendMessage::Close(target) => {
                match target {
                    DescribeTarget::Statement(name) => drop(self.prepared.remove(&name)),
                    DescribeTarget::Portal(name) => self.close_portal(&name),
                }
                self.connection.out.empty(b'3');
                Ok(())
            }
            FrontendMessage::Flush => self.connection.send().await,
            FrontendMessage::Password(_) => {
                Err(ConnectionError::Fatal(PgError::protocol("unexpected password message")))
            }
            FrontendMessage::Query(_)
            | FrontendMessage::Sync
            | FrontendMessage::Terminate
            | FrontendMessage::CopyIn => Ok(()),
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
            self.connection.out.empty(b'I');
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
        if self.transaction == Transaction::None {
            self.end_portals();
        }
        self.connection.out.ready(self.transaction);
        self.connection.send().await?;
        Ok(AfterMessage::Continue)
    }

    async fn parse(&mut self, name: String, text: &str, types: &[u32]) -> Result<(), ConnectionError> {
        if name.is_empty() {
            self.prepared.remove("");
        }
        self.prepare(name, text, types).await?;
        self.connection.out.empty(b'1');
        Ok(())
    }

    async fn bind(&mut self, bind: Bind) -> Result<(), ConnectionError> {
        let prepared = self.statement(&bind.statement)?;
        if bind.parameters.len() != prepared.types.len() {
            let (given, wanted, name) = (bind.parameters.len(), prepared.types.len(), &bind.statement);
            let message = format!(
                "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {wanted}"
            );
            return Err(PgError::protocol(message).into());
        }
        if bind.portal.is_empty() {
            self.close_portal("");
        } else {
            self.refuse_portal(&bind.portal)?;
        }
        let command = bound_command(&prepared, &bind)?;
        self.refuse_in_failure(command.as_ref())?;
        let mut bound = Bound { is_empty: command.is_none(), command, formats: vec![] };
        let columns = match &bound.command {
            Some(PgCommand::Query(text)) => {
                let portal = self.connection.run_until_disconnect(open(&self.session, text)).await?;
                // A place in a text with values is none in that of the client.
                let portal =
                    portal.map_err(|error| if bind.parameters.is_empty() { error } else { error.unplaced() })?;
                let columns = portal.columns.len();
                self.portals.insert(bind.portal.clone(), portal);
                bound.command = None;
                columns
            }
            Some(command) => self.columns_of(command).map_or(0, |columns| columns.len()),
            None => 0,
        };
        bound.formats = bind.result_formats(columns);
        self.bound.insert(bind.portal, bound);
        self.connection.out.empty(b'2');
        Ok(())
    }

    fn describe_statement(&mut self, name: &str) -> Result<(), ConnectionError> {
        let prepared = self.statement(name)?;
        let oids: Vec<u32> = prepared.types.iter().map(Type::oid).collect();
        self.connection.out.parameter_types(&oids);
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

    fn describe(&mut self, columns: Option<&[ResultColumn]>, formats: &[ValueFormat]) {
        match columns {
            Some(columns) => self.connection.out.columns(columns, formats),
            None => self.connection.out.empty(b'n'),
        }
    }

    async fn execute(&mut self, name: &str, limit: usize) -> Result<(), ConnectionError> {
        let bound = self.bound.get_mut(name).map(|bound| (bound.command.take(), bound.formats.clone(), bound.is_empty));
        let (command, formats) = match bound {
            Some((_, _, true)) => {
                self.connection.out.empty(b'I');
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
        formats: &[ValueFormat],
        limit: usize,
    ) -> Result<(), ConnectionError> {
        let mut portal = self.portals.remove(name).ok_or_else(|| unknown_portal(name))?;
        let most = (limit > 0).then_some(limit as u64);
        let style = self.settings.style();
        self.refuse_in_failure(Some(&PgCommand::Nothing("")))?;
        // A portal whose query failed is gone.
        let given = send_rows(&mut self.connection, &self.session, &mut portal, formats, style, most).await?;
        match most {
            Some(most) if given == most => self.connection.out.empty(b's'),
            _ => self.connection.out.complete(&tag(portal.tag, given)),
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
    let values = prepared.types.iter().zip(&bind.parameters).enumerate();
    let values = values.map(|(index, (kind, value))| literal(kind, bind.parameter_format(index), value.as_ref()));
    let values: Vec<String> = values.collect::<Result<_, _>>()?;
    let text = template.with(|number| values.get(number - 1).cloned().unwrap_or_default());
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

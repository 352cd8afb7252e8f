//! One client: its messages come in order, and each is answered before the next.
//!
//! ```text
//! Query ─────────────────────────────► statements, one after the other ─► ready
//! Parse ─► Bind ─► Describe ─► Execute ─► … ─► Sync ────────────────────► ready
//!                     error: the rest is skipped ──┘
//! ```

use std::collections::HashMap;
use std::sync::Arc;

use pgwire::api::Type;

use super::super::session::Session;
use super::answer::give;
use super::backend::{Severity, Transaction};
use super::commands::Command;
use super::frontend::{Bind, Format, Message, Target};
use super::parameters::literal;
use super::planning::{Prepared, open};
use super::portal::Portal;
use super::script::pieces;
use super::settings::Settings;
use super::statements::{Company, Rows};
use super::trouble::{End, Trouble};
use super::types::Column;
use super::wire::Wire;

/// Statements, and portals with cursors, that one client may keep.
const MOST_STATEMENTS: usize = 4096;
/// Bytes of the texts of all of these statements.
const MOST_TEXT: usize = 64 << 20;
const MOST_PORTALS: usize = 64;

/// A client that has logged in.
pub(super) struct Client {
    pub(super) wire: Wire,
    pub(super) session: Arc<Session>,
    pub(super) settings: Arc<Settings>,
    pub(super) transaction: Transaction,
    pub(super) savepoints: Vec<String>,
    /// Settings as they were before the transaction, and before SET LOCAL.
    pub(super) before: Vec<(String, String)>,
    pub(super) before_local: Vec<(String, String)>,
    pub(super) prepared: HashMap<String, Arc<Prepared>>,
    pub(super) portals: HashMap<String, Portal>,
    /// Portals of the protocol that hold statements other than queries.
    bound: HashMap<String, Bound>,
    /// After an error, until Sync.
    is_skipping: bool,
}

/// A statement that is ready to be executed.
struct Bound {
    /// `None`: the statement is empty, or its rows are a portal of the same name.
    command: Option<Command>,
    formats: Vec<Format>,
    is_empty: bool,
}

/// Whether to go on with a client.
enum Next {
    Message,
    End,
}

impl Client {
    pub(super) fn new(wire: Wire, session: Arc<Session>, settings: Arc<Settings>) -> Client {
        Client {
            wire,
            session,
            settings,
            transaction: Transaction::None,
            savepoints: vec![],
            before: vec![],
            before_local: vec![],
            prepared: HashMap::new(),
            portals: HashMap::new(),
            bound: HashMap::new(),
            is_skipping: false,
        }
    }

    /// Serves until the client or the server ends. Gives the connection back for its last words.
    pub(super) async fn serve(mut self) {
        let closing = self.session.service().closing.clone();
        loop {
            let message = tokio::select! {
                biased;
                () = closing.cancelled() => Err(End::Fatal(stopping())),
                message = self.wire.next() => message,
            };
            let next = match message {
                Ok((kind, body)) => self.take(kind, body).await,
                Err(end) => Err(end),
            };
            match next {
                Ok(Next::Message) => {}
                Ok(Next::End) | Err(End::Gone) => return,
                Err(End::Fatal(trouble)) => {
                    self.portals.clear();
                    self.wire.out.error(Severity::Fatal, &trouble);
                    return self.wire.close().await;
                }
                Err(End::Error(trouble)) => self.fail(&trouble),
            }
        }
    }

    /// Tells an error. In a transaction, nothing but its end is done any more.
    fn fail(&mut self, trouble: &Trouble) {
        self.wire.out.error(Severity::Error, trouble);
        if self.transaction == Transaction::Open {
            self.transaction = Transaction::Failed;
        }
    }

    async fn take(&mut self, kind: u8, body: bytes::Bytes) -> Result<Next, End> {
        let message = match Message::read(kind, body) {
            Ok(Message::Terminate) => return Ok(Next::End),
            Ok(Message::Query(text)) if !self.is_skipping => return self.query(&text).await,
            Ok(Message::Sync) => return self.sync().await,
            Ok(_) if self.is_skipping => return Ok(Next::Message),
            Ok(message) => message,
            Err(trouble) => return Err(End::Fatal(trouble)),
        };
        let done = self.extended(message).await;
        // The rest up to Sync is skipped.
        self.is_skipping |= matches!(done, Err(End::Error(_)));
        fatal_if_stopping(done).map(|()| Next::Message)
    }

    async fn extended(&mut self, message: Message) -> Result<(), End> {
        match message {
            Message::Parse { name, text, types } => self.parse(name, &text, &types).await,
            Message::Bind(bind) => self.bind(bind).await,
            Message::Describe(Target::Statement(name)) => self.describe_statement(&name),
            Message::Describe(Target::Portal(name)) => self.describe_portal(&name),
            Message::Execute { portal, limit } => self.execute(&portal, limit).await,
            Message::Close(target) => {
                match target {
                    Target::Statement(name) => drop(self.prepared.remove(&name)),
                    Target::Portal(name) => self.close_portal(&name),
                }
                self.wire.out.empty(b'3');
                Ok(())
            }
            Message::Flush => self.wire.send().await,
            Message::Password(_) => Err(End::Fatal(Trouble::protocol("nobody asked for a password"))),
            Message::Query(_) | Message::Sync | Message::Terminate | Message::CopyIn => Ok(()),
        }
    }

    /// Several statements in one text are one transaction; the first error ends them.
    async fn query(&mut self, text: &str) -> Result<Next, End> {
        let done = fatal_if_stopping(self.run_all(text).await);
        match done {
            Ok(()) => {}
            Err(End::Error(trouble)) => self.fail(&trouble),
            Err(end) => return Err(end),
        }
        self.ready().await
    }

    async fn run_all(&mut self, text: &str) -> Result<(), End> {
        let pieces = pieces(text)?;
        let commands = pieces.iter().map(|piece| Command::read(piece).map_err(|trouble| trouble.moved(piece.before)));
        let commands: Vec<Command> = commands.collect::<Result<_, _>>()?;
        if commands.is_empty() {
            self.wire.out.empty(b'I');
        }
        let company = if commands.len() > 1 { Company::Others } else { Company::Alone };
        for (command, piece) in commands.into_iter().zip(&pieces) {
            let done = self.run(command, company).await;
            done.map_err(|end| end.map(|trouble| trouble.moved(piece.before)))?;
        }
        Ok(())
    }

    async fn sync(&mut self) -> Result<Next, End> {
        self.is_skipping = false;
        self.ready().await
    }

    /// Outside of a transaction, portals end with the statement.
    async fn ready(&mut self) -> Result<Next, End> {
        if self.transaction == Transaction::None {
            self.end_portals();
        }
        self.wire.out.ready(self.transaction);
        self.wire.send().await?;
        Ok(Next::Message)
    }

    pub(super) fn end_portals(&mut self) {
        self.bound.clear();
        self.portals.retain(|_, portal| portal.lasts == super::commands::Lasts::Session);
    }

    pub(super) fn close_portal(&mut self, name: &str) {
        self.bound.remove(name);
        self.portals.remove(name);
    }

    async fn parse(&mut self, name: String, text: &str, types: &[u32]) -> Result<(), End> {
        if name.is_empty() {
            self.prepared.remove("");
        }
        self.prepare(name, text, types).await?;
        self.wire.out.empty(b'1');
        Ok(())
    }

    /// Keeps a statement under a name.
    pub(super) async fn prepare(&mut self, name: String, text: &str, types: &[u32]) -> Result<(), End> {
        if self.prepared.contains_key(&name) {
            return Err(Trouble::new("42P05", format!("prepared statement \"{name}\" already exists")).into());
        }
        let kept: usize =
            self.prepared.values().filter_map(|prepared| prepared.template.as_ref()).map(|kept| kept.text.len()).sum();
        if self.prepared.len() >= MOST_STATEMENTS || kept + text.len() > MOST_TEXT {
            let message =
                format!("{} statements are prepared already, in {kept} bytes: deallocate some", self.prepared.len());
            return Err(Trouble::new("53400", message).into());
        }
        if self.transaction == Transaction::Failed {
            let command = pieces(text)?.first().map(Command::read).transpose()?;
            self.refuse_in_failure(command.as_ref())?;
        }
        let prepared = self.wire.attend(Prepared::new(&self.session, text, types)).await??;
        self.prepared.insert(name, Arc::new(prepared));
        Ok(())
    }

    pub(super) fn statement(&self, name: &str) -> Result<Arc<Prepared>, Trouble> {
        let unknown = || Trouble::new("26000", format!("prepared statement \"{name}\" does not exist"));
        self.prepared.get(name).cloned().ok_or_else(unknown)
    }

    async fn bind(&mut self, bind: Bind) -> Result<(), End> {
        let prepared = self.statement(&bind.statement)?;
        if bind.parameters.len() != prepared.types.len() {
            let (given, wanted, name) = (bind.parameters.len(), prepared.types.len(), &bind.statement);
            let message = format!(
                "bind message supplies {given} parameters, but prepared statement \"{name}\" requires {wanted}"
            );
            return Err(Trouble::protocol(message).into());
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
            Some(Command::Query(text)) => {
                let portal = self.wire.attend(open(&self.session, text)).await?;
                // A place in a text with values is none in that of the client.
                let portal =
                    portal.map_err(|trouble| if bind.parameters.is_empty() { trouble } else { trouble.unplaced() })?;
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
        self.wire.out.empty(b'2');
        Ok(())
    }

    /// A name that is taken, or one portal too many.
    pub(super) fn refuse_portal(&self, name: &str) -> Result<(), Trouble> {
        if self.portals.contains_key(name) || self.bound.contains_key(name) {
            return Err(Trouble::new("42P03", format!("cursor \"{name}\" already exists")));
        }
        match self.portals.len() < MOST_PORTALS {
            true => Ok(()),
            false => Err(Trouble::new("53400", format!("{MOST_PORTALS} cursors are open already: close some"))),
        }
    }

    /// The columns of a statement that is no query.
    fn columns_of(&self, command: &Command) -> Option<Vec<Column>> {
        match command {
            Command::Show(name) => Some(super::planning::shown_columns(name)),
            Command::Fetch { name, .. } => self.portals.get(name).map(|portal| portal.columns.clone()),
            Command::Execute { name, .. } => self.prepared.get(name).and_then(|prepared| prepared.columns.clone()),
            _ => None,
        }
    }

    fn describe_statement(&mut self, name: &str) -> Result<(), End> {
        let prepared = self.statement(name)?;
        let oids: Vec<u32> = prepared.types.iter().map(Type::oid).collect();
        self.wire.out.parameter_types(&oids);
        let columns = prepared.columns.clone().or_else(|| self.columns_of(prepared.command.as_ref()?));
        self.describe(columns.as_deref(), &[]);
        Ok(())
    }

    fn describe_portal(&mut self, name: &str) -> Result<(), End> {
        let formats = self.bound.get(name).map(|bound| bound.formats.clone()).unwrap_or_default();
        let columns = match (self.portals.get(name), self.bound.get(name)) {
            (Some(portal), _) => Some(portal.columns.clone()),
            (None, Some(bound)) => bound.command.as_ref().and_then(|command| self.columns_of(command)),
            (None, None) => return Err(unknown_portal(name).into()),
        };
        self.describe(columns.as_deref(), &formats);
        Ok(())
    }

    fn describe(&mut self, columns: Option<&[Column]>, formats: &[Format]) {
        match columns {
            Some(columns) => self.wire.out.columns(columns, formats),
            None => self.wire.out.empty(b'n'),
        }
    }

    async fn execute(&mut self, name: &str, limit: usize) -> Result<(), End> {
        let bound = self.bound.get_mut(name).map(|bound| (bound.command.take(), bound.formats.clone(), bound.is_empty));
        let (command, formats) = match bound {
            Some((_, _, true)) => {
                self.wire.out.empty(b'I');
                return Ok(());
            }
            Some((Some(command), formats, _)) => (command, formats),
            Some((None, formats, _)) => return self.execute_portal(name, &formats, limit).await,
            // A cursor of DECLARE is a portal, too.
            None => return self.execute_portal(name, &[], limit).await,
        };
        self.refuse_in_failure(Some(&command))?;
        self.perform(command, &formats, Rows::Described, Company::Alone).await
    }

    async fn execute_portal(&mut self, name: &str, formats: &[Format], limit: usize) -> Result<(), End> {
        let mut portal = self.portals.remove(name).ok_or_else(|| unknown_portal(name))?;
        let most = (limit > 0).then_some(limit as u64);
        let style = self.settings.style();
        self.refuse_in_failure(Some(&Command::Nothing("")))?;
        // A portal whose query failed is gone.
        let given = give(&mut self.wire, &self.session, &mut portal, formats, style, most).await?;
        match most {
            Some(most) if given == most => self.wire.out.empty(b's'),
            _ => self.wire.out.complete(&tag(portal.tag, given)),
        }
        self.portals.insert(name.to_string(), portal);
        Ok(())
    }

    /// After an error in a transaction, only its end is taken.
    pub(super) fn refuse_in_failure(&self, command: Option<&Command>) -> Result<(), Trouble> {
        match (self.transaction, command) {
            (Transaction::Failed, Some(command)) if !command.ends_failure() => Err(Trouble::new(
                "25P02",
                "current transaction is aborted, commands ignored until end of transaction block",
            )),
            _ => Ok(()),
        }
    }
}

/// The statement with the values of its parameters.
fn bound_command(prepared: &Prepared, bind: &Bind) -> Result<Option<Command>, Trouble> {
    let Some(template) = prepared.template.as_ref().filter(|_| !bind.parameters.is_empty()) else {
        return Ok(prepared.command.clone());
    };
    let values = prepared.types.iter().zip(&bind.parameters).enumerate();
    let values = values.map(|(index, (kind, value))| literal(kind, bind.parameter_format(index), value.as_ref()));
    let values: Vec<String> = values.collect::<Result<_, _>>()?;
    let text = template.with(|number| values.get(number - 1).cloned().unwrap_or_default());
    pieces(&text)?.first().map(Command::read).transpose()
}

/// The answer at the end of rows.
pub(super) fn tag(tag: &str, rows: u64) -> String {
    match tag {
        "SHOW" | "EXPLAIN" => tag.to_string(),
        _ => format!("{tag} {rows}"),
    }
}

pub(super) fn unknown_portal(name: &str) -> Trouble {
    Trouble::new("34000", format!("cursor \"{name}\" does not exist"))
}

fn stopping() -> Trouble {
    Trouble::new("57P01", "terminating connection: the server is stopping")
}

/// A client whose query the server had to end is told so, and left.
fn fatal_if_stopping<T>(done: Result<T, End>) -> Result<T, End> {
    done.map_err(|end| match end {
        End::Error(trouble) if trouble.code == "57P01" => End::Fatal(trouble),
        other => other,
    })
}

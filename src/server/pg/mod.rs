//! PostgreSQL's protocol.
//!
//! ```text
//! listener ─► login (TLS, SCRAM) ─► client ─► script ─► commands ─► statements ─► Session
//!                                      │                                             │
//!             wire ◄── backend ◄── values, copy ◄── answer ◄── portal ◄── Rows ◄─────┘
//! ```

mod answer;
mod backend;
mod catalog;
mod client;
mod commands;
mod copy;
mod frontend;
mod login;
mod names;
mod parameters;
mod planning;
mod portal;
mod script;
mod settings;
mod statements;
mod trouble;
mod types;
mod values;
mod who;
mod wire;
mod words;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use bytes::BufMut;
use datafusion::config::Dialect;
use datafusion::prelude::SessionContext;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::failure::Failure;
use super::service::Service;
use super::session::{Session, Setup};
use backend::{Severity, Transaction};
use client::Client;
use login::Login;
use settings::Settings;
use trouble::{End, Trouble};
use who::Who;
use wire::Wire;

/// How long to wait when the system takes no more connections.
const PAUSE: Duration = Duration::from_millis(100);
/// Clients beyond the limit that are told so at once.
const MOST_REFUSED: usize = 64;
/// How long such a client may take to listen.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);
/// Databases that are no trace: all of them are the store.
const DATABASES: [&str; 2] = ["ocellus", "postgres"];

/// Serves until the service closes and its clients are gone.
pub(super) async fn serve(service: Arc<Service>, listener: TcpListener) {
    let cancels = Arc::new(Cancels::default());
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            () = service.closing.cancelled() => break,
            accepted = listener.accept() => match accepted {
                // Those beyond the limit are told so; beyond that, nobody listens.
                Ok(_) if clients.len() > service.limits.connections + MOST_REFUSED => {}
                Ok((stream, _)) => drop(clients.spawn(attend(Arc::clone(&service), Arc::clone(&cancels), stream))),
                // Too many open files, for instance: others go first.
                Err(_) => sleep(PAUSE).await,
            },
            Some(_) = clients.join_next() => {}
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

/// Serves one connection.
async fn attend(service: Arc<Service>, cancels: Arc<Cancels>, stream: TcpStream) {
    // Answers are small and must not wait for each other.
    let _ = stream.set_nodelay(true);
    let admission = service.admit();
    let patience = match admission {
        Ok(_) => service.limits.patience,
        Err(_) => service.limits.patience.min(SHORT_PATIENCE),
    };
    let entered = tokio::select! {
        entered = timeout(patience, login::login(&service, &cancels, &admission, stream)) => entered,
        () = service.closing.cancelled() => return,
    };
    let (wire, end) = match entered {
        Ok(Ok((wire, login))) => match enter(&service, &cancels, login, wire).await {
            Ok(()) => return,
            Err(refused) => refused,
        },
        Ok(Err((Some(wire), end))) => (wire, end),
        Ok(Err((None, _))) | Err(_) => return,
    };
    refuse(wire, end).await;
}

/// Tells a client why it is refused.
async fn refuse(mut wire: Wire, end: End) {
    if let End::Error(trouble) | End::Fatal(trouble) = end {
        wire.out.error(Severity::Fatal, &trouble);
        wire.close().await;
    }
}

/// Opens a session for a client that has logged in, and serves it.
async fn enter(
    service: &Arc<Service>,
    cancels: &Arc<Cancels>,
    login: Login,
    mut wire: Wire,
) -> Result<(), (Wire, End)> {
    let settings = Arc::new(Settings::new(&login.user));
    let session = match open(service, &login, &settings) {
        Ok(session) => Arc::new(session),
        Err(trouble) => return Err((wire, trouble.into())),
    };
    wire.trust(service.limits.message);
    let mut client = Client::new(wire, Arc::clone(&session), Arc::clone(&settings));
    for (name, value) in &login.settings {
        if let Err(trouble) = client.change(name, value) {
            return Err((client.wire, trouble.into()));
        }
    }
    settings.begin();
    for (name, value) in settings.reported() {
        client.wire.out.parameter(name, &value);
    }
    let registered = cancels.register(&session);
    client.wire.out.message(b'K', |out| {
        out.put_i32(registered.key.0);
        out.put_i32(registered.key.1);
    });
    client.wire.out.ready(Transaction::None);
    if client.wire.send().await.is_ok() {
        client.serve().await;
    }
    Ok(())
}

fn open(service: &Arc<Service>, login: &Login, settings: &Arc<Settings>) -> Result<Session, Trouble> {
    let Login { user, database, .. } = login;
    let snapshot = service.snapshot()?;
    let is_trace = snapshot.catalog.traces().iter().any(|trace| trace.name == *database);
    if !is_trace && database != user && !DATABASES.contains(&database.as_str()) {
        return Err(Trouble::new(
            "3D000",
            format!("database \"{database}\" does not exist: use ocellus, or the name of a trace"),
        ));
    }
    if is_trace {
        settings.set("search_path", database)?;
    }
    let who = Arc::new(Who { user: user.clone(), database: database.clone(), settings: Arc::clone(settings) });
    let setup: Setup = Arc::new(move |context| prepare(context, &who));
    Ok(Session::open(service, is_trace.then(|| database.clone()), setup)?)
}

/// Makes a session of DataFusion one of PostgreSQL.
fn prepare(context: &SessionContext, who: &Arc<Who>) -> Result<(), Failure> {
    {
        let state = context.state_ref();
        let mut state = state.write();
        state.config_mut().options_mut().sql_parser.dialect = Dialect::PostgreSQL;
        state.config_mut().set_extension(Arc::clone(who));
    }
    catalog::install(context)
}

/// The sessions that can be asked to stop their query, by number and secret.
#[derive(Debug, Default)]
struct Cancels {
    sessions: Mutex<HashMap<(i32, i32), Weak<Session>>>,
}

impl Cancels {
    fn register(self: &Arc<Self>, session: &Arc<Session>) -> Registered {
        let mut sessions = self.sessions();
        let key = loop {
            // Both parts come from the generator for secrets; numbers of processes are positive.
            let key = (rand::random::<i32>() & i32::MAX, rand::random::<i32>());
            if !sessions.contains_key(&key) {
                break key;
            }
        };
        sessions.insert(key, Arc::downgrade(session));
        Registered { key, cancels: Arc::clone(self) }
    }

    fn cancel(&self, process: i32, secret: i32) {
        let session = self.sessions().get(&(process, secret)).and_then(Weak::upgrade);
        if let Some(session) = session {
            session.cancel();
        }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashMap<(i32, i32), Weak<Session>>> {
        // Entries are put and taken in one step, so the lock is whole after any panic.
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session that can be asked to stop, until this is dropped.
struct Registered {
    key: (i32, i32),
    cancels: Arc<Cancels>,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.cancels.sessions().remove(&self.key);
    }
}

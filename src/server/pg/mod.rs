//! PostgreSQL's protocol.
//!
//! ```text
//! listener ─► login (TLS, SCRAM) ─► messages ─► script ─► commands ─► statements ─► session
//!                                      │                                             │
//!             connection ◄── backend ◄── values, copy ◄── row_sender ◄── portal ◄── rows ◄─────┘
//! ```

mod backend;
mod cancel_registry;
mod catalog;
mod client;
mod commands;
mod connection;
mod copy;
mod error;
mod frontend;
mod login;
mod messages;
mod parameters;
mod planning;
mod portal;
mod row_sender;
mod script;
mod session_commands;
mod session_user;
mod settings;
mod statements;
#[cfg(test)]
mod tests;
mod token_cursor;
mod types;
mod values;

use std::sync::Arc;
use std::time::Duration;

use bytes::BufMut;
use datafusion::config::Dialect;
use datafusion::prelude::SessionContext;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::error::ServerError;
use super::service::Service;
use super::session::{ServerSession, Setup};
use backend::{ErrorSeverity, Transaction};
use cancel_registry::CancelRegistry;
use client::PgClient;
use connection::PgConnection;
use error::{ConnectionError, PgError};
use login::Login;
use session_user::SessionUser;
use settings::SessionSettings;

/// How long to wait when the system takes no more connections.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);
/// Clients beyond the limit that are sent an error at once.
const MOST_REFUSALS: usize = 64;
/// How long such a client may take to listen.
const SHORT_PATIENCE: Duration = Duration::from_secs(5);
/// Databases that are no trace: all of them are the store.
const DATABASES: [&str; 2] = ["ocellus", "postgres"];

/// Serves until the service closes and its clients are gone.
pub(super) async fn serve(service: Arc<Service>, listener: TcpListener) {
    let cancel_registry = Arc::new(CancelRegistry::default());
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            () = service.closing.cancelled() => break,
            accepted = listener.accept() => match accepted {
                // Those beyond the limit are sent an error; beyond that, they are dropped.
                Ok(_) if clients.len() > service.limits.connections + MOST_REFUSALS => {}
                Ok((stream, _)) => drop(clients.spawn(serve_connection(Arc::clone(&service), Arc::clone(&cancel_registry), stream))),
                // Too many open files, for instance: others go first.
                Err(_) => sleep(ACCEPT_RETRY_DELAY).await,
            },
            Some(_) = clients.join_next() => {}
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

/// Serves one connection.
async fn serve_connection(service: Arc<Service>, cancel_registry: Arc<CancelRegistry>, stream: TcpStream) {
    // Answers are small and must not wait for each other.
    let _ = stream.set_nodelay(true);
    let admission = service.admit("pg", stream.peer_addr().ok());
    let patience = match admission {
        Ok(_) => service.limits.patience,
        Err(_) => service.limits.patience.min(SHORT_PATIENCE),
    };
    let logged_in = tokio::select! {
        logged_in = timeout(patience, login::login(&service, &cancel_registry, &admission, stream)) => logged_in,
        () = service.closing.cancelled() => return,
    };
    let (connection, end) = match logged_in {
        Ok(Ok((connection, login))) => match run_session(&service, &cancel_registry, login, connection).await {
            Ok(()) => return,
            Err(refused) => refused,
        },
        Ok(Err((Some(connection), end))) => (connection, end),
        Ok(Err((None, _))) | Err(_) => return,
    };
    refuse(connection, end).await;
}

/// Reports to a client why it is refused.
async fn refuse(mut connection: PgConnection, end: ConnectionError) {
    if let ConnectionError::Recoverable(error) | ConnectionError::Fatal(error) = end {
        connection.out.error(ErrorSeverity::Fatal, &error);
        connection.close().await;
    }
}

/// Opens a session for a client that has logged in, and serves it.
async fn run_session(
    service: &Arc<Service>,
    cancel_registry: &Arc<CancelRegistry>,
    login: Login,
    mut connection: PgConnection,
) -> Result<(), (PgConnection, ConnectionError)> {
    let settings = Arc::new(SessionSettings::new(&login.user));
    let session = match open(service, &login, &settings) {
        Ok(session) => Arc::new(session),
        Err(error) => return Err((connection, error.into())),
    };
    connection.set_message_limit(service.limits.message);
    let mut client = PgClient::new(connection, Arc::clone(&session), Arc::clone(&settings));
    for (name, value) in &login.settings {
        if let Err(error) = client.change(name, value) {
            return Err((client.connection, error.into()));
        }
    }
    settings.begin();
    for (name, value) in settings.reported() {
        client.connection.out.parameter(name, &value);
    }
    let registered = cancel_registry.register(&session);
    client.connection.out.message(b'K', |out| {
        out.put_i32(registered.key.0);
        out.put_i32(registered.key.1);
    });
    client.connection.out.ready(Transaction::None);
    if client.connection.send().await.is_ok() {
        client.serve().await;
    }
    Ok(())
}

fn open(service: &Arc<Service>, login: &Login, settings: &Arc<SessionSettings>) -> Result<ServerSession, PgError> {
    let Login { user, database, .. } = login;
    let snapshot = service.snapshot()?;
    let is_trace = snapshot.catalog.traces().iter().any(|trace| trace.name == *database);
    if !is_trace && database != user && !DATABASES.contains(&database.as_str()) {
        return Err(PgError::new(
            "3D000",
            format!("database \"{database}\" does not exist: use ocellus, or the name of a trace"),
        ));
    }
    if is_trace {
        settings.set("search_path", database)?;
    }
    let session_user =
        Arc::new(SessionUser { user: user.clone(), database: database.clone(), settings: Arc::clone(settings) });
    let setup: Setup = Arc::new(move |context| configure(context, &session_user));
    Ok(ServerSession::open(service, is_trace.then(|| database.clone()), setup)?)
}

/// Makes a session of DataFusion one of PostgreSQL.
fn configure(context: &SessionContext, session_user: &Arc<SessionUser>) -> Result<(), ServerError> {
    {
        let state = context.state_ref();
        let mut state = state.write();
        state.config_mut().options_mut().sql_parser.dialect = Dialect::PostgreSQL;
        state.config_mut().set_extension(Arc::clone(session_user));
    }
    catalog::install(context)
}

//! PostgreSQL's protocol.
//!
//! ```text
//! listener ─► login (TLS, SCRAM) ─► messages ─► script ─► commands ─► statements ─► session
//!                                      │                                             │
//!             connection ◄── values, copy ◄── row_sender ◄── portal ◄── rows ◄───────┘
//! ```
//! Messages, SCRAM and the states of a transaction are those of pgwire. Its handlers of queries are not used: they
//! gather all rows of a portal before the first is sent, keep any number of statements and portals, know neither cursors
//! of SQL nor PREPARE, leave portals open beyond their transaction, and do not see that a client is gone.

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
mod server;
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

use bytes::BufMut;
use datafusion::config::Dialect;
use datafusion::prelude::SessionContext;
use pgwire::messages::PgWireBackendMessage;
use pgwire::messages::response::{ReadyForQuery, TransactionStatus};
use pgwire::messages::startup::{BackendKeyData, ParameterStatus, SecretKey};
use tokio::net::TcpListener;
use tokio::time::timeout;

use super::connections::{self, Protocol, Socket};
use super::error::ServerError;
use super::running::RunningQueries;
use super::service::Service;
use super::session::ServerSession;
use super::session_engine::Setup;
use client::PgClient;
use connection::PgConnection;
use error::{ConnectionError, ErrorSeverity, PgError};
use login::Login;
use server::PgServer;
use session_user::SessionUser;
use settings::SessionSettings;

/// Databases that are no trace: all of them are the store.
const DATABASES: [&str; 2] = ["ocellus", "postgres"];

/// Serves until the service closes and its clients are gone.
pub(super) async fn serve(service: Arc<Service>, listener: TcpListener) {
    let tls = match service.tls.as_ref().map(|tls| tls.acceptor(PgServer::NAMES)).transpose() {
        Ok(tls) => tls,
        Err(error) => return ocellus_render::note(&error.to_string()),
    };
    let server = PgServer { service: Arc::clone(&service), tls, running: RunningQueries::default() };
    connections::accept(service, listener, server).await;
}

impl Protocol for PgServer {
    const LOG_NAME: &'static str = "pg";
    const NAMES: &'static [&'static str] = &["postgresql"];
    const STARTS_WITH_TLS: bool = false;

    async fn serve(&self, stream: Socket) {
        self.converse(stream, None).await;
    }

    async fn refuse(&self, stream: Socket, error: ServerError) {
        self.converse(stream, Some(error.into())).await;
    }
}

impl PgServer {
    /// Serves one connection.
    async fn converse(&self, stream: Socket, refusal: Option<PgError>) {
        let (peer, patience) = (stream.peer, self.service.limits.patience);
        let mut connection = PgConnection::new(Box::new(stream), patience);
        let logged_in = tokio::select! {
            logged_in = timeout(patience, login::login(self, &mut connection, peer, refusal)) => logged_in,
            () = self.service.closing.cancelled() => return,
        };
        let Ok(logged_in) = logged_in else { return };
        let refused = match logged_in {
            Ok(login) => self.run_session(login, connection).await,
            Err(end) => Err((connection, end)),
        };
        if let Err((mut connection, ConnectionError::Recoverable(error) | ConnectionError::Fatal(error))) = refused {
            connection.put(error.message(ErrorSeverity::Fatal));
            connection.close().await;
        }
    }

    /// Opens a session for a client that has logged in, and serves it.
    async fn run_session(
        &self,
        login: Login,
        mut connection: PgConnection,
    ) -> Result<(), (PgConnection, ConnectionError)> {
        let settings = Arc::new(SessionSettings::new(&login.user));
        let session = match open(&self.service, &login, &settings) {
            Ok(session) => Arc::new(session),
            Err(error) => return Err((connection, error.into())),
        };
        connection.set_message_limit(self.service.limits.message);
        let mut client = PgClient::new(connection, Arc::clone(&session), Arc::clone(&settings));
        for (name, value) in &login.settings {
            if let Err(error) = client.change(name, value) {
                return Err((client.connection, error.into()));
            }
        }
        settings.begin();
        for (name, value) in settings.reported() {
            let status = ParameterStatus::new(name.to_string(), value);
            client.connection.put(PgWireBackendMessage::ParameterStatus(status));
        }
        // Both parts come from the generator for secrets; numbers of processes are positive.
        let (process, secret) = (rand::random::<i32>() & i32::MAX, rand::random::<i32>());
        let mut key = vec![];
        key.put_i32(process);
        key.put_i32(secret);
        self.running.add(key, &session);
        let key = BackendKeyData::new(process, SecretKey::I32(secret));
        client.connection.put(PgWireBackendMessage::BackendKeyData(key));
        client.connection.put(PgWireBackendMessage::ReadyForQuery(ReadyForQuery::new(TransactionStatus::Idle)));
        if client.connection.send().await.is_ok() {
            client.serve().await;
        }
        Ok(())
    }
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

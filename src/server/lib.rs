//! Servers: one engine behind PostgreSQL's protocol, Arrow Flight SQL, HTTP and the protocol of assistants.
//!
//! ```text
//! pg ─────┐                       threads of the network │ threads of queries
//! flight ─┼─► session ─► rows ◄──────── batches ◄────────┼─ plan, slot, limits, snapshot
//! http ───┤      │
//! mcp ────┘   Service: store, users, certificates, limits, counters
//! ```
//! A session sees the newest snapshot at each statement; a running query keeps its own. Everything
//! only reads.

mod allocation;
mod cancellation;
mod connections;
mod credentials;
mod error;
mod flight;
mod http;
mod limits;
mod log;
mod login_brake;
#[cfg(test)]
mod loopback;
mod mcp;
mod memory;
mod memory_guard;
mod metrics;
mod page;
mod parameters;
mod pg;
mod picture;
mod plan_execution;
mod position;
mod query_progress;
mod query_slot;
mod rows;
mod running;
mod service;
mod session;
mod session_engine;
mod shared_engines;
mod tls;
mod trace_summary;
mod users;

pub use allocation::{CountingAllocator, held_memory};
pub use cancellation::CancelSignal;
pub use error::{ServerError, ServerErrorKind};
pub use limits::ServerLimits;
pub use log::{LogDrain, LogFormat, LogLevel, LogOptions, start_log};
pub use mcp::serve_assistant;
pub use metrics::Metrics;
pub use page::check_page;
pub use parameters::bind as bind_parameters;
pub use rows::ServerRows;
pub use service::{Admission, Service, ServiceOptions, Snapshot};
pub use session::ServerSession;
pub use session_engine::Setup;
pub use tls::Tls;
pub use users::Users;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use ocellus_trace::error::{Error, Result};

/// How long the servers have to report to clients that their queries were ended.
const SHUTDOWN_NOTICE: Duration = Duration::from_secs(2);

/// The addresses that a server listens on.
#[derive(Debug, Clone, Default)]
pub struct Addresses {
    /// Where PostgreSQL's protocol is served, if at all.
    pub pg: Option<SocketAddr>,
    /// Where Arrow Flight SQL is served, if at all.
    pub flight: Option<SocketAddr>,
    /// Where HTTP is served, if at all.
    pub http: Option<SocketAddr>,
}

/// Where it really listens: port 0 becomes the port that was free.
#[derive(Debug)]
pub struct Listeners {
    /// Accepts connections of PostgreSQL's protocol.
    pub pg: Option<TcpListener>,
    /// Accepts connections of Arrow Flight SQL.
    pub flight: Option<TcpListener>,
    /// Accepts connections of HTTP.
    pub http: Option<TcpListener>,
}

impl Listeners {
    /// Binds the addresses that are given.
    pub async fn bind(addresses: &Addresses) -> Result<Listeners> {
        Ok(Listeners {
            pg: bind(addresses.pg).await?,
            flight: bind(addresses.flight).await?,
            http: bind(addresses.http).await?,
        })
    }
}

async fn bind(address: Option<SocketAddr>) -> Result<Option<TcpListener>> {
    let Some(address) = address else { return Ok(None) };
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|source| Error::Io { context: format!("cannot listen on {address}"), source })?;
    Ok(Some(listener))
}

/// Serves until `stopped` returns for the first time; then queries that run have `grace` to finish, or until
/// it returns again.
pub async fn serve(
    service: Arc<Service>,
    listeners: Listeners,
    mut stopped: impl AsyncFnMut(),
    grace: Duration,
) -> Result<()> {
    let guard = Arc::clone(&service);
    let mut guard = JoinSet::from_iter([async move { guard.memory_guard.watch().await }]);
    let mut servers = JoinSet::new();
    if let Some(listener) = listeners.pg {
        servers.spawn(pg::serve(Arc::clone(&service), listener));
    }
    if let Some(listener) = listeners.flight {
        servers.spawn(flight::serve(Arc::clone(&service), listener));
    }
    if let Some(listener) = listeners.http {
        servers.spawn(http::serve(Arc::clone(&service), listener));
    }
    let broken = tokio::select! {
        () = stopped() => None,
        Some(ended) = servers.join_next() => Some(ended),
    };
    service.closing.cancel();
    tokio::select! {
        () = all_ended(&mut servers) => {}
        () = stopped() => {}
        () = sleep(grace) => {}
    }
    service.ending.cancel();
    let _ = timeout(SHUTDOWN_NOTICE, all_ended(&mut servers)).await;
    guard.abort_all();
    match broken {
        None => Ok(()),
        Some(ended) => Err(Error::Internal(format!("a server ended by itself: {ended:?}"))),
    }
}

async fn all_ended(servers: &mut JoinSet<()>) {
    while servers.join_next().await.is_some() {}
}

//! One engine behind all protocols: snapshots of the store, limits, and who may use them.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use datafusion::execution::memory_pool::GreedyMemoryPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tracing::{Span, debug, info, info_span, warn};

use super::allocation::follow_tasks;
use super::credentials::LoginContext;
use super::error::{ServerError, ServerErrorKind};
use super::limits::ServerLimits;
use super::login_brake::LoginBrake;
use super::memory::QueryPool;
use super::memory_guard::MemoryGuard;
use super::metrics::{Connected, Metrics};
use super::shared_engines::SharedEngines;
use super::tls::Tls;
use super::users::Users;
use ocellus_engine::Engine;
use ocellus_engine::catalog::Catalog;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::{Stamp, Store};

/// What all clients share.
#[derive(Debug)]
pub struct Service {
    /// What queries and clients may use.
    pub limits: ServerLimits,
    /// Who may connect.
    pub users: Users,
    /// The certificate, if there is one.
    pub tls: Option<Tls>,
    /// Whether clients of PostgreSQL must use TLS.
    pub tls_is_required: bool,
    /// A folder that the page is read from, instead of that of the binary.
    pub page_folder: Option<PathBuf>,
    /// Bytes of a trace that clients may add to the store; `None`: they may not.
    pub uploads: Option<u64>,
    /// What the server counts.
    pub metrics: Arc<Metrics>,
    /// Threads of queries.
    pub workers: Handle,
    /// Set when no new client or query is taken.
    pub closing: CancellationToken,
    /// Set when running queries must end.
    pub ending: CancellationToken,
    /// Slows down those who guess passwords.
    pub(super) login_brake: LoginBrake,
    pub(super) slots: Arc<Semaphore>,
    /// Stops queries that hold too much.
    pub(super) memory_guard: MemoryGuard,
    pub(super) engines: SharedEngines,
    connections: Arc<Semaphore>,
    store: Store,
    /// The store as it was when it was last looked at.
    newest: Mutex<Snapshot>,
    /// Temporary files, the memory of all queries, and what is known of Parquet files.
    shared: Arc<RuntimeEnv>,
}

/// The traces at one moment of the store.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Differs after every change.
    pub stamp: Stamp,
    /// The traces, as the engine opens them.
    pub catalog: Catalog,
}

/// What a service is opened with.
#[derive(Debug, Default)]
pub struct ServiceOptions {
    /// What queries and clients may use.
    pub limits: ServerLimits,
    /// Who may connect.
    pub users: Users,
    /// The certificate, if there is one.
    pub tls: Option<Tls>,
    /// Whether clients of PostgreSQL must use TLS.
    pub tls_is_required: bool,
    /// A folder that the page is read from, instead of that of the binary.
    pub page_folder: Option<PathBuf>,
    /// Bytes of a trace that clients may add to the store; `None`: they may not.
    pub uploads: Option<u64>,
}

impl Service {
    /// Opens a service over a store; queries run on the threads of `workers`.
    pub fn open(store: Store, options: ServiceOptions, workers: Handle) -> Result<Arc<Service>> {
        let all_memory = GreedyMemoryPool::new(options.limits.memory);
        let shared = RuntimeEnvBuilder::new()
            .with_memory_pool(Arc::new(all_memory))
            .build_arc()
            .map_err(|e| Error::Internal(e.to_string()))?;
        let newest = snapshot(&store)?;
        follow_tasks();
        Ok(Arc::new(Service {
            slots: Arc::new(Semaphore::new(options.limits.queries)),
            connections: Arc::new(Semaphore::new(options.limits.connections)),
            memory_guard: MemoryGuard::new(&options.limits),
            engines: SharedEngines::default(),
            limits: options.limits,
            users: options.users,
            tls: options.tls,
            tls_is_required: options.tls_is_required,
            page_folder: options.page_folder,
            uploads: options.uploads,
            metrics: Arc::default(),
            login_brake: LoginBrake::default(),
            workers,
            closing: CancellationToken::new(),
            ending: CancellationToken::new(),
            store,
            newest: Mutex::new(newest),
            shared,
        }))
    }

    /// The store as it is now.
    pub fn snapshot(&self) -> Result<Snapshot, ServerError> {
        let stamp = self.store.stamp()?;
        // A snapshot is replaced in one step, so the lock is whole after any panic.
        let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.stamp != stamp {
            *newest = snapshot(&self.store)?;
        }
        Ok(newest.clone())
    }

    /// Lets a client in, until the admission is dropped. The protocol and the address are for the log.
    pub fn admit(&self, protocol: &'static str, peer: Option<SocketAddr>) -> Result<Admission, ServerError> {
        let peer = peer.map(tracing::field::display);
        let permit = Arc::clone(&self.connections).try_acquire_owned();
        match permit {
            Ok(permit) if !self.closing.is_cancelled() => {
                let span = info_span!("connection", protocol, peer);
                info!(parent: &span, "client connected");
                Ok(Admission { _permit: permit, _connected: self.metrics.connect(), since: Instant::now(), span })
            }
            Ok(_) => Err(ServerError::stopping()),
            Err(_) => {
                self.metrics.refuse_connection();
                let limit = self.limits.connections;
                warn!(protocol, peer, limit, "client refused: too many are connected");
                Err(ServerError::new(
                    ServerErrorKind::TooManyClients,
                    format!("{limit} clients are already connected, the most this server accepts"),
                ))
            }
        }
    }

    /// What decides whether a client at an address may log in.
    pub(super) fn login_context(&self, address: Option<IpAddr>) -> LoginContext<'_> {
        LoginContext { users: &self.users, brake: &self.login_brake, metrics: &self.metrics, address }
    }

    /// Memory for one query; files and caches are shared.
    pub(super) fn environment(&self) -> Result<Arc<RuntimeEnv>, ServerError> {
        let all = Arc::clone(&self.shared.memory_pool);
        RuntimeEnvBuilder::from_runtime_env(&self.shared)
            .with_memory_pool(Arc::new(QueryPool::new(self.limits.query_memory, self.limits.small_query(), all)))
            .build_arc()
            .map_err(|error| ServerError::internal(error.to_string()))
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn shared(&self) -> Arc<RuntimeEnv> {
        Arc::clone(&self.shared)
    }
}

fn snapshot(store: &Store) -> Result<Snapshot> {
    // The stamp first: a catalog that is newer than its stamp is read again at the next query.
    Ok(Snapshot { stamp: store.stamp()?, catalog: Engine::snapshot(store)? })
}

/// A client that was let in.
#[derive(Debug)]
pub struct Admission {
    _permit: OwnedSemaphorePermit,
    _connected: Connected,
    since: Instant,
    span: Span,
}

impl Admission {
    /// What lines of the log say about the connection.
    pub(super) fn span(&self) -> Span {
        self.span.clone()
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        debug!(parent: &self.span, seconds = self.since.elapsed().as_secs_f64(), "client disconnected");
    }
}

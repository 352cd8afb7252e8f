//! An executor: runs tasks of a scheduler, and keeps their rows until other tasks or the client fetch them.

#[cfg(test)]
mod tests;

use std::error::Error as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::error::BallistaError;
use ballista_core::extension::SessionConfigExt;
use ballista_core::utils::{GrpcServerConfig, create_grpc_server};
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_executor::flight_service::BallistaFlightService;
use ballista_executor::shutdown::Shutdown;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;
use futures::FutureExt;
use tokio::task::JoinHandle;
use tonic::service::interceptor::InterceptedService;

use super::codec::Codec;
use super::functions::registry;
use super::identity::{Identity, check_same_build};
use super::import::ImportScope;
use super::network::{HEARTBEAT, LARGEST_MESSAGE};
use super::read_stores::{ReadScope, ReadStores};
use super::stages::QuietEngine;
use super::tunnel::tunnel;
use ocellus_trace::error::{Error, Result};

/// How to run an executor.
#[derive(Debug, Clone)]
pub struct ExecutorOptions {
    /// `HOST:PORT` of the scheduler.
    pub scheduler: String,
    /// Address that it listens on.
    pub bind: IpAddr,
    /// The name under which the others reach it.
    pub host: String,
    /// Port that rows are fetched from; the next one takes tasks. 0: any two free ones.
    pub port: u16,
    /// Partitions that run at once.
    pub concurrent_tasks: usize,
    /// Folder below which rows on their way are kept. `None`: that for temporary files.
    pub work_folder: Option<PathBuf>,
    /// Bytes that all tasks together may hold. `None`: 70 % of the machine's memory.
    pub memory_limit: Option<usize>,
    /// Folder at or below which it may write stores. `None`: it imports nothing.
    pub store_root: Option<PathBuf>,
    /// What plans and imports may read.
    pub scope: ReadScope,
    /// How long it waits for a scheduler that does not answer, at the start and when it was lost.
    pub scheduler_wait: Duration,
}

/// Why an executor ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExecutorEnd {
    /// It was asked to stop.
    Stopped,
    /// The scheduler dismissed it, which happens to one whose signs of life came late, or was gone for a while. It answers
    /// again: an executor that is started anew works for it.
    Dismissed,
}

/// Runs an executor until the process is asked to stop, by a signal that `shutdown` waits for too, or the scheduler is
/// gone. `ready` is called once the scheduler was found to be the same build.
///
/// An executor that ended leaves threads with tasks behind, so another one belongs into another process.
pub async fn run_executor(
    options: ExecutorOptions,
    identity: Identity,
    ready: impl FnOnce(),
    shutdown: impl Future<Output = ()>,
) -> Result<ExecutorEnd> {
    let (host, port) = split_address(&options.scheduler)?;
    let wait = options.scheduler_wait;
    let mut shutdown = pin!(shutdown);
    tokio::select! {
        checked = check_same_build(&options.scheduler, &identity, wait, wait) => checked?,
        () = &mut shutdown => return Ok(ExecutorEnd::Stopped),
    }
    let store_root =
        options.store_root.as_ref().map(|root| root.canonicalize().map_err(|e| Error::io("open", root, e)));
    let store_root = store_root.transpose()?;
    let folder = work_folder(&options)?;
    let work = folder
        .path()
        .to_str()
        .ok_or_else(|| Error::Usage(format!("the path {} is not UTF-8", folder.path().display())))?
        .to_string();
    let spill = work.clone();
    let scope = options.scope.clone();
    let runtime = move |_: &SessionConfig| {
        RuntimeEnvBuilder::new()
            .with_temp_file_path(&spill)
            .with_object_store_registry(Arc::new(ReadStores::new(scope.clone())))
            .build_arc()
    };
    let doors = doors(&options, &identity).await?;
    let endpoints = identity.endpoint_override();
    let settings = move || {
        SessionConfig::new_with_ballista().with_ballista_override_create_grpc_client_endpoint(Arc::clone(&endpoints))
    };
    let config = ExecutorProcessConfig {
        bind_host: doors.inner.to_string(),
        external_host: Some(options.host.clone()),
        port: doors.rows,
        grpc_port: doors.tasks,
        scheduler_host: host,
        scheduler_port: port,
        vcores: options.concurrent_tasks,
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(work),
        executor_heartbeat_interval_seconds: HEARTBEAT,
        memory_pool_size: options.memory_limit.map(|bytes| bytes as u64),
        grpc_max_decoding_message_size: LARGEST_MESSAGE,
        grpc_max_encoding_message_size: LARGEST_MESSAGE,
        override_function_registry: Some(
            registry(ImportScope { root: store_root, readable: options.scope.clone() }).map_err(failed)?,
        ),
        override_execution_engine: Some(Arc::new(QuietEngine::new(options.scope.clone()).map_err(failed)?)),
        override_runtime_producer: Some(Arc::new(runtime)),
        override_physical_codec: Some(Arc::new(Codec::of(&identity))),
        override_config_producer: Some(Arc::new(settings)),
        override_arrow_flight_service: Some(Arc::new(rows(
            SocketAddr::new(options.bind, doors.rows),
            identity.clone(),
        ))),
        override_create_grpc_client_endpoint: Some(identity.endpoint_override()),
        ..ExecutorProcessConfig::default()
    };
    ready();
    // The folder is removed when this function ends, however it ends.
    let ended = start_executor_process(Arc::new(config)).await;
    if let Some(tunnel) = doors.tunnel {
        tunnel.abort();
    }
    drop(folder);
    // A scheduler that went away while it was called is waited for like one that goes later.
    let is_away = matches!(&ended, Err(error) if is_connection(error));
    if !is_away {
        ended.map_err(failed)?;
    }
    if shutdown.as_mut().now_or_never().is_some() {
        return Ok(ExecutorEnd::Stopped);
    }
    tokio::select! {
        checked = check_same_build(&options.scheduler, &identity, wait, wait) => checked.map(|()| ExecutorEnd::Dismissed),
        () = &mut shutdown => Ok(ExecutorEnd::Stopped),
    }
}

/// Whether nobody answered.
fn is_connection(error: &BallistaError) -> bool {
    match error {
        BallistaError::GrpcConnectionError(_) => true,
        // What a scheduler says has no source; what ends the connection has.
        BallistaError::GrpcError(status) => status.code() == tonic::Code::Unavailable || status.source().is_some(),
        _ => false,
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::query(format!("the executor ended: {error}"))
}

/// A folder of its own, which goes away with the executor.
fn work_folder(options: &ExecutorOptions) -> Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("ocellus-executor-");
    // Rows of queries are for the owner only.
    #[cfg(unix)]
    let builder = builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    match &options.work_folder {
        Some(parent) => {
            std::fs::create_dir_all(parent).map_err(|e| Error::io("make", parent, e))?;
            builder.tempdir_in(parent).map_err(|e| Error::io("make a folder in", parent, e))
        }
        None => builder.tempdir().map_err(|e| Error::io("make a folder in", &std::env::temp_dir(), e)),
    }
}

/// Where an executor is reached.
struct Doors {
    /// Address on which Ballista takes tasks: that of the options, or one of loopback behind a tunnel.
    inner: IpAddr,
    rows: u16,
    tasks: u16,
    tunnel: Option<JoinHandle<()>>,
}

/// Finds the ports; with credentials, opens the door through which tasks come.
async fn doors(options: &ExecutorOptions, identity: &Identity) -> Result<Doors> {
    let (rows, tasks) = ports(options)?;
    let Some(credentials) = identity.credentials() else {
        return Ok(Doors { inner: options.bind, rows, tasks, tunnel: None });
    };
    if options.bind.is_unspecified() {
        return Err(Error::Usage(format!(
            "{} means every address of this machine; with credentials an executor listens on one: --bind ADDRESS",
            options.bind
        )));
    }
    // The same port on another address.
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let inner = if options.bind == loopback { IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2)) } else { loopback };
    let address = SocketAddr::new(options.bind, tasks);
    let listener = tokio::net::TcpListener::bind(address)
        .await
        .map_err(|source| Error::Io { context: format!("cannot listen on {address}"), source })?;
    let acceptor = credentials.acceptor().map_err(Error::Usage)?;
    let tunnel = tokio::spawn(tunnel(listener, acceptor, SocketAddr::new(inner, tasks)));
    Ok(Doors { inner, rows, tasks, tunnel: Some(tunnel) })
}

/// Serves rows to other executors and to clients, of the same build and with the same credentials.
fn rows(
    address: SocketAddr,
    identity: Identity,
) -> impl Fn(String, SocketAddr, Shutdown, GrpcServerConfig) -> JoinHandle<std::result::Result<(), BallistaError>> {
    move |folder, _, mut shutdown, config| {
        let identity = identity.clone();
        tokio::spawn(async move {
            let mut server = create_grpc_server(&config);
            if let Some(credentials) = identity.credentials() {
                server = server.tls_config(credentials.server_tls())?;
            }
            let service = FlightServiceServer::new(BallistaFlightService::new(folder))
                .max_decoding_message_size(LARGEST_MESSAGE as usize)
                .max_encoding_message_size(LARGEST_MESSAGE as usize);
            let service = InterceptedService::new(service, move |call| identity.admit(call));
            Ok(server.add_service(service).serve_with_shutdown(address, shutdown.recv()).await?)
        })
    }
}

/// The ports for rows and for tasks.
fn ports(options: &ExecutorOptions) -> Result<(u16, u16)> {
    if let Some(next) = options.port.checked_add(1).filter(|_| options.port != 0) {
        return Ok((options.port, next));
    }
    // Both are held until both are known, or they might be the same.
    let free = || TcpListener::bind(SocketAddr::new(options.bind, 0));
    let found = free().and_then(|one| free().and_then(|two| Ok((one.local_addr()?.port(), two.local_addr()?.port()))));
    found.map_err(|source| Error::Io { context: format!("cannot find a free port on {}", options.bind), source })
}

/// `HOST:PORT` as its parts.
fn split_address(address: &str) -> Result<(String, u16)> {
    let parts = address.rsplit_once(':').and_then(|(host, port)| Some((host.to_string(), port.parse().ok()?)));
    parts.filter(|(host, _)| !host.is_empty()).ok_or_else(|| {
        Error::Usage(format!("expected the scheduler as HOST:PORT, such as 127.0.0.1:50050, got {address}"))
    })
}

//! An executor: runs tasks of a scheduler, and keeps their rows until other tasks or the client fetch them.

#[cfg(test)]
mod tests;

use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::SessionConfig;

use super::codec::Codec;
use super::functions::registry;
use super::identity::{Identity, check_same_build};
use super::network::{HEARTBEAT, LARGEST_MESSAGE};
use super::stages::QuietEngine;
use ocellus_engine::remote::EnvironmentStores;
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
}

/// Runs an executor until the process is asked to stop or the scheduler is gone. `ready` is called once
/// the scheduler was found to be the same build.
pub async fn run_executor(options: ExecutorOptions, identity: Identity, ready: impl FnOnce()) -> Result<()> {
    let (host, port) = split_address(&options.scheduler)?;
    check_same_build(&options.scheduler, &identity).await?;
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
    let runtime = move |_: &SessionConfig| {
        RuntimeEnvBuilder::new()
            .with_temp_file_path(&spill)
            .with_object_store_registry(Arc::new(EnvironmentStores::default()))
            .build_arc()
    };
    let (port_of_rows, port_of_tasks) = ports(&options)?;
    let config = ExecutorProcessConfig {
        bind_host: options.bind.to_string(),
        external_host: Some(options.host.clone()),
        port: port_of_rows,
        grpc_port: port_of_tasks,
        scheduler_host: host,
        scheduler_port: port,
        vcores: options.concurrent_tasks,
        task_scheduling_policy: TaskSchedulingPolicy::PushStaged,
        work_dir: Some(work),
        executor_heartbeat_interval_seconds: HEARTBEAT,
        memory_pool_size: options.memory_limit.map(|bytes| bytes as u64),
        grpc_max_decoding_message_size: LARGEST_MESSAGE,
        grpc_max_encoding_message_size: LARGEST_MESSAGE,
        override_function_registry: Some(registry(store_root).map_err(failed)?),
        override_execution_engine: Some(Arc::new(QuietEngine::new().map_err(failed)?)),
        override_runtime_producer: Some(Arc::new(runtime)),
        override_physical_codec: Some(Arc::new(Codec::default())),
        override_create_grpc_client_endpoint: Some(identity.endpoint_override()),
        ..ExecutorProcessConfig::default()
    };
    ready();
    // The folder is removed when this function ends, however it ends.
    let ended = start_executor_process(Arc::new(config)).await;
    drop(folder);
    ended.map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::query(format!("the executor ended: {error}"))
}

/// A folder of its own, which goes away with the executor.
fn work_folder(options: &ExecutorOptions) -> Result<tempfile::TempDir> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("ocellus-executor-");
    match &options.work_folder {
        Some(parent) => {
            std::fs::create_dir_all(parent).map_err(|e| Error::io("make", parent, e))?;
            builder.tempdir_in(parent).map_err(|e| Error::io("make a folder in", parent, e))
        }
        None => builder.tempdir().map_err(|e| Error::io("make a folder in", &std::env::temp_dir(), e)),
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

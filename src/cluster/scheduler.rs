//! The scheduler: takes plans from clients, cuts them into stages, hands tasks to executors.

#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::config::TaskSchedulingPolicy;
use ballista_core::serde::protobuf::scheduler_grpc_server::SchedulerGrpcServer;
use ballista_core::utils::default_config_producer;
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::create_scheduler;
use futures::FutureExt;
use tokio::net::TcpListener;
use tonic::service::interceptor::InterceptedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::admission::{NoLogicalPlan, ReadingPlan};
use super::codec::Codec;
use super::executor_watch::require_executor;
use super::functions::session;
use super::identity::Identity;
use super::network::{ABANDONED_JOB, EXECUTOR_TIMEOUT, HEARTBEAT, LARGEST_MESSAGE};
use ocellus_trace::error::{Error, Result};

/// How long calls that are under way may take once the scheduler was asked to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// How to run a scheduler.
#[derive(Debug, Clone)]
pub struct SchedulerOptions {
    /// Where it listens; port 0 takes any free one.
    pub bind: SocketAddr,
    /// The name under which executors reach it.
    pub host: String,
}

/// Runs a scheduler until `shutdown` ends. `ready` is called with the address once it listens.
pub async fn run_scheduler(
    options: SchedulerOptions,
    identity: Identity,
    ready: impl FnOnce(SocketAddr),
    shutdown: impl Future<Output = ()> + Send,
) -> Result<()> {
    let bind_failed = |source| Error::Io { context: format!("cannot listen on {}", options.bind), source };
    let listener = TcpListener::bind(options.bind).await.map_err(bind_failed)?;
    let address = listener.local_addr().map_err(bind_failed)?;
    let config = Arc::new(configuration(&options, &identity, address));
    let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
    let scheduler = create_scheduler::<NoLogicalPlan, ReadingPlan>(cluster, config).await.map_err(failed)?;
    let executors = scheduler.clone();
    let service = SchedulerGrpcServer::new(scheduler)
        .max_decoding_message_size(LARGEST_MESSAGE as usize)
        .max_encoding_message_size(LARGEST_MESSAGE as usize);
    let mut server = Server::builder();
    if let Some(credentials) = identity.credentials() {
        server = server.tls_config(credentials.server_tls()).map_err(failed)?;
    }
    let service =
        InterceptedService::new(service, move |call| require_executor(identity.admit(call)?, || executors.is_ready()));
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    ready(address);
    // One copy ends the acceptance of calls, the other the wait for those in flight.
    let shutdown = shutdown.shared();
    let serving = server.add_service(service).serve_with_incoming_shutdown(incoming, shutdown.clone());
    let deadline = async {
        shutdown.await;
        tokio::time::sleep(SHUTDOWN_GRACE).await;
    };
    tokio::select! {
        ended = serving => ended.map_err(|e| Error::Internal(format!("the scheduler ended: {e}"))),
        () = deadline => Ok(()),
    }
}

fn configuration(options: &SchedulerOptions, identity: &Identity, address: SocketAddr) -> SchedulerConfig {
    SchedulerConfig {
        bind_host: address.ip().to_string(),
        bind_port: address.port(),
        external_host: options.host.clone(),
        scheduling_policy: TaskSchedulingPolicy::PushStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        executor_timeout_seconds: EXECUTOR_TIMEOUT,
        expire_dead_executor_interval_seconds: HEARTBEAT,
        no_executors_grace_period_seconds: ABANDONED_JOB,
        min_ready_executors: 1,
        grpc_server_max_decoding_message_size: LARGEST_MESSAGE,
        grpc_server_max_encoding_message_size: LARGEST_MESSAGE,
        grpc_client_max_message_size: LARGEST_MESSAGE,
        override_create_grpc_client_endpoint: Some(identity.endpoint_override()),
        override_session_builder: Some(Arc::new(session)),
        override_config_producer: Some(Arc::new(default_config_producer)),
        override_physical_codec: Some(Arc::new(Codec::of(identity))),
        ..SchedulerConfig::default()
    }
}

fn failed(error: impl std::fmt::Display) -> Error {
    Error::Internal(format!("the scheduler cannot start: {error}"))
}

//! One query on a cluster: a physical plan goes to the scheduler, its rows come from the executors.
//!
//! A job whose rows nobody waits for any more is cancelled, and so is one that no executor works on for too long.

use std::sync::Arc;
use std::time::Duration;

use arrow::array::RecordBatch;
use ballista_core::client::BallistaClient;
use ballista_core::error::BallistaError;
use ballista_core::extension::{SessionConfigExt, SessionConfigHelperExt};
use ballista_core::serde::protobuf::execute_query_params::Query;
use ballista_core::serde::protobuf::job_status::Status as JobStatus;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use ballista_core::serde::protobuf::{CancelJobParams, ExecuteQueryParams, PartitionLocation};
use ballista_core::version::insert_version_header;
use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err, internal_datafusion_err};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::AsExecutionPlan;
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use tokio::runtime::Handle;
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use super::codec::Codec;
use super::executor_watch::no_executor;
use super::network::LARGEST_MESSAGE;
use super::packed_plan::packed;

/// How often, and how many milliseconds apart, rows are asked for.
const RETRIES: u8 = 3;
const PAUSE: u64 = 250;

type Scheduler = SchedulerGrpcClient<Channel>;

/// A cluster, and the settings of the session that uses it.
#[derive(Debug, Clone)]
pub(super) struct ClusterTarget {
    /// `HOST:PORT`.
    pub(super) scheduler: String,
    pub(super) config: SessionConfig,
    pub(super) session: String,
    /// How long a query may be without executors.
    pub(super) executor_wait: Duration,
}

/// The bytes of a plan.
pub(super) fn encode(plan: &Arc<dyn ExecutionPlan>) -> Result<Vec<u8>> {
    let mut bytes = vec![];
    PhysicalPlanNode::try_from_physical_plan(packed(plan)?, &Codec::default())?.try_encode(&mut bytes)?;
    Ok(bytes)
}

/// Runs a plan, given as bytes; its rows come when all of it is done.
pub(super) async fn run(
    plan: Vec<u8>,
    target: ClusterTarget,
) -> Result<impl Stream<Item = Result<RecordBatch>> + Send> {
    let scheduler = connect(&target).await?;
    let locations = tokio::select! {
        finished = finished(scheduler.clone(), plan, &target) => finished?,
        error = no_executor(scheduler, &target.scheduler, target.executor_wait) => return Err(error),
    };
    let rows = stream::iter(locations).then(move |location| fetch(location, target.config.clone()));
    Ok(rows.try_flatten())
}

/// Runs a plan to its end; where its rows are then.
async fn finished(mut scheduler: Scheduler, plan: Vec<u8>, target: &ClusterTarget) -> Result<Vec<PartitionLocation>> {
    let mut request = Request::new(ExecuteQueryParams {
        query: Some(Query::PhysicalPlan(plan)),
        settings: target.config.to_key_value_pairs(),
        session_id: target.session.clone(),
        operation_id: target.session.clone(),
    });
    insert_version_header(request.metadata_mut());
    let mut updates = scheduler.execute_query_push(request).await.map_err(|e| refused(&e))?.into_inner();
    let mut job = Job { scheduler, id: None };
    loop {
        let Some(updates) = updates.next().await else {
            return exec_err!("the connection to the scheduler {} was lost", target.scheduler);
        };
        let Some(status) = updates.map_err(|e| refused(&e))?.status else { continue };
        job.id.get_or_insert(status.job_id);
        match status.status {
            Some(JobStatus::Failed(failure)) => {
                job.id = None;
                return exec_err!("{}", failure.error);
            }
            Some(JobStatus::Successful(success)) => {
                job.id = None;
                return Ok(success.partition_location);
            }
            None | Some(JobStatus::Queued(_) | JobStatus::Running(_)) => {}
        }
    }
}

async fn connect(target: &ClusterTarget) -> Result<Scheduler> {
    let failed = |error: &dyn std::fmt::Display| {
        exec_datafusion_err!("cannot reach the scheduler {}: {error}", target.scheduler)
    };
    let mut endpoint = Endpoint::from_shared(format!("http://{}", target.scheduler)).map_err(|e| failed(&e))?;
    if let Some(endpoint_override) = target.config.ballista_override_create_grpc_client_endpoint() {
        endpoint = endpoint_override.configure_endpoint(endpoint).map_err(|e| failed(&e))?;
    }
    let channel = endpoint.connect().await.map_err(|e| failed(&e))?;
    Ok(Scheduler::new(channel)
        .max_decoding_message_size(LARGEST_MESSAGE as usize)
        .max_encoding_message_size(LARGEST_MESSAGE as usize))
}

fn refused(status: &Status) -> DataFusionError {
    exec_datafusion_err!("{}", status.message())
}

/// The rows of one partition of the result.
async fn fetch(
    location: PartitionLocation,
    config: SessionConfig,
) -> Result<impl Stream<Item = Result<RecordBatch>> + Send> {
    let layout = location.layout();
    let (Some(executor), Some(partition)) = (location.executor_meta, location.partition_id) else {
        return Err(internal_datafusion_err!("the scheduler does not say where a partition is"));
    };
    let port = u16::try_from(executor.port).map_err(|_| internal_datafusion_err!("{} is no port", executor.port))?;
    let endpoint_override = config.ballista_override_create_grpc_client_endpoint();
    let limit = LARGEST_MESSAGE as usize;
    let mut client =
        BallistaClient::try_new(&executor.host, port, limit, false, endpoint_override, RETRIES, PAUSE, 0, 0)
            .await
            .map_err(BallistaError::into_datafusion)?;
    let rows = client.fetch_partition(&executor.id, &partition.into(), location.file_id, layout, true).await;
    rows.map_err(BallistaError::into_datafusion)
}

/// A job that is cancelled when it is dropped before its end.
struct Job {
    scheduler: Scheduler,
    /// `None` once it has ended, or before it is known.
    id: Option<String>,
}

impl Drop for Job {
    fn drop(&mut self) {
        if let (Some(job_id), Ok(runtime)) = (self.id.take(), Handle::try_current()) {
            let mut scheduler = self.scheduler.clone();
            // Nobody is left to hear of a failure.
            runtime.spawn(async move { scheduler.cancel_job(CancelJobParams { job_id }).await });
        }
    }
}

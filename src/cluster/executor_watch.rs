//! Whether a cluster has executors: what a client asks while its query is under way, and what the scheduler says to that.
//!
//! Ballista keeps a query until an executor comes, without an end and without a word to whoever waits for it. So a client
//! asks in between, by the header of a call that costs nothing, and gives up when there was no executor for too long.
//! A scheduler that is stopped or cut off gives no answer, which counts as having none.

#[cfg(test)]
mod tests;

use std::time::{Duration, Instant};

use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use datafusion::common::{DataFusionError, exec_datafusion_err};
use tokio::time::{sleep, timeout};
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

/// The header of a call that is to fail when there is no executor.
const QUESTION: &str = "ocellus-needs-executor";
/// The code of that failure; Ballista's scheduler has no use for it.
const NO_EXECUTOR: Code = Code::ResourceExhausted;
/// Between two questions, unless a client waits for less.
const LOOK: Duration = Duration::from_secs(1);
const SHORTEST_LOOK: Duration = Duration::from_millis(50);

/// The scheduler's side: refuses a call that needs an executor when there is none.
pub(super) fn require_executor(call: Request<()>, has_executor: impl Fn() -> bool) -> Result<Request<()>, Status> {
    match call.metadata().contains_key(QUESTION) && !has_executor() {
        true => Err(Status::new(NO_EXECUTOR, "no executor works for this scheduler")),
        false => Ok(call),
    }
}

/// The client's side: returns when there was no executor for `wait`, and says so; otherwise never.
pub(super) async fn no_executor(
    scheduler: SchedulerGrpcClient<Channel>,
    address: &str,
    wait: Duration,
) -> DataFusionError {
    let mut last_seen = Instant::now();
    loop {
        sleep(wait.clamp(SHORTEST_LOOK, LOOK)).await;
        let rest = wait.saturating_sub(last_seen.elapsed()).max(LOOK);
        let what = match timeout(rest, ask(scheduler.clone())).await {
            Ok(Err(status)) if status.code() == NO_EXECUTOR => {
                format!(
                    "no executor has worked for the scheduler {address} for {wait:?}; start one with: ocellus cluster executor --scheduler {address}"
                )
            }
            Err(_) => format!("the scheduler {address} has not answered for {wait:?}; is it stopped or cut off?"),
            // Any other answer is one, too. A connection that broke ends the query itself.
            Ok(_) => {
                last_seen = Instant::now();
                continue;
            }
        };
        if last_seen.elapsed() >= wait {
            return exec_datafusion_err!("{what} (--cluster-wait sets how long a query or an import waits)");
        }
    }
}

async fn ask(mut scheduler: SchedulerGrpcClient<Channel>) -> Result<(), Status> {
    // About a job that nobody has: the cheapest call.
    let mut request = Request::new(GetJobStatusParams { job_id: String::new() });
    request.metadata_mut().insert(QUESTION, MetadataValue::from_static("1"));
    scheduler.get_job_status(request).await.map(|_| ())
}

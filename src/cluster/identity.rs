//! Which build of the program this is, and whether two parts of a cluster are the same one.
//!
//! Plans travel as bytes that only the same build reads for sure. So every call to the scheduler says in its
//! `user-agent` which build calls, and the scheduler refuses all others.

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::EndpointOverrideFn;
use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use tonic::transport::Endpoint;
use tonic::{Code, Request, Status};

use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::checksum_file;

const USER_AGENT: &str = "user-agent";
/// How long a caller waits for a scheduler to come up.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(200);

/// Version and content of a program, as one word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity(String);

impl Identity {
    /// That of this program.
    pub fn own() -> Result<Identity> {
        let program = std::env::current_exe()
            .map_err(|source| Error::Io { context: "cannot find the program itself".to_string(), source })?;
        Identity::of(&program)
    }

    /// That of the program in a file, if it has the version of this one.
    pub fn of(program: &Path) -> Result<Identity> {
        Ok(Identity(format!("ocellus/{}+{}", env!("CARGO_PKG_VERSION"), checksum_file(program)?)))
    }

    /// Makes connections name this build as their user agent.
    pub(super) fn endpoint_override(&self) -> EndpointOverrideFn {
        let agent = self.0.clone();
        Arc::new(move |endpoint: Endpoint| Ok(endpoint.user_agent(agent.clone())?))
    }

    /// Refuses a call of another build.
    pub(super) fn admit(&self, call: Request<()>) -> Result<Request<()>, Status> {
        let agent = call.metadata().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let caller = agent.split_whitespace().next().unwrap_or("a program without a name");
        if caller == self.0 {
            return Ok(call);
        }
        let message = format!(
            "the scheduler is {}, the caller is {caller}; all parts of a cluster must be the same program",
            self.0
        );
        Err(Status::failed_precondition(message))
    }
}

/// Connects to a scheduler, waiting a little for it to come up, and checks that it is the same build.
pub async fn check_same_build(scheduler: &str, identity: &Identity) -> Result<()> {
    let wrong =
        |error: &dyn std::fmt::Display| Error::Usage(format!("the scheduler {scheduler} is not HOST:PORT: {error}"));
    let endpoint = Endpoint::from_shared(format!("http://{scheduler}")).map_err(|e| wrong(&e))?;
    let endpoint = identity.endpoint_override()(endpoint).map_err(|e| wrong(&e))?.connect_timeout(PATIENCE);
    let connect = async {
        loop {
            match endpoint.connect().await {
                Ok(channel) => return channel,
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    };
    let Ok(channel) = tokio::time::timeout(PATIENCE, connect).await else {
        return Err(Error::query(format!(
            "no scheduler answers at {scheduler}; start one with: ocellus cluster scheduler --bind {scheduler}"
        )));
    };
    // Any call shows it: the one about a job that nobody has is the cheapest.
    let request = GetJobStatusParams { job_id: String::new() };
    match SchedulerGrpcClient::new(channel).get_job_status(request).await {
        Err(status) if status.code() == Code::FailedPrecondition => Err(Error::query(status.message().to_string())),
        Err(status) if matches!(status.code(), Code::Unimplemented | Code::Unavailable) => {
            Err(Error::query(format!("the server at {scheduler} is not a scheduler: {}", status.message())))
        }
        _ => Ok(()),
    }
}

//! Which build of the program this is, and whether two parts of a cluster are the same one.
//!
//! Plans travel as bytes that only the same build reads for sure. So every call says in its `user-agent` which build
//! calls, and all others are refused. Where a cluster has [`ClusterCredentials`], connections are encrypted and certified, and
//! the token is told there, too.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ballista_core::extension::EndpointOverrideFn;
use ballista_core::serde::protobuf::GetJobStatusParams;
use ballista_core::serde::protobuf::scheduler_grpc_client::SchedulerGrpcClient;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

use super::credentials::ClusterCredentials;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::checksum_file;

const USER_AGENT: &str = "user-agent";
/// Begins the word of a user agent that is the token.
const TOKEN: &str = "token/";
/// How long a caller waits for a connection.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(200);
/// As many connections that were taken and then broke are not chance.
const BROKEN_CONNECTIONS: usize = 5;
/// Between two signs of life on a quiet connection.
const KEEP_ALIVE: Duration = Duration::from_secs(30);

/// What a part of a cluster is.
#[derive(Debug, Clone)]
pub struct Identity {
    /// Version and content of the program, as one word.
    build: String,
    credentials: Option<Arc<ClusterCredentials>>,
}

impl Identity {
    /// That of this program, or of the library that it is part of, such as the one of the Python package.
    pub fn own() -> Result<Identity> {
        if let Some(library) = own_library() {
            return Identity::of(&library);
        }
        let program = std::env::current_exe()
            .map_err(|source| Error::Io { context: "cannot find the program itself".to_string(), source })?;
        Identity::of(&program)
    }

    /// That of the program in a file, if it has the version of this one.
    pub fn of(program: &Path) -> Result<Identity> {
        let build = format!("ocellus/{}+{}", env!("CARGO_PKG_VERSION"), checksum_file(program)?);
        Ok(Identity { build, credentials: None })
    }

    /// The same with the secrets of a cluster, if it has some.
    pub fn with_credentials(self, credentials: Option<ClusterCredentials>) -> Identity {
        Identity { credentials: credentials.map(Arc::new), ..self }
    }

    pub(super) fn credentials(&self) -> Option<&ClusterCredentials> {
        self.credentials.as_deref()
    }

    /// Makes connections name this build as their user agent; with credentials, over TLS and with the token.
    pub(super) fn endpoint_override(&self) -> EndpointOverrideFn {
        // The other end may be stopped or cut off: only a connection that is asked for signs of life then ends.
        let lively = |endpoint: Endpoint| {
            endpoint.connect_timeout(PATIENCE).tcp_nodelay(true).http2_keep_alive_interval(KEEP_ALIVE)
        };
        let Some(credentials) = self.credentials.clone() else {
            let agent = self.build.clone();
            return Arc::new(move |endpoint: Endpoint| Ok(lively(endpoint.user_agent(agent.clone())?)));
        };
        let agent = format!("{} {TOKEN}{}", self.build, credentials.token().text());
        Arc::new(move |endpoint: Endpoint| {
            let address = endpoint.uri().authority().ok_or("an address without a host")?;
            let endpoint = Endpoint::from_shared(format!("https://{address}"))?.user_agent(agent.clone())?;
            Ok(lively(endpoint).tls_config(credentials.client_tls())?)
        })
    }

    /// Refuses a call of another build, or without the token of the cluster.
    pub(super) fn admit(&self, call: Request<()>) -> Result<Request<()>, Status> {
        let agent = call.metadata().get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
        let mut words = agent.split_whitespace();
        let caller = words.next().unwrap_or("a program without a name");
        let token = words.find_map(|word| word.strip_prefix(TOKEN)).unwrap_or_default();
        if self.credentials().is_some_and(|credentials| !credentials.token().is(token.as_bytes())) {
            return Err(Status::unauthenticated("the caller does not have the token of this cluster"));
        }
        if caller == self.build {
            return Ok(call);
        }
        let message = format!(
            "the scheduler is {}, the caller is {caller}; all parts of a cluster must be the same program",
            self.build
        );
        Err(Status::failed_precondition(message))
    }
}

/// The shared library that this code was loaded from; `None` when it is part of the program itself.
#[cfg(unix)]
fn own_library() -> Option<PathBuf> {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;

    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    let here = own_library as *const libc::c_void;
    // SAFETY: dladdr looks an address up and fills the structure, in which all zeros are valid.
    let found = unsafe { (libc::dladdr(here, found.as_mut_ptr()) != 0).then(|| found.assume_init()) }?;
    if found.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the name belongs to the loader and stays as long as this code does.
    let name = unsafe { CStr::from_ptr(found.dli_fname) };
    let path = PathBuf::from(OsStr::from_bytes(name.to_bytes()));
    let is_library = path.extension().is_some_and(|extension| extension == "so" || extension == "dylib");
    is_library.then_some(path)
}

#[cfg(not(unix))]
fn own_library() -> Option<PathBuf> {
    None
}

/// Connects to a scheduler, waiting for it to come up, and checks that it is the same build, waiting for its answer.
///
/// A scheduler may go between the two: it is waited for again, unless connections that it takes break one after the
/// other, as those of strangers do.
pub(super) async fn check_same_build(
    scheduler: &str,
    identity: &Identity,
    connect_wait: Duration,
    answer_wait: Duration,
) -> Result<()> {
    let wrong =
        |error: &dyn std::fmt::Display| Error::Usage(format!("the scheduler {scheduler} is not HOST:PORT: {error}"));
    let endpoint = Endpoint::from_shared(format!("http://{scheduler}")).map_err(|e| wrong(&e))?;
    let endpoint = identity.endpoint_override()(endpoint).map_err(|e| wrong(&e))?.connect_timeout(PATIENCE);
    for _ in 0..BROKEN_CONNECTIONS {
        let Ok(channel) = tokio::time::timeout(connect_wait, connect(&endpoint)).await else {
            let credentials = match identity.credentials() {
                Some(_) => "; it must have the same credentials",
                None => "",
            };
            return Err(Error::query(format!(
                "no scheduler answers at {scheduler}{credentials}; start one with: ocellus cluster scheduler --bind {scheduler}"
            )));
        };
        // Any call shows it: the one about a job that nobody has is the cheapest.
        let request = GetJobStatusParams { job_id: String::new() };
        let mut client = SchedulerGrpcClient::new(channel);
        let Ok(answer) = tokio::time::timeout(answer_wait, client.get_job_status(request)).await else {
            return Err(Error::query(format!(
                "the scheduler {scheduler} has not answered for {answer_wait:?}; is it stopped or cut off?"
            )));
        };
        let Err(status) = answer else { return Ok(()) };
        match status.code() {
            Code::FailedPrecondition | Code::Unauthenticated => return Err(Error::query(status.message().to_string())),
            // Not an answer, but a connection that broke.
            _ if std::error::Error::source(&status).is_some() => tokio::time::sleep(PAUSE).await,
            Code::Unimplemented | Code::Unavailable => {
                return Err(Error::query(format!(
                    "the server at {scheduler} is not a scheduler: {}",
                    status.message()
                )));
            }
            _ => return Ok(()),
        }
    }
    Err(Error::query(format!(
        "every connection to {scheduler} broke; a cluster with credentials takes only who has them"
    )))
}

/// Tries until a connection is there.
async fn connect(endpoint: &Endpoint) -> Channel {
    loop {
        match endpoint.connect().await {
            Ok(channel) => return channel,
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

//! `ocellus cluster`: the scheduler and the executors of a cluster.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::arguments::{ClusterArguments, ClusterPart, ExecutorArguments, SchedulerArguments};
use super::outcome::Outcome;
use crate::shutdown::ShutdownSignal;
use ocellus_cluster::{
    ClusterCredentials, ExecutorEnd, ExecutorOptions, Identity, ReadScope, SchedulerOptions, run_executor,
    run_scheduler,
};
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

/// Runs the command.
pub async fn run(arguments: ClusterArguments) -> Result<Outcome> {
    match arguments.part {
        ClusterPart::Scheduler(arguments) => scheduler(arguments).await?,
        ClusterPart::Executor(arguments) => executor(arguments).await?,
    }
    Ok(Outcome::Done)
}

async fn scheduler(arguments: SchedulerArguments) -> Result<()> {
    let identity = identity(arguments.credentials.as_deref())?;
    let trust = Trust::of(arguments.insecure, arguments.credentials.is_some());
    let options =
        SchedulerOptions { bind: arguments.bind, host: reachable(arguments.bind.ip(), arguments.host, trust)? };
    let mut shutdown = ShutdownSignal::listen()?;
    let ready = |address| note(&format!("scheduler listens on {address}"));
    run_scheduler(options, identity, ready, async move { shutdown.requested().await }).await
}

async fn executor(arguments: ExecutorArguments) -> Result<()> {
    deepen_stacks()?;
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let identity = identity(arguments.credentials.as_deref())?;
    let is_limited = arguments.store_root.is_some() || !arguments.read.is_empty();
    let trust = Trust::of(arguments.insecure, arguments.credentials.is_some());
    if trust == Trust::Credentials && !arguments.bind.is_loopback() && !is_limited {
        return Err(Error::Usage(
            "say what others may read by this executor: --read DIR, which may be given several times, or --store-root DIR"
                .to_string(),
        ));
    }
    let options = ExecutorOptions {
        host: reachable(arguments.bind, arguments.host, trust)?,
        scheduler: arguments.scheduler,
        bind: arguments.bind,
        port: arguments.port.unwrap_or(0),
        concurrent_tasks: arguments.concurrent_tasks.map_or(cores, usize::from),
        work_folder: arguments.work_dir,
        memory_limit: arguments.memory_limit,
        scope: ReadScope::of(&readable(&arguments.read, arguments.store_root.as_ref(), arguments.bind))?,
        store_root: arguments.store_root,
        scheduler_wait: Duration::from_secs(arguments.scheduler_wait),
    };
    let scheduler = options.scheduler.clone();
    let mut shutdown = ShutdownSignal::listen()?;
    let ready = || note(&format!("executor works for {scheduler}"));
    match run_executor(options, identity, ready, async move { shutdown.requested().await }).await? {
        ExecutorEnd::Stopped => Ok(()),
        ExecutorEnd::Dismissed => {
            note(&format!("executor lost the scheduler {scheduler}, and starts again"));
            start_again(&[])
        }
    }
}

/// This program, with the secrets of a cluster if there is a folder with them.
pub(super) fn identity(credentials: Option<&Path>) -> Result<Identity> {
    let credentials = credentials.map(ClusterCredentials::read).transpose()?;
    Ok(Identity::own()?.with_credentials(credentials))
}

/// What an executor may read: the places that the user names, and the stores that it writes; on loopback everything
/// when the user names none.
fn readable(places: &[PathBuf], store_root: Option<&PathBuf>, address: IpAddr) -> Vec<PathBuf> {
    match places {
        [] if address.is_loopback() => vec![],
        places => places.iter().chain(store_root).cloned().collect(),
    }
}

/// Starts the program again with deep stacks for all threads: Ballista runs tasks on threads of its own, and only the
/// environment decides about those.
fn deepen_stacks() -> Result<()> {
    const STACK: &str = "RUST_MIN_STACK";
    match cfg!(unix) && std::env::var_os(STACK).is_none() {
        true => start_again(&[(STACK, super::runtime::WORKER_STACK.to_string())]),
        false => Ok(()),
    }
}

/// Starts the program again in this process, with the same arguments; returns only if that fails.
fn start_again(environment: &[(&str, String)]) -> Result<()> {
    let again = |program: PathBuf| {
        let mut command = std::process::Command::new(program);
        command.args(std::env::args_os().skip(1)).envs(environment.iter().map(|(name, value)| (name, value)));
        #[cfg(unix)]
        {
            std::os::unix::process::CommandExt::exec(&mut command)
        }
        #[cfg(not(unix))]
        {
            command.spawn().and_then(|mut child| child.wait()).err().unwrap_or(std::io::ErrorKind::Unsupported.into())
        }
    };
    let source = std::env::current_exe().map_or_else(|error| error, again);
    Err(Error::Io { context: "cannot start the program again".to_string(), source })
}

/// Why others may be let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    /// They may not: loopback only.
    Loopback,
    /// They have credentials.
    Credentials,
    /// The user trusts the network.
    Network,
}

impl Trust {
    fn of(insecure: bool, has_credentials: bool) -> Trust {
        match (insecure, has_credentials) {
            (_, true) => Trust::Credentials,
            (true, false) => Trust::Network,
            (false, false) => Trust::Loopback,
        }
    }
}

/// The name under which others reach what listens on an address.
fn reachable(address: IpAddr, host: Option<String>, trust: Trust) -> Result<String> {
    if !address.is_loopback() && trust == Trust::Loopback {
        return Err(Error::Usage(format!(
            "without credentials a cluster has no authentication: whoever reaches {address} can run queries and read every file \
             that executors can read; give all parts --credentials DIR, listen on 127.0.0.1, or add --insecure on a network \
             that you trust"
        )));
    }
    match host {
        Some(host) => Ok(host),
        None if address.is_unspecified() => Err(Error::Usage(format!(
            "{address} means every address of this machine; say with --host under which name the others reach it"
        ))),
        None => Ok(address.to_string()),
    }
}

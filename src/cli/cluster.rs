//! `ocellus cluster`: the scheduler and the executors of a cluster.

#[cfg(test)]
mod tests;

use std::net::IpAddr;
use std::num::NonZero;
use std::path::PathBuf;

use super::arguments::{ClusterArguments, ClusterPart, ExecutorArguments, SchedulerArguments};
use super::outcome::Outcome;
use crate::shutdown::ShutdownSignal;
use ocellus_cluster::{ExecutorOptions, Identity, ReadScope, SchedulerOptions, run_executor, run_scheduler};
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
    let options = SchedulerOptions {
        bind: arguments.bind,
        host: reachable(arguments.bind.ip(), arguments.host, trust(arguments.insecure))?,
    };
    let mut shutdown = ShutdownSignal::listen()?;
    let ready = |address| note(&format!("scheduler listens on {address}"));
    run_scheduler(options, Identity::own()?, ready, async move { shutdown.requested().await }).await
}

async fn executor(arguments: ExecutorArguments) -> Result<()> {
    deepen_stacks()?;
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let options = ExecutorOptions {
        host: reachable(arguments.bind, arguments.host, trust(arguments.insecure))?,
        scheduler: arguments.scheduler,
        bind: arguments.bind,
        port: arguments.port.unwrap_or(0),
        concurrent_tasks: arguments.concurrent_tasks.map_or(cores, usize::from),
        work_folder: arguments.work_dir,
        memory_limit: arguments.memory_limit,
        scope: ReadScope::of(&readable(&arguments.read, arguments.store_root.as_ref()))?,
        store_root: arguments.store_root,
    };
    let scheduler = options.scheduler.clone();
    run_executor(options, Identity::own()?, || note(&format!("executor works for {scheduler}"))).await
}

/// What an executor may read when the user names some places: these, and the stores that it writes.
fn readable(places: &[PathBuf], store_root: Option<&PathBuf>) -> Vec<PathBuf> {
    match places {
        [] => vec![],
        places => places.iter().chain(store_root).cloned().collect(),
    }
}

/// Starts the program again in this process, with deep stacks for all threads: Ballista runs tasks on threads of
/// its own, and only the environment decides about those.
#[cfg(unix)]
fn deepen_stacks() -> Result<()> {
    use std::os::unix::process::CommandExt;
    const STACK: &str = "RUST_MIN_STACK";
    if std::env::var_os(STACK).is_some() {
        return Ok(());
    }
    let again = |program: std::path::PathBuf| {
        let mut command = std::process::Command::new(program);
        command.args(std::env::args_os().skip(1)).env(STACK, super::runtime::WORKER_STACK.to_string()).exec()
    };
    let source = std::env::current_exe().map_or_else(|error| error, again);
    Err(Error::Io { context: "cannot start the program again".to_string(), source })
}

#[cfg(not(unix))]
fn deepen_stacks() -> Result<()> {
    Ok(())
}

/// Whether the user trusts the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trust {
    Loopback,
    Network,
}

fn trust(insecure: bool) -> Trust {
    if insecure { Trust::Network } else { Trust::Loopback }
}

/// The name under which others reach what listens on an address.
fn reachable(address: IpAddr, host: Option<String>, trust: Trust) -> Result<String> {
    if !address.is_loopback() && trust == Trust::Loopback {
        return Err(Error::Usage(format!(
            "a cluster has no authentication: whoever reaches {address} can run queries and read every file that executors \
             can read; listen on 127.0.0.1, or add --insecure on a network that you trust"
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

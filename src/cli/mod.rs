//! The command line: one definition feeds the parser, the help, the completions and the man pages.
//!
//! In: the arguments. Out: an exit code: 0 done, 1 the query or the trace was wrong, 2 the command
//! line was wrong. A reader that closes the pipe early is no error.

mod allocator;
mod arguments;
mod attach;
mod cache;
#[cfg(feature = "cluster")]
mod cluster;
mod dates;
mod draw;
mod dump;
mod export;
mod generate;
mod import;
mod info;
mod pages;
mod partial;
mod progress;
mod report;
#[cfg(feature = "server")]
mod serve;
mod sizes;
mod source;
mod sql;
mod store;
mod summary;
mod validate;

use std::io;
use std::num::NonZero;

use clap::Parser;
use tokio::runtime::{Builder, Handle};

pub use arguments::{Cli, CliCommand};

use crate::shell::note;
use ocellus_trace::error::{Error, Result};

/// Stack of a worker: plans of deep expressions recurse.
const WORKER_STACK: usize = 16 << 20;

/// How a command ended when nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// The command did its work and found faults, as `validate` does.
    FoundFaults,
}

/// Parses the arguments of the process, runs the command, prints what went wrong.
pub fn main() -> u8 {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version arrive here too; a closed pipe is no reason to complain.
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(2);
        }
    };
    match run(cli.command) {
        Ok(Outcome::Done) => 0,
        Ok(Outcome::FoundFaults) => 1,
        Err(error) if is_broken_pipe(&error) => 0,
        Err(error) => {
            note(&format!("error: {error}"));
            error.exit_code()
        }
    }
}

fn run(command: CliCommand) -> Result<Outcome> {
    match command {
        CliCommand::Sql(arguments) => block_on(|workers| sql::run(arguments, workers)),
        CliCommand::Export(arguments) => block_on(|workers| export::run(arguments, workers)),
        CliCommand::Draw(arguments) => block_on(|workers| draw::run(arguments, workers)),
        CliCommand::Report(arguments) => block_on(|workers| report::run(arguments, workers)),
        #[cfg(feature = "server")]
        CliCommand::Serve(arguments) => block_on_network(|workers| serve::run(arguments, workers)),
        CliCommand::Import(arguments) => import::run(&arguments),
        CliCommand::Dump(arguments) => dump::run(&arguments),
        CliCommand::Validate(arguments) => validate::run(&arguments),
        CliCommand::Info(arguments) => info::run(&arguments),
        CliCommand::Drop(arguments) => store::drop_trace(&arguments),
        CliCommand::Rename(arguments) => store::rename_trace(&arguments),
        CliCommand::Cache(arguments) => cache::run(&arguments),
        CliCommand::Attach(arguments) => attach::run(&arguments),
        #[cfg(feature = "cluster")]
        CliCommand::Cluster(arguments) => block_on(|workers| async move {
            let part = workers.spawn(cluster::run(arguments));
            part.await.map_err(|e| Error::Internal(format!("a part of the cluster panicked: {e}")))?
        }),
        CliCommand::Generate(arguments) => generate::run(&arguments),
        CliCommand::Completions(arguments) => pages::completions(&arguments),
        CliCommand::Man(arguments) => pages::man(&arguments),
    }
}

/// Runs work that hands queries to the workers.
///
/// The work itself runs on this thread with a runtime of its own, so that it hears Ctrl-C while every
/// worker is busy. There are twice as many workers as cores: a query that was stopped in the middle of
/// a long step leaves room for the next one.
fn block_on<F: Future<Output = Result<Outcome>>>(work: impl FnOnce(Handle) -> F) -> Result<Outcome> {
    block_on_front(Builder::new_current_thread(), work)
}

/// The same for work that talks to many clients: two threads are theirs.
#[cfg(feature = "server")]
fn block_on_network<F: Future<Output = Result<Outcome>>>(work: impl FnOnce(Handle) -> F) -> Result<Outcome> {
    let mut front = Builder::new_multi_thread();
    front.worker_threads(2).thread_stack_size(WORKER_STACK);
    block_on_front(front, work)
}

fn block_on_front<F: Future<Output = Result<Outcome>>>(
    mut front: Builder,
    work: impl FnOnce(Handle) -> F,
) -> Result<Outcome> {
    let failed = |source| Error::Io { context: "cannot start the threads".to_string(), source };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let workers = Builder::new_multi_thread()
        .enable_all()
        .worker_threads(2 * cores)
        .thread_stack_size(WORKER_STACK)
        .build()
        .map_err(failed)?;
    let front = front.enable_all().build().map_err(failed)?;
    let outcome = front.block_on(work(workers.handle().clone()));
    // A query that was stopped must not hold the program back.
    workers.shutdown_background();
    outcome
}

fn is_broken_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe)
}

/// Standard output for text that a command makes itself.
fn stdout() -> io::BufWriter<io::Stdout> {
    io::BufWriter::with_capacity(1 << 16, io::stdout())
}

/// Wraps a failed write to standard output.
fn stdout_failed(source: io::Error) -> Error {
    Error::Io { context: "cannot write to standard output".to_string(), source }
}

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
mod convert;
mod dates;
mod draw;
mod dump;
mod export;
mod generate;
mod import;
mod info;
#[cfg(feature = "server")]
mod mcp;
#[cfg(feature = "server")]
mod open;
mod outcome;
mod pages;
mod progress;
mod report;
mod runtime;
#[cfg(feature = "server")]
mod serve;
mod shared_threads;
mod sizes;
mod source;
mod sql;
mod sql_text;
mod stacks;
mod stdout;
mod store;
mod summary;
mod validate;

use std::ffi::OsString;

use clap::Parser;

use crate::shell::is_broken_pipe;
use arguments::{Cli, CliCommand};
use outcome::Outcome;
use runtime::block_on;
#[cfg(feature = "server")]
use runtime::block_on_network;

pub use crate::shell::with_excerpt;
pub use runtime::WORKER_STACK;
pub use sizes::parse_size;

use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

/// Runs the command that the arguments of the process name, prints what went wrong.
pub fn main() -> u8 {
    main_of(std::env::args_os())
}

/// The same with other arguments, of which the first is the name of the program.
pub fn main_of(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let cli = match Cli::try_parse_from(sql_text::protected(arguments)) {
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
        CliCommand::Open(arguments) => {
            let queries = ocellus_server::ServerLimits::default().queries;
            block_on_network(queries, |workers| open::run(arguments, workers))
        }
        #[cfg(feature = "server")]
        CliCommand::Serve(arguments) => {
            block_on_network(usize::from(arguments.queries), |workers| serve::run(arguments, workers))
        }
        #[cfg(feature = "server")]
        CliCommand::Mcp(arguments) => {
            block_on_network(usize::from(arguments.queries), |workers| mcp::run(arguments, workers))
        }
        CliCommand::Import(arguments) => import::run(&arguments),
        CliCommand::Dump(arguments) => dump::run(&arguments),
        CliCommand::Convert(arguments) => convert::run(&arguments),
        CliCommand::Validate(arguments) => validate::run(&arguments),
        CliCommand::Info(arguments) => info::run(&arguments),
        CliCommand::Drop(arguments) => store::drop_trace(&arguments),
        CliCommand::Rename(arguments) => store::rename_trace(&arguments),
        CliCommand::Cache(arguments) => cache::run(&arguments),
        CliCommand::Attach(arguments) => attach::run(&arguments),
        #[cfg(feature = "cluster")]
        CliCommand::Cluster(arguments) => block_on(|workers| async move {
            let member = workers.spawn(cluster::run(arguments));
            member.await.map_err(|e| Error::Internal(format!("a part of the cluster panicked: {e}")))?
        }),
        CliCommand::Generate(arguments) => generate::run(&arguments),
        CliCommand::Completions(arguments) => pages::completions(&arguments),
        CliCommand::Man(arguments) => pages::man(&arguments),
    }
}

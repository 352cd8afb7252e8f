//! `ocellus sql`: SQL from the command line, from files, from a pipe or from the shell.

use std::io;
use std::path::Path;

use tokio::runtime::Handle;

use super::arguments::SqlArguments;
use super::outcome::Outcome;
use super::source::open_with;
use crate::shell::{LoopControl, OutputTarget, ShellSession, ShellSettings, is_piped, run_pipe, run_terminal};
use ocellus_engine::Files;
use ocellus_render::formats::ResultFormat;
use ocellus_trace::error::Result;

/// Runs the command.
pub async fn run(arguments: SqlArguments, workers: Handle) -> Result<Outcome> {
    let engine = open_with(&arguments.source, arguments.reading, &arguments.engine, files_of(&arguments)).await?;
    #[cfg(feature = "cluster")]
    if let Some(scheduler) = &arguments.cluster {
        let identity = super::cluster::identity(arguments.cluster_credentials.as_deref())?;
        ocellus_cluster::attach(&engine, scheduler, &identity).await?;
    }
    let target = match &arguments.output {
        Some(path) => OutputTarget::file(path)?,
        None => OutputTarget::Stdout,
    };
    let settings = ShellSettings {
        format: format_of(&arguments),
        null: arguments.null.clone(),
        max_rows: arguments.max_rows,
        ..ShellSettings::default()
    };
    let mut session = ShellSession::new(workers, engine, settings, target);
    let texts = arguments.sql.iter().chain(&arguments.command);
    let mut has_run = false;
    for text in texts {
        has_run = true;
        if session.run_text(text).await? == LoopControl::Quit {
            return Ok(Outcome::Done);
        }
    }
    for path in &arguments.file {
        has_run = true;
        if run_file(&mut session, path).await? == LoopControl::Quit {
            return Ok(Outcome::Done);
        }
    }
    if !has_run {
        if is_piped() {
            run_pipe(&mut session, io::stdin().lock()).await?;
        } else {
            run_terminal(&mut session).await?;
        }
    }
    Ok(Outcome::Done)
}

async fn run_file(session: &mut ShellSession, path: &Path) -> Result<LoopControl> {
    if path == Path::new("-") {
        run_pipe(session, io::stdin().lock()).await?;
        return Ok(LoopControl::Continue);
    }
    session.run_file(path).await
}

/// Executors of a cluster do not see the files of whoever asks.
fn files_of(arguments: &SqlArguments) -> Files {
    #[cfg(feature = "cluster")]
    if arguments.cluster.is_some() {
        return Files::Hidden;
    }
    let _ = arguments;
    Files::Readable
}

fn format_of(arguments: &SqlArguments) -> ResultFormat {
    let by_name = || arguments.output.as_deref().and_then(ResultFormat::of_file);
    arguments.format.or_else(by_name).unwrap_or(ResultFormat::Box)
}

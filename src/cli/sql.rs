//! `ocellus sql`: SQL from the command line, from files, from a pipe or from the shell.

use std::io;
use std::path::Path;

use tokio::runtime::Handle;

use super::arguments::SqlArguments;
use super::outcome::Outcome;
use super::source::open_with;
use crate::shell::{LoopControl, OutputTarget, ShellSession, ShellSettings, is_piped, run_pipe, run_terminal};
use crate::shutdown::ShutdownSignal;
use ocellus_engine::Files;
use ocellus_render::formats::ResultFormat;
use ocellus_trace::error::{Error, Result};

/// Runs the command.
pub async fn run(arguments: SqlArguments, workers: Handle) -> Result<Outcome> {
    let engine = open_with(&arguments.source, arguments.reading, &arguments.engine, files_of(&arguments)).await?;
    #[cfg(feature = "cluster")]
    if let Some(scheduler) = &arguments.cluster {
        let identity = super::cluster::identity(arguments.cluster_credentials.as_deref())?;
        let wait = std::time::Duration::from_secs(arguments.cluster_wait);
        ocellus_cluster::attach(&engine, scheduler, &identity, wait).await?;
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
    if arguments.output.is_none() || reads_input(&arguments) {
        run_all(&mut session, &arguments).await?;
    } else {
        // A stopped script leaves nothing of its file. One that waits for its input ends at once, as others do.
        let mut shutdown = ShutdownSignal::listen()?;
        tokio::select! {
            ran = run_all(&mut session, &arguments) => ran?,
            () = shutdown.requested() => return Err(Error::Cancelled),
        }
    }
    session.finish()?;
    Ok(Outcome::Done)
}

/// Whether statements come from a pipe or a terminal.
fn reads_input(arguments: &SqlArguments) -> bool {
    let has_text = arguments.sql.is_some() || !arguments.command.is_empty() || !arguments.file.is_empty();
    !has_text || arguments.file.iter().any(|path| path == Path::new("-"))
}

async fn run_all(session: &mut ShellSession, arguments: &SqlArguments) -> Result<()> {
    let texts = arguments.sql.iter().chain(&arguments.command);
    let mut has_run = false;
    for text in texts {
        has_run = true;
        if session.run_text(text).await? == LoopControl::Quit {
            return Ok(());
        }
    }
    for path in &arguments.file {
        has_run = true;
        if run_file(session, path).await? == LoopControl::Quit {
            return Ok(());
        }
    }
    match has_run {
        true => Ok(()),
        false if is_piped() => run_pipe(session, io::stdin().lock()).await,
        false => run_terminal(session).await,
    }
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

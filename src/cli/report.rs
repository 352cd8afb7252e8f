//! `ocellus report`: tables and pictures of a trace become a folder with a page.
//!
//! The folder appears under its name when it is whole.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use tokio::runtime::Handle;

use super::arguments::ReportArguments;
use super::outcome::Outcome;
use super::partial::{partial_folder, publish_folder};
use super::source::open;
use ocellus_render::note;
use ocellus_render::report::{self, GENERATOR};
use ocellus_trace::error::{Error, Result};

/// Runs the command.
pub async fn run(arguments: ReportArguments, workers: Handle) -> Result<Outcome> {
    let target = &arguments.output;
    if target.exists() {
        check_replaceable(target, arguments.force)?;
    }
    let started = Instant::now();
    let engine = open(&arguments.source, arguments.reading, &arguments.engine).await?;
    let partial = partial_folder(target)?;
    let folder = partial.path().to_path_buf();
    let bar = ProgressBar::new_spinner();
    bar.enable_steady_tick(Duration::from_millis(200));
    let shown = bar.clone();
    let writing =
        workers.spawn(async move { report::write(&engine, &folder, |step| shown.set_message(step.to_string())).await });
    let written = tokio::select! {
        written = writing => written.map_err(|e| Error::Internal(format!("the report was not finished: {e}")))?,
        _ = tokio::signal::ctrl_c() => Err(Error::Cancelled),
    };
    bar.finish_and_clear();
    written?;
    publish_folder(partial, target)?;
    note(&format!("wrote {} in {:.2} s", target.join("index.html").display(), started.elapsed().as_secs_f64()));
    Ok(Outcome::Done)
}

/// Only a report is replaced by a report: a folder of anything else is somebody's work.
fn check_replaceable(target: &Path, force: bool) -> Result<()> {
    if !force {
        return Err(Error::Usage(format!("{} already exists; --force replaces it", target.display())));
    }
    let page = fs::read(target.join("index.html")).unwrap_or_default();
    let is_report = page.windows(GENERATOR.len()).any(|window| window == GENERATOR.as_bytes());
    let is_empty = fs::read_dir(target).is_ok_and(|mut entries| entries.next().is_none());
    if is_report || is_empty {
        return Ok(());
    }
    Err(Error::Usage(format!("{} is not a report and is not replaced; choose another folder", target.display())))
}

//! `ocellus import`: traces go into a store, a summary comes out.

use std::io::Write;
use std::path::Path;

use super::arguments::ImportArguments;
use super::outcome::Outcome;
use super::progress::ImportProgressBar;
#[cfg(feature = "cluster")]
use super::runtime::block_on;
use super::shared_threads;
use super::source::trace_source;
use super::stdout::{stdout, stdout_failed};
use super::store::report_warnings;
use super::summary::{write_diagnostics, write_trace};
#[cfg(feature = "cluster")]
use ocellus_cluster::{Report, import_traces};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::import::{self, ImportOptions, ImportSummary, OnConflict, Strictness, TraceSource};
use ocellus_trace::store::Store;

/// Name of a trace that came through standard input, when the user gives none.
const STDIN_NAME: &str = "stdin";

/// Runs the command.
pub fn run(arguments: &ImportArguments) -> Result<Outcome> {
    if arguments.traces.len() > 1 && arguments.name.is_some() {
        return Err(Error::Usage(format!(
            "--name is for one trace, and there are {}; without it the names come from the files",
            arguments.traces.len()
        )));
    }
    // Before the store is made: a slip in a file name should leave nothing behind.
    for path in arguments.traces.iter().filter(|path| trace_source(path) != TraceSource::Stdin) {
        std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    }
    let is_new = !arguments.store.exists();
    let store = Store::open_or_create(&arguments.store)?;
    let outcome = import_all(arguments, &store);
    report_warnings(&store);
    if outcome.is_err() && is_new {
        discard_empty(&store);
    }
    outcome
}

/// Removes the folder of a store that was made for traces of which none came.
fn discard_empty(store: &Store) {
    let is_empty = store.manifest().is_ok_and(|manifest| manifest.traces.is_empty());
    // A folder in it is an import by somebody else.
    let is_unused = std::fs::read_dir(store.root())
        .is_ok_and(|entries| entries.flatten().all(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())));
    if is_empty && is_unused {
        let _ = std::fs::remove_dir_all(store.root());
    }
}

fn import_all(arguments: &ImportArguments, store: &Store) -> Result<Outcome> {
    #[cfg(feature = "cluster")]
    if let Some(scheduler) = &arguments.cluster {
        return import_on_cluster(arguments, store, scheduler);
    }
    // The traces matter more than the summaries: nobody may be reading those any more.
    let mut told = Ok(());
    for path in &arguments.traces {
        let summary = import_one(arguments, store, path)?;
        told = told.and_then(|()| write_summary(&summary, path, store));
    }
    told.map(|()| Outcome::Done)
}

fn import_one(arguments: &ImportArguments, store: &Store, path: &Path) -> Result<ImportSummary> {
    shared_threads::start()?;
    let source = trace_source(path);
    let name = match (&arguments.name, &source) {
        (None, TraceSource::Stdin) => Some(STDIN_NAME.to_string()),
        (name, _) => name.clone(),
    };
    let bar = ImportProgressBar::new();
    let options = ImportOptions { name, progress: bar.clone(), ..options(arguments) };
    let summary = import::import(&source, store, &options);
    bar.finish();
    summary
}

fn options(arguments: &ImportArguments) -> ImportOptions {
    ImportOptions {
        name: arguments.name.clone(),
        strictness: if arguments.strict { Strictness::Stop } else { Strictness::GoOn },
        on_conflict: if arguments.replace { OnConflict::Replace } else { OnConflict::Refuse },
        ..arguments.reading.options()
    }
}

/// Lets executors import the traces side by side.
#[cfg(feature = "cluster")]
fn import_on_cluster(arguments: &ImportArguments, store: &Store, scheduler: &str) -> Result<Outcome> {
    if arguments.traces.iter().any(|path| trace_source(path) == TraceSource::Stdin) {
        return Err(Error::Usage("executors cannot read standard input; import it without --cluster".to_string()));
    }
    let identity = super::cluster::identity(arguments.cluster_credentials.as_deref())?;
    let options = options(arguments);
    let wait = std::time::Duration::from_secs(arguments.cluster_wait);
    let mut reports = vec![];
    let (collected, options) = (&mut reports, &options);
    block_on(|_workers| async move {
        *collected = import_traces(scheduler, &identity, wait, &arguments.traces, store.root(), options).await?;
        Ok(Outcome::Done)
    })?;
    let mut out = stdout();
    let mut failures = vec![];
    for Report { path, outcome, seconds } in reports {
        match outcome {
            Ok(trace) => writeln!(
                out,
                "imported {} as {} into {} in {seconds:.2} s",
                path.display(),
                trace.name,
                store.root().display()
            )
            .and_then(|()| write_trace(&mut out, &trace))
            .map_err(stdout_failed)?,
            Err(error) => failures.push(format!("{}: {error}", path.display())),
        }
    }
    out.flush().map_err(stdout_failed)?;
    match failures.is_empty() {
        true => Ok(Outcome::Done),
        false => Err(Error::Trace(failures.join("\nerror: "))),
    }
}

fn write_summary(summary: &ImportSummary, path: &Path, store: &Store) -> Result<()> {
    let mut out = stdout();
    writeln!(
        out,
        "imported {} as {} into {} in {:.2} s",
        path.display(),
        summary.trace.name,
        store.root().display(),
        summary.elapsed.as_secs_f64()
    )
    .and_then(|()| write_trace(&mut out, &summary.trace))
    .and_then(|()| write_diagnostics(&mut out, &summary.diagnostics))
    .and_then(|()| out.flush())
    .map_err(stdout_failed)
}

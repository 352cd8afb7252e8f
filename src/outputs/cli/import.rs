//! `ocellus import`: traces go into a store, a summary comes out.

use std::io::Write;
use std::path::Path;

use super::arguments::ImportArguments;
use super::progress::Bar;
use super::summary::{write_diagnostics, write_trace};
use super::source::trace_source;
use super::{Outcome, stdout, stdout_failed};
use crate::error::{Error, Result};
use crate::import::{self, ImportOptions, ImportSummary, OnConflict, Strictness, TraceSource};
use crate::writer::Store;

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
    let store = Store::open_or_create(&arguments.store)?;
    // The traces matter more than the summaries: nobody may be reading those any more.
    let mut told = Ok(());
    for path in &arguments.traces {
        let summary = import_one(arguments, &store, path)?;
        told = told.and_then(|()| write_summary(&summary, path, &store));
    }
    told.map(|()| Outcome::Done)
}

fn import_one(arguments: &ImportArguments, store: &Store, path: &Path) -> Result<ImportSummary> {
    let source = trace_source(path);
    let name = match (&arguments.name, &source) {
        (None, TraceSource::Stdin) => Some(STDIN_NAME.to_string()),
        (name, _) => name.clone(),
    };
    let bar = Bar::new();
    let options = ImportOptions {
        name,
        strictness: if arguments.strict { Strictness::Stop } else { Strictness::GoOn },
        on_conflict: if arguments.replace { OnConflict::Replace } else { OnConflict::Refuse },
        progress: bar.clone(),
        ..arguments.reading.options()
    };
    let summary = import::import(&source, store, &options);
    bar.finish();
    summary
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

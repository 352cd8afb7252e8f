//! Traces go into a store, or into the cache: on a thread of its own, while Python looks for Ctrl-C and shows a bar.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ocellus::error::{Error, Result};
use ocellus::import::{ImportOptions, OnConflict, Progress, Strictness, TraceSource, cache, import};
use ocellus::reader::{Collectives, TraceFormat};
use ocellus::store::Store;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tokio::sync::oneshot;

use crate::errors::{python_error, usage_error};
use crate::traces::described;
use crate::workers::{PATIENCE, workers};

/// How long a cancelled import has to clean up before Python goes on without it.
const GRACE: Duration = Duration::from_secs(5);
/// Between two reports of progress; the first one comes as soon as something is read.
const STEP: Duration = Duration::from_millis(200);

/// How traces are read, as the user said it.
#[derive(Debug, Clone, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub struct ReadingOptions {
    /// Name of the format.
    pub format: Option<String>,
    /// `s`, `ms`, `us` or `ns`.
    pub time_unit: Option<String>,
    /// `ms`, `us`, `ns`, `ps` or `fs`.
    pub resolution: Option<String>,
    /// `links` or `events`.
    pub collectives: Option<String>,
    /// Date of time 0, in milliseconds since 1970.
    pub origin_ms: Option<i64>,
}

impl ReadingOptions {
    /// The options of an import.
    pub fn parsed(&self) -> Result<ImportOptions> {
        let mut options = ImportOptions { origin_ms: self.origin_ms, ..ImportOptions::default() };
        options.format = self.format.as_deref().map(str::parse::<TraceFormat>).transpose().map_err(Error::Usage)?;
        options.time_unit = self.time_unit.as_deref().map(str::parse).transpose().map_err(Error::Usage)?;
        if let Some(text) = &self.resolution {
            options.resolution = text.parse().map_err(Error::Usage)?;
        }
        if let Some(text) = &self.collectives {
            let known = Collectives::ALL.into_iter().find(|way| way.name() == text);
            let wrong = || Error::Usage(format!("collectives must be links or events, got {text}"));
            options.collectives = known.ok_or_else(wrong)?;
        }
        Ok(options)
    }
}

/// How far an import is, and whether it shall stop.
#[derive(Debug, Default)]
struct ImportState {
    done: AtomicU64,
    /// 0 when it is not known.
    total: AtomicU64,
    is_cancelled: AtomicBool,
    notes: Mutex<Vec<String>>,
}

impl Progress for ImportState {
    fn advance(&self, done: u64, total: Option<u64>) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total.unwrap_or(0), Ordering::Relaxed);
    }

    fn note(&self, text: &str) {
        if let Ok(mut notes) = self.notes.lock() {
            notes.push(text.to_string());
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }
}

/// The store at a path, or the cached one of a trace or of several.
pub fn open_source(
    py: Python<'_>,
    paths: Vec<PathBuf>,
    reading: &ReadingOptions,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Store, Vec<String>)> {
    let options = reading.parsed().map_err(|error| python_error(py, error, None))?;
    watched(py, options, progress, move |options| open_store(&paths, options))
}

/// The store at a path, or the cached one of a trace or of several, which are imported first if they must be.
pub fn open_store(paths: &[PathBuf], options: &ImportOptions) -> Result<Store> {
    match paths {
        [path] if is_store(path, options.format.is_some())? => Store::open(path),
        paths => {
            if let Some(store) = paths.iter().find(|path| Store::is_store(path)) {
                let message =
                    format!("{} is a store, which is opened alone; several traces open together", store.display());
                return Err(Error::Usage(message));
            }
            cache::open_all(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>(), options)
        }
    }
}

/// Whether a path is a store and not a trace.
fn is_store(path: &Path, is_format_given: bool) -> Result<bool> {
    let metadata = std::fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    Ok(metadata.is_dir() && (Store::is_store(path) || !(is_format_given || TraceFormat::is_trace_folder(path))))
}

/// Imports a trace into a store, which is made when it is not there; describes the trace.
#[pyfunction]
#[pyo3(signature = (path, store, name, replace, strict, reading, progress))]
#[expect(clippy::too_many_arguments, reason = "they are the arguments of the Python function")]
pub fn import_trace<'py>(
    py: Python<'py>,
    path: PathBuf,
    store: PathBuf,
    name: Option<String>,
    replace: bool,
    strict: bool,
    reading: ReadingOptions,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<String>)> {
    let mut options = reading.parsed().map_err(|error| python_error(py, error, None))?;
    options.name = name;
    options.on_conflict = if replace { OnConflict::Replace } else { OnConflict::Refuse };
    options.strictness = if strict { Strictness::Stop } else { Strictness::GoOn };
    if !path.exists() {
        return Err(usage_error(py, format!("there is no trace {}", path.display())));
    }
    let imported = watched(py, options, progress.as_ref(), move |options| {
        let is_new = !store.exists();
        let opened = Store::open_or_create(&store)?;
        let summary = import(&TraceSource::Path(path), &opened, options);
        if summary.is_err() && is_new {
            // Made for a trace that did not come; a folder in it is an import by somebody else, and then it stays.
            discard_empty(&opened);
        }
        summary
    });
    let (summary, notes) = imported?;
    Ok((described(py, &summary.trace)?, notes))
}

/// Removes the folder of a store that is empty.
fn discard_empty(store: &Store) {
    let is_empty = store.manifest().is_ok_and(|manifest| manifest.traces.is_empty());
    let is_unused = std::fs::read_dir(store.root())
        .is_ok_and(|entries| entries.flatten().all(|entry| entry.file_type().is_ok_and(|kind| kind.is_file())));
    if is_empty && is_unused {
        let _ = std::fs::remove_dir_all(store.root());
    }
}

/// Runs an import on a thread of its own. Ctrl-C stops it, and the store stays as it was.
fn watched<T: Send + 'static>(
    py: Python<'_>,
    options: ImportOptions,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&ImportOptions) -> Result<T> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    let workers = workers(py)?;
    let state = Arc::new(ImportState::default());
    let options = ImportOptions { progress: Arc::<ImportState>::clone(&state) as Arc<dyn Progress>, ..options };
    let (sender, mut receiver) = oneshot::channel();
    std::thread::Builder::new().name("ocellus-import".to_string()).stack_size(ocellus::cli::WORKER_STACK).spawn(
        move || {
            let _ = sender.send(work(&options));
        },
    )?;
    let mut wait = |py: Python<'_>, time: Duration| {
        let receiver = &mut receiver;
        py.detach(|| workers.block_on(async { tokio::time::timeout(time, receiver).await }))
    };
    let mut reported: Option<Instant> = None;
    let outcome = loop {
        if let Ok(outcome) = wait(py, PATIENCE) {
            break outcome;
        }
        let mut interrupted = py.check_signals();
        let is_due = reported.is_none_or(|time| time.elapsed() >= STEP) && state.done.load(Ordering::Relaxed) > 0;
        if let Some(progress) = progress.filter(|_| interrupted.is_ok() && is_due) {
            reported = Some(Instant::now());
            interrupted = report(progress, &state);
        }
        if let Err(interrupt) = interrupted {
            state.is_cancelled.store(true, Ordering::Relaxed);
            // It removes what it has written so far.
            let _ = wait(py, GRACE);
            return Err(interrupt);
        }
    };
    let outcome = outcome.unwrap_or_else(|_| Err(Error::Internal("the import stopped without a result".to_string())));
    let notes = state.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default();
    outcome.map(|value| (value, notes)).map_err(|error| python_error(py, error, None))
}

fn report(progress: &Bound<'_, PyAny>, state: &ImportState) -> PyResult<()> {
    let total = Some(state.total.load(Ordering::Relaxed)).filter(|total| *total > 0);
    progress.call1((state.done.load(Ordering::Relaxed), total)).map(|_| ())
}

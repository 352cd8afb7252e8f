//! A store or a trace, as the user names it.

use std::fs;
use std::path::{Path, PathBuf};

use super::allocator::keep_freed_memory;
use super::arguments::{EngineArguments, TraceArguments};
use super::progress::ImportProgressBar;
use super::sizes::counted;
use ocellus_engine::remote;
use ocellus_engine::{Engine, EngineOptions, Files};
use ocellus_render::note;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::import::{ImportOptions, TraceSource, cache};
use ocellus_trace::reader::TraceFormat;
use ocellus_trace::store::Store;

/// Opens a store, or the cached store of a trace file.
pub fn open_store(path: &Path, reading: TraceArguments) -> Result<Store> {
    if path == Path::new("-") {
        return Err(Error::Usage(
            "standard input can be imported but not queried: ocellus import - --store DIR".to_string(),
        ));
    }
    if remote::url_of(path).is_some() {
        return Err(Error::Usage(format!("{} is in object storage, where stores are queried only", path.display())));
    }
    let metadata = fs::metadata(path).map_err(|e| Error::io("open", path, e))?;
    let is_trace = || reading.trace_format.is_some() || TraceFormat::is_trace_folder(path);
    if metadata.is_dir() && (Store::is_store(path) || !is_trace()) {
        return Store::open(path);
    }
    let bar = ImportProgressBar::new();
    let options = ImportOptions { progress: bar.clone(), ..reading.options() };
    let store = cache::open(path, &options);
    bar.finish();
    let store = store?;
    report_lost_lines(path, &store)?;
    Ok(store)
}

/// Opens a store, or one cached store of all traces.
#[cfg(feature = "server")]
pub fn open_stores(paths: &[PathBuf], reading: TraceArguments) -> Result<Store> {
    if let [path] = paths {
        return open_store(path, reading);
    }
    if let Some(store) = paths.iter().find(|path| Store::is_store(path)) {
        let store = store.display();
        return Err(Error::Usage(format!("{store} is a store, which is opened alone; several traces open together")));
    }
    let bar = ImportProgressBar::new();
    let options = ImportOptions { progress: bar.clone(), ..reading.options() };
    let store = cache::open_all(&paths.iter().map(PathBuf::as_path).collect::<Vec<_>>(), &options);
    bar.finish();
    let store = store?;
    for path in paths {
        report_lost_lines(path, &store)?;
    }
    Ok(store)
}

/// A user who asks a trace should know when parts of it are missing.
fn report_lost_lines(path: &Path, store: &Store) -> Result<()> {
    let lost: u64 = store.manifest()?.traces.iter().map(|trace| trace.count("lost_lines")).sum();
    if lost > 0 {
        note(&format!(
            "note: {} of {} could not be used; SELECT * FROM diagnostics shows why",
            counted(lost, "line"),
            path.display()
        ));
    }
    Ok(())
}

/// Opens the engine on what the user names: a store, a trace, or a store in object storage.
pub async fn open(source: &Path, reading: TraceArguments, arguments: &EngineArguments) -> Result<Engine> {
    open_with(source, reading, arguments, Files::Readable).await
}

/// The same, for queries that may or may not read other files.
pub async fn open_with(
    source: &Path,
    reading: TraceArguments,
    arguments: &EngineArguments,
    files: Files,
) -> Result<Engine> {
    let options = EngineOptions { files, ..engine_options(arguments) };
    // A limit says that memory is dear.
    if arguments.memory_limit.is_none() {
        keep_freed_memory();
    }
    match remote::url_of(source) {
        Some(url) => remote::open(url, &options).await,
        None => Engine::open(open_store(source, reading)?, options),
    }
}

fn engine_options(arguments: &EngineArguments) -> EngineOptions {
    EngineOptions {
        memory_limit: arguments.memory_limit,
        threads: arguments.threads.map(usize::from),
        trace: arguments.trace.clone(),
        ..EngineOptions::default()
    }
}

/// The source of a trace: a file, or `-` for standard input.
pub fn trace_source(path: &Path) -> TraceSource {
    if path == Path::new("-") { TraceSource::Stdin } else { TraceSource::Path(path.to_path_buf()) }
}

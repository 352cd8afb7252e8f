//! What the tests of the library share: the checkout, stores with traces, engines, and threads to run queries.

#![allow(dead_code, unused_imports, reason = "shared by several test binaries, of which each uses a part")]

mod checkout;

use std::path::Path;

use arrow::array::RecordBatch;
use ocellus_engine::{Engine, EngineOptions};
use ocellus_trace::import::{ImportOptions, TraceSource, import};
use ocellus_trace::store::Store;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

pub use checkout::{checkout, files, read, sample};

/// Threads for queries. Plans nest deeply: each gets a generous stack.
pub fn runtime() -> Runtime {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).thread_stack_size(16 << 20).enable_all().build().expect("a runtime")
}

pub fn block_on<T>(work: impl Future<Output = T>) -> T {
    runtime().block_on(work)
}

/// The rows of a query that must succeed.
pub fn rows_of(engine: &Engine, sql: &str) -> Vec<RecordBatch> {
    block_on(engine.sql(sql)).unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// Adds a trace to a store; returns its name there.
pub fn import_into(store: &Store, trace: &Path, options: &ImportOptions) -> String {
    let summary = import(&TraceSource::Path(trace.to_path_buf()), store, options);
    summary.unwrap_or_else(|error| panic!("{}: {error}", trace.display())).trace.name
}

/// An empty store in a folder of its own.
pub fn empty_store() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    (folder, store)
}

/// A store with one trace.
pub fn store_with(trace: &Path) -> (TempDir, Store) {
    let (folder, store) = empty_store();
    import_into(&store, trace, &ImportOptions::default());
    (folder, store)
}

/// An engine on a store with one trace.
pub fn engine_with(trace: &Path, options: EngineOptions) -> (TempDir, Engine) {
    let (folder, store) = store_with(trace);
    (folder, Engine::open(store, options).expect("an engine"))
}

/// Options with a number of threads.
pub fn threads(count: usize) -> EngineOptions {
    EngineOptions { threads: Some(count), ..EngineOptions::default() }
}

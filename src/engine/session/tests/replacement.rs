//! Traces that are replaced or dropped while sessions are open: each keeps what was there when it was opened.

use std::path::{Path, PathBuf};

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;

use crate::session::{Engine, EngineOptions};
use ocellus_trace::import::{ImportOptions, OnConflict, TraceSource, import};
use ocellus_trace::store::Store;

fn replace(store: &Store, trace: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces").join(trace);
    let options =
        ImportOptions { name: Some("swap".to_string()), on_conflict: OnConflict::Replace, ..ImportOptions::default() };
    import(&TraceSource::Path(path), store, &options).expect("an import");
}

async fn containers(engine: &Engine) -> i64 {
    let rows = engine.sql("SELECT count(*) AS n FROM swap.containers").await.expect("rows");
    rows[0].column(0).as_primitive::<Int64Type>().value(0)
}

#[tokio::test]
async fn a_session_reads_the_trace_that_was_there_when_it_was_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_or_create(folder.path()).expect("a store");
    let open = || Engine::open(store.clone(), EngineOptions::default()).expect("an engine");
    let mut engines = vec![];
    let mut expected = vec![];
    for trace in ["quickstart.trace", "paper.trace", "recursion.trace"] {
        replace(&store, trace);
        // Asked at once.
        expected.push(containers(&open()).await);
        engines.push(open());
    }
    assert!(expected[0] != expected[1] && expected[1] != expected[2], "{expected:?}");
    store.drop_trace("swap").expect("a trace to drop");
    // Asked for the first time after the trace was replaced, replaced again, and dropped.
    for (engine, expected) in engines.iter().zip(expected) {
        assert_eq!(containers(engine).await, expected);
    }
    // What nobody keeps any more goes with the next change.
    drop(engines);
    replace(&store, "paper.trace");
    let folders = std::fs::read_dir(folder.path()).expect("a folder").flatten();
    assert_eq!(folders.filter(|entry| entry.path().is_dir()).count(), 1);
}

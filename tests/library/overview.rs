//! The overview of generated traces: what was disturbed is found, and nothing else; limits hold.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Float64Type, Int64Type};
use ocellus::engine::{Engine, EngineOptions};
use ocellus::store::Store;
use ocellus::synth::{self, PerturbationOptions};
use tempfile::TempDir;

use crate::support::{block_on, store_with, threads};

const PROCESSES: u32 = 64;
const DISTURBED: u32 = 26;

/// A store with the trace `disturbed`: 64 processes, of which 26 are disturbed from 3.0 to 3.3 of 9 seconds.
fn store() -> (TempDir, Store) {
    let generated = tempfile::tempdir().expect("a temporary folder");
    let path = generated.path().join("disturbed.trace");
    let options = PerturbationOptions { processes: PROCESSES, disturbed: DISTURBED, seed: 1 };
    synth::perturbation(&options, &mut File::create(&path).expect("a file")).expect("a trace");
    store_with(&path)
}

fn run(engine: &Engine, sql: &str) -> Result<RecordBatch, String> {
    let batches = block_on(engine.sql(sql)).map_err(|error| error.to_string())?;
    let schema = batches.first().expect("a batch").schema();
    Ok(arrow::compute::concat_batches(&schema, &batches).expect("equal schemas"))
}

/// The intervals of slices that the areas of each container cover.
fn areas(batch: &RecordBatch) -> BTreeMap<String, BTreeSet<(i64, i64)>> {
    let column = |name: &str| batch.column_by_name(name).expect("a column");
    let (first, last) =
        (column("first_slice").as_primitive::<Int64Type>(), column("last_slice").as_primitive::<Int64Type>());
    let mut areas: BTreeMap<String, BTreeSet<(i64, i64)>> = BTreeMap::new();
    for row in 0..batch.num_rows() {
        let container = column("container").as_string_view().value(row).to_string();
        areas.entry(container).or_default().insert((first.value(row), last.value(row)));
    }
    areas
}

/// 30 slices of 0.3 s: the start is over after slice 4, its steps are slices 5 and 6, the disturbance is slice 10.
#[test]
fn a_perturbation_is_found_where_it_was_and_nowhere_else() {
    let (_folder, store) = store();
    let engine = Engine::open(store, EngineOptions::default()).expect("an engine");
    for settings in ["p => 0.2", "p => 0.01, measure => 'sum'"] {
        let batch =
            run(&engine, &format!("SELECT * FROM spatiotemporal_partition(slices => 30, {settings})")).expect("areas");
        let mut found = areas(&batch);
        assert_eq!(found.remove("cluster"), Some(BTreeSet::from([(0, 4), (5, 5), (6, 6)])), "{settings}");
        for process in 0..PROCESSES {
            let is_disturbed = (process * DISTURBED) % PROCESSES < DISTURBED;
            let expected = match is_disturbed {
                true => BTreeSet::from([(7, 9), (10, 10), (11, 29)]),
                false => BTreeSet::from([(7, 29)]),
            };
            assert_eq!(found.remove(&format!("process-{process}")), Some(expected), "{settings}");
        }
        assert!(found.is_empty(), "{settings}: {found:?}");
    }
    // By the order of cuts, pure initialisation is cut at every slice; the rest is the same.
    let batch = run(
        &engine,
        "SELECT * FROM spatiotemporal_partition(slices => 30, p => 0.2, ties => 'order') WHERE first_slice >= 7",
    )
    .expect("areas");
    assert_eq!(batch.num_rows() as u32, PROCESSES + 2 * DISTURBED);
}

/// Any number of threads and partitions gives the same bits.
#[test]
fn threads_change_nothing() {
    let (_folder, store) = store();
    let answer = |count: usize| {
        let engine = Engine::open(store.clone(), threads(count)).expect("an engine");
        let sql = "SELECT area, container_id, first_slice, last_slice, mode, proportion, gain, loss \
                   FROM spatiotemporal_partition(slices => 17, p => 0.3) ORDER BY area";
        run(&engine, sql).expect("areas")
    };
    let one = answer(1);
    assert_eq!(one, answer(2));
    assert_eq!(one, answer(5));
}

/// Too large for the memory: a message with the figure and the way out, and the way out works.
#[test]
fn what_does_not_fit_is_refused() {
    let (_folder, store) = store();
    let options = EngineOptions { memory_limit: Some(8 << 20), ..EngineOptions::default() };
    let engine = Engine::open(store, options).expect("an engine");
    // 64 processes, 8 machines and the cluster are 73 nodes. Each has two numbers for its 125,250 intervals and running sums
    // of 4 states and 2 totals at 501 places; each leaf has 4 · 500 proportions: 8 · (73 · 253,506 + 64 · 2,000) bytes.
    let error = run(&engine, "SELECT * FROM spatiotemporal_partition(slices => 500)").expect_err("too large");
    for part in
        ["64 leaves and 500 slices need 149.1 MB of memory, and 8.4 MB may be used", "fewer slices", "depth => N"]
    {
        assert!(error.contains(part), "{error}");
    }
    run(&engine, "SELECT * FROM spatiotemporal_partition(slices => 50)").expect("fewer slices");
    let batch =
        run(&engine, "SELECT sum(resources) AS n, sum(gain) FROM spatiotemporal_partition(slices => 50, depth => 0)")
            .expect("a depth");
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().value(0) % i64::from(PROCESSES), 0);
    assert!(batch.column(1).as_primitive::<Float64Type>().is_valid(0));
}

//! What a query says besides its rows, and that it stops when it is cancelled.

use arrow::array::RecordBatch;
use futures::TryStreamExt;
use ocellus_engine::{CancelFlag, Engine};

use crate::suite::engine_on;
use crate::support::block_on;

fn engine(traces: &[&str]) -> (tempfile::TempDir, Engine) {
    engine_on(&traces.iter().map(|name| format!("traces/{name}.trace")).collect::<Vec<_>>())
}

/// Runs a statement to its end: how many rows, and what is said.
fn notes(engine: &Engine, sql: &str) -> (usize, Vec<String>) {
    let statement = engine.split(sql).expect("a statement").remove(0);
    block_on(async {
        let result = engine.run(&statement).await.expect("a result");
        let rows: Vec<RecordBatch> = result.stream.try_collect().await.expect("rows");
        let rows = rows.iter().map(RecordBatch::num_rows).sum();
        (rows, result.notes.take(rows))
    })
}

#[test]
fn an_empty_result_says_what_the_trace_lacks() {
    let (_folder, engine) = engine(&["links", "quickstart"]);
    let said = |sql: &str| notes(&engine, sql);
    assert_eq!(said("SELECT * FROM variables"), (0, vec!["trace links has no variables".to_string()]));
    assert_eq!(said("SELECT * FROM flat_profile"), (0, vec!["trace links has no states".to_string()]));
    let both = vec!["trace links has no events".to_string(), "trace links has no states".to_string()];
    assert_eq!(said("SELECT * FROM events JOIN state_slices() AS s USING (container_id)"), (0, both));
    // Rows speak for themselves, and so does a condition that nothing fits.
    assert_eq!(said("SELECT count(*) FROM variables"), (1, vec![]));
    assert_eq!(said("SELECT * FROM quickstart.states WHERE value = 'nothing'"), (0, vec![]));
}

#[test]
fn run_diff_says_how_many_containers_matched() {
    let (_folder, engine) = engine(&["one_rank_per_host_again", "one_rank_per_host"]);
    let (rows, said) = notes(&engine, "SELECT value FROM run_diff('one_rank_per_host', by => 'name')");
    assert_eq!(rows, 12);
    assert_eq!(
        said,
        ["run_diff matched 6 containers by name; one_rank_per_host has 6 with states, one_rank_per_host_again has 6"]
    );
    let (_, said) = notes(&engine, "SELECT value FROM run_diff()");
    assert_eq!(said, ["run_diff compares one_rank_per_host_again with itself; name a baseline: run_diff('before')"]);
}

#[test]
fn a_cancelled_partition_stops() {
    let (_folder, engine) = engine(&["overview"]);
    for function in ["spatiotemporal_partition", "temporal_partition", "partition_levels", "partition_visual"] {
        // Operators may begin before anybody asks for rows, and end before they are cancelled: more slices take longer.
        let cancelled = [120, 240, 480, 960].into_iter().find_map(|slices| {
            let query = format!("SELECT count(*) FROM {function}(slices => {slices})");
            let statement = engine.split(&query).expect("a statement").remove(0);
            let cancel = CancelFlag::default();
            let rows: Result<Vec<RecordBatch>, _> = block_on(async {
                let result = engine.run_until(&statement, &cancel).await.expect("a result");
                cancel.cancel();
                result.stream.try_collect().await
            });
            rows.err().map(|error| engine.explain_failure(&error, &statement).to_string())
        });
        let error = cancelled.unwrap_or_else(|| panic!("{function} is never cancelled"));
        assert!(error.contains("the query was cancelled"), "{function}: {error}");
        assert_eq!(notes(&engine, &format!("SELECT count(*) FROM {function}(slices => 120)")).0, 1, "{function}");
    }
}

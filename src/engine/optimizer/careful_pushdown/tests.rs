//! Tests of `careful_pushdown`: statements whose rows DataFusion's own rules change.

use arrow::array::RecordBatch;

use crate::{Engine, EngineOptions};
use ocellus_trace::import::{ImportOptions, TraceSource, import};
use ocellus_trace::store::Store;

/// The sample has 24 states of four ranks.
fn engine() -> (tempfile::TempDir, Engine) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open_or_create(folder.path().join("store")).expect("a store");
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/quickstart.trace");
    import(&TraceSource::Path(sample), &store, &ImportOptions::default()).expect("imported");
    let engine = Engine::open(store, EngineOptions::default()).expect("an engine");
    (folder, engine)
}

async fn count(engine: &Engine, sql: &str) -> usize {
    let batches = engine.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[tokio::test]
async fn filters_on_constants_hold_above_aggregates() {
    let (_folder, engine) = engine();
    for (sql, rows) in [
        ("SELECT a FROM (SELECT 1 AS a, max(depth) AS m FROM states) t WHERE a > 3", 0),
        ("SELECT a FROM (SELECT 1 AS a, max(depth) AS m FROM states) t WHERE a < 3", 1),
        ("SELECT a FROM (SELECT 'run' AS a, max(depth) AS m FROM states) t WHERE a LIKE 'x%'", 0),
        (
            "SELECT x FROM (SELECT 2 AS x, CAST(NULL AS BOOLEAN) AS p FROM (SELECT max(depth) FROM states) s) q WHERE p",
            0,
        ),
        ("SELECT v FROM (SELECT depth AS v, 1 AS c FROM states GROUP BY ROLLUP (depth)) q WHERE c > 3", 0),
        ("SELECT count(*) FROM states HAVING 1 > 3", 0),
        ("SELECT depth FROM states GROUP BY depth HAVING 1 > 3 AND depth = 0", 0),
    ] {
        assert_eq!(count(&engine, sql).await, rows, "{sql}");
    }
}

#[tokio::test]
async fn filters_stay_on_their_side_of_an_outer_join() {
    let (_folder, engine) = engine();
    // Depths are 0 and 1, and containers with states have other numbers: t1 is always missing.
    let matched = "SELECT t2.value FROM states AS t1 RIGHT JOIN states AS t2 ON t1.container_id = t2.depth";
    let all = count(&engine, matched).await;
    assert_eq!(all, 24);
    for condition in [
        "length(t2.value) > 0 AND coalesce(t1.value, 'none') <> 'none'",
        "length(t2.value) > 0 AND CASE WHEN t1.value = 'k' THEN 'k' ELSE t1.value END <> 'x'",
        "t1.value > ''",
    ] {
        assert_eq!(count(&engine, &format!("{matched} WHERE {condition}")).await, 0, "{condition}");
    }
    assert_eq!(count(&engine, &format!("{matched} WHERE coalesce(t1.value, 'none') = 'none'")).await, all);
}

//! Queries that are cancelled in the middle of an operator, by both ways of running one, and how their plans look.

use arrow::array::AsArray;
use arrow::datatypes::Int64Type;
use datafusion::error::DataFusionError;
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;

use super::*;
use crate::session::{CancelFlag, QueryControl};

/// None of them waits for anything, and each would run for hours. The first two have no rows.
const ENDLESS: [&str; 4] = [
    "SELECT count(*) FROM range(0, 3000000) AS a JOIN range(0, 3000000) AS b ON a.value * b.value % 7 > 9",
    "SELECT count(*) FROM range(0, 3000000) AS a JOIN range(0, 3000000) AS b ON a.value % 2 = b.value % 2 AND a.value * b.value % 7 > 9",
    "SELECT a.value + b.value AS sum FROM range(0, 3000000) AS a CROSS JOIN range(0, 3000000) AS b",
    "EXPLAIN ANALYZE SELECT count(*) FROM range(0, 3000000) AS a JOIN range(0, 3000000) AS b ON a.value * b.value % 7 > 9",
];

#[derive(Debug, Clone, Copy)]
enum Way {
    Run,
    Read,
}

fn engine() -> Engine {
    HandMade::new()
        .trace("run")
        .engine(EngineOptions { threads: Some(2), ..EngineOptions::default() })
        .expect("an engine")
}

async fn started(engine: &Engine, sql: &str, way: Way, cancel: &CancelFlag) -> SendableRecordBatchStream {
    let statement = engine.split(sql).expect("SQL").remove(0);
    match way {
        Way::Run => engine.run_until(&statement, cancel).await.expect("a query").stream,
        Way::Read => {
            let plan = engine.plan(&statement).await.expect("a plan");
            let runtime = engine.context().runtime_env();
            engine.read(plan, runtime, QueryControl::cancelled_by(cancel)).await.expect("a query")
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_cancelled_query_stops_in_the_middle_of_an_operator() {
    let engine = engine();
    for sql in ENDLESS {
        for way in [Way::Run, Way::Read] {
            let cancel = CancelFlag::default();
            let mut stream = started(&engine, sql, way, &cancel).await;
            let reading = tokio::spawn(async move {
                while stream.try_next().await?.is_some() {}
                Ok::<(), DataFusionError>(())
            });
            // So that it has begun.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            assert!(!reading.is_finished(), "{way:?}: {sql}");
            cancel.cancel();
            let ended = reading.await.expect("no panic");
            assert!(ended.expect_err("it was cancelled").to_string().contains("cancelled"), "{way:?}: {sql}");
        }
    }
}

/// The operators of a plan as EXPLAIN writes them, without their arguments, in their order.
async fn operators(engine: &Engine, sql: &str, way: Way) -> Vec<String> {
    let stream = started(engine, sql, way, &CancelFlag::default()).await;
    let rows: Vec<RecordBatch> = stream.try_collect().await.expect("a plan");
    let text = arrow::util::pretty::pretty_format_batches(&rows).expect("text").to_string();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.ends_with("Exec"));
    words.map(str::to_string).collect()
}

#[tokio::test]
async fn what_stops_a_query_is_not_seen_in_its_plan() {
    let engine = engine();
    for query in [
        "SELECT count(*) FROM range(0, 100) AS a JOIN range(0, 100) AS b ON a.value * b.value % 7 > 3",
        "SELECT a.value % 3 AS part, count(*) FROM range(0, 100) AS a JOIN range(0, 50) AS b USING (value) GROUP BY part ORDER BY part",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT sum(n) FROM t",
    ] {
        let planned = operators(&engine, &format!("EXPLAIN FORMAT INDENT {query}"), Way::Run).await;
        assert!(planned.len() > 3, "{planned:?}");
        for way in [Way::Run, Way::Read] {
            let analyzed = operators(&engine, &format!("EXPLAIN ANALYZE {query}"), way).await;
            assert_eq!(analyzed, planned, "{way:?}: {query}");
        }
    }
}

#[tokio::test]
async fn recursive_queries_have_all_their_rounds_by_both_ways() {
    let engine = engine();
    let sql = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t JOIN range(0, 10) AS r ON t.n = r.value) SELECT sum(n) FROM t";
    for way in [Way::Run, Way::Read] {
        let stream = started(&engine, sql, way, &CancelFlag::default()).await;
        let rows: Vec<RecordBatch> = stream.try_collect().await.expect("rows");
        // 1 + 2 + … + 10
        assert_eq!(rows[0].column(0).as_primitive::<Int64Type>().value(0), 55, "{way:?}");
    }
}

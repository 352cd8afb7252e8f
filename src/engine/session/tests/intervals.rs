//! Joins of intervals through SQL, against the definition written out as a join of inequalities.

use datafusion::datasource::MemTable;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Runtime;

use super::*;

/// Key, label, start and end; each may be NULL but the label.
type Row = (Option<i32>, u32, Option<f64>, Option<f64>);

fn batch(rows: &[Row]) -> RecordBatch {
    let labels: Vec<String> = rows.iter().map(|row| format!("row {}", row.1)).collect();
    RecordBatch::try_from_iter_with_nullable([
        ("key", Arc::new(rows.iter().map(|row| row.0).collect::<Int32Array>()) as ArrayRef, true),
        ("label", Arc::new(StringArray::from(labels)) as ArrayRef, true),
        ("start_time", Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>()) as ArrayRef, true),
        ("end_time", Arc::new(rows.iter().map(|row| row.3).collect::<Float64Array>()) as ArrayRef, true),
    ])
    .expect("columns of equal length")
}

/// Makes a table of rows, dealt to partitions in pieces.
fn register(engine: &Engine, name: &str, rows: &[Row], partitions: usize, piece: usize) {
    let mut dealt = vec![vec![]; partitions];
    for (number, rows) in rows.chunks(piece).enumerate() {
        dealt[number % partitions].push(batch(rows));
    }
    let table = MemTable::try_new(batch(&[]).schema(), dealt).expect("a table");
    let context = engine.context();
    context.deregister_table(name).expect("no error");
    context.register_table(name, Arc::new(table)).expect("a table");
}

/// An empty store with one trace.
fn empty_engine(options: EngineOptions) -> (HandMade, Engine) {
    let mut store = HandMade::new();
    store.trace("empty");
    let engine = store.engine(options).expect("an engine");
    (store, engine)
}

const OVERLAP: &str = "
    l.start_time <= l.end_time AND r.start_time <= r.end_time
    AND NOT isnan(l.start_time) AND NOT isnan(l.end_time) AND NOT isnan(r.start_time) AND NOT isnan(r.end_time)
    AND CASE
        WHEN l.start_time = l.end_time AND r.start_time = r.end_time THEN l.start_time = r.start_time
        WHEN l.start_time = l.end_time THEN r.start_time <= l.start_time AND l.start_time < r.end_time
        WHEN r.start_time = r.end_time THEN l.start_time <= r.start_time AND r.start_time < l.end_time
        ELSE l.start_time < r.end_time AND r.start_time < l.end_time
    END";

/// The same question twice: to our function, and to a join of inequalities.
fn questions(kind: &str, by: &str) -> (String, String) {
    let equal = if by.is_empty() { "TRUE" } else { "l.key = r.key" };
    let shown = match kind {
        "anti" => "key, label",
        _ if by.is_empty() => "key, label, key_right, label_right, overlap_start, overlap_end",
        _ => "key, label, label_right, overlap_start, overlap_end",
    };
    let ours = format!("SELECT {shown} FROM interval_join(l, r, by => '{by}', kind => '{kind}')");
    let partner = "greatest(l.start_time, r.start_time) AS overlap_start, least(l.end_time, r.end_time) AS overlap_end";
    let pairs = format!(
        "SELECT l.key, l.label, {} r.label AS label_right, {partner} FROM l JOIN r ON {equal} AND {OVERLAP}",
        if by.is_empty() { "r.key AS key_right," } else { "" },
    );
    let lonely = format!("SELECT l.key, l.label FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE {equal} AND {OVERLAP})");
    let oracle = match kind {
        "inner" => pairs,
        "anti" => lonely,
        _ => format!(
            "{pairs} UNION ALL SELECT key, label, {} NULL, NULL, NULL FROM ({lonely})",
            if by.is_empty() { "NULL," } else { "" }
        ),
    };
    (ours, oracle)
}

async fn sorted_rows(engine: &Engine, sql: &str) -> Vec<String> {
    let mut rows = rows(engine, sql).await;
    rows.sort();
    rows
}

fn bound() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        20 => (0..16_i32).prop_map(|half| Some(f64::from(half) / 2.0)),
        1 => Just(None),
        1 => Just(Some(f64::NAN)),
        1 => Just(Some(f64::INFINITY)),
    ]
}

fn table() -> impl Strategy<Value = Vec<Row>> {
    let key = prop_oneof![9 => (0..3_i32).prop_map(Some), 1 => Just(None)];
    let row = (key, bound(), bound(), 0..4_u8).prop_map(|(key, one, other, form)| match (one, other) {
        (Some(a), Some(_)) if form == 0 => (key, Some(a), Some(a)),
        (Some(a), Some(b)) if form < 3 => (key, Some(a.min(b)), Some(a.max(b))),
        _ => (key, one, other),
    });
    prop::collection::vec(row, 0..40)
        .prop_map(|rows| (0..).zip(rows).map(|(label, (key, start, end))| (key, label, start, end)).collect())
}

#[test]
fn joins_find_what_inequalities_find() {
    let runtime = Runtime::new().expect("a runtime");
    let engines: Vec<(HandMade, Engine)> =
        [1, 3].map(|threads| empty_engine(EngineOptions { threads: Some(threads), ..EngineOptions::default() })).into();
    let cases = (table(), table(), 1..3_usize, 1..9_usize, prop_oneof![Just(2_usize), Just(7), Just(8192)]);
    let mut runner = TestRunner::new(Config { cases: 24, failure_persistence: None, ..Config::default() });
    let outcome = runner.run(&cases, |(left, right, partitions, piece, batch_size)| {
        for (_, engine) in &engines {
            register(engine, "l", &left, partitions, piece);
            register(engine, "r", &right, 3 - partitions, piece);
            for by in ["key", ""] {
                for kind in ["inner", "left", "anti"] {
                    let (ours, oracle) = questions(kind, by);
                    let expected = runtime.block_on(sorted_rows(engine, &oracle));
                    for prefer_hash_join in [true, false] {
                        let settings = format!(
                            "SET datafusion.execution.batch_size = {batch_size};
                             SET datafusion.optimizer.prefer_hash_join = {prefer_hash_join}"
                        );
                        runtime.block_on(engine.sql(&settings)).expect("settings");
                        let given = runtime.block_on(sorted_rows(engine, &ours));
                        prop_assert_eq!(&given, &expected, "{} with prefer_hash_join {}", ours, prefer_hash_join);
                    }
                }
            }
        }
        Ok(())
    });
    outcome.unwrap_or_else(|failure| panic!("{failure}"));
}

/// Rows of `keys` containers, each busy with short states one after the other.
fn many(rows: u32, keys: u32) -> Vec<Row> {
    let row = |number: u32| {
        let start = f64::from(number / keys);
        (Some((number % keys) as i32), number, Some(start), Some(start + 1.5))
    };
    (0..rows).map(row).collect()
}

#[tokio::test]
async fn sides_that_do_not_fit_are_swept() {
    let options = EngineOptions { memory_limit: Some(6 << 20), threads: Some(2), ..EngineOptions::default() };
    let (_store, engine) = empty_engine(options);
    engine.sql("SET datafusion.execution.sort_spill_reservation_bytes = 100000").await.expect("a setting");
    register(&engine, "l", &many(60_000, 10), 2, 5000);
    register(&engine, "r", &many(60_000, 10), 2, 5000);
    // Each row meets its own, the one before and the one after; the first and the last of a key one less.
    let expected = [(3 * 60_000 - 2 * 10).to_string()];
    let query = "SELECT count(*) FROM interval_join(l, r, by => 'key')";
    let plan = rows(&engine, &format!("EXPLAIN {query}")).await.join("\n");
    assert!(plan.contains("IntervalSweepExec: kind=inner, by=[key]"), "{plan}");
    assert_eq!(rows(&engine, query).await, expected);
}

#[tokio::test]
async fn an_index_beyond_the_limit_says_what_to_do() {
    let (_store, engine) = empty_engine(EngineOptions { memory_limit: Some(2 << 20), ..EngineOptions::default() });
    register(&engine, "l", &many(10, 1), 1, 10);
    let query = "SELECT count(*) FROM interval_join(l, (SELECT unnest(range(1, 200000)) AS t), by => '',
        right_start => 't', right_end => 't')";
    let message = failure(&engine, query).await;
    let words = "interval_join: one side needs";
    assert!(message.contains(words) && message.contains("prefer_hash_join = false"), "{message}");
}

#[tokio::test]
async fn plans_are_pruned_and_filtered_below_the_join() {
    let mut store = HandMade::new();
    let rows_of_states = [("run", 0, 10, 0), ("wait", 10, 20, 0)];
    store.trace("t").table("states", &[], vec![with_cuts(states(&rows_of_states), &[false, false])], 10);
    let engine = store.engine(EngineOptions::default()).expect("an engine");
    let query = "EXPLAIN SELECT value_right, overlap_end - overlap_start AS seconds FROM interval_join(states, states)
        WHERE value = 'run' AND container_id = 0 AND start_time_right < 1e-9";
    let plan = rows(&engine, query).await.join("\n");
    assert!(plan.contains("IntervalJoinExec: kind=inner, by=[container_id]"), "{plan}");
    // Left is filtered by value, right by time, both by container; neither shows more than it must.
    for words in [
        "Filter: t.states.container_id = Int32(0) AND t.states.value = Utf8View(\"run\")",
        "Filter: t.states.container_id = Int32(0) AND t.states.start_tick < Int64(1)",
        "projection=[container_id, value, start_tick, end_tick]",
        "by=[container_id], index=right, projection=[value, overlap_end, overlap_start]",
    ] {
        assert!(plan.contains(words), "{words} is not in\n{plan}");
    }
}

#[tokio::test]
async fn joins_written_by_hand_are_replaced_too() {
    let (_store, engine) = empty_engine(EngineOptions { threads: Some(2), ..EngineOptions::default() });
    register(&engine, "l", &many(50, 5), 2, 7);
    register(&engine, "r", &many(50, 5), 2, 7);
    let test = "intervals_overlap(l.start_time, l.end_time, r.start_time, r.end_time)";
    let turned = "intervals_overlap(r.start_time, r.end_time, l.start_time, l.end_time)";
    for (query, count, operator) in [
        // Each of the 50 rows meets itself and its neighbors in time: 3 * 50 - 2 * 5 pairs.
        (format!("FROM l JOIN r ON l.key = r.key AND {test}"), 140, "IntervalJoinExec: kind=inner"),
        (format!("FROM l, r WHERE l.key = r.key AND {turned}"), 140, "IntervalJoinExec: kind=inner"),
        // Without keys, five times as many.
        (format!("FROM l JOIN r ON {test}"), 700, "IntervalJoinExec: kind=inner, by=[]"),
        // Beside the overlap: those that start later.
        (
            format!("FROM l JOIN r ON l.key = r.key AND {test} AND l.start_time < r.start_time"),
            45,
            "FilterExec: start_time",
        ),
        (format!("FROM l JOIN r ON l.key = r.key + 1 AND {test}"), 112, "IntervalJoinExec: kind=inner"),
        (format!("FROM l LEFT JOIN r ON l.key = r.key + 1 AND {test}"), 122, "IntervalJoinExec: kind=left"),
        (format!("FROM l RIGHT JOIN r ON l.key = r.key + 1 AND {test}"), 122, "IntervalJoinExec: kind=right"),
        (
            format!("FROM l WHERE EXISTS (SELECT 1 FROM r WHERE l.key = r.key + 1 AND {test})"),
            40,
            "IntervalJoinExec: kind=semi",
        ),
        (
            format!("FROM l WHERE NOT EXISTS (SELECT 1 FROM r WHERE l.key = r.key + 1 AND {test})"),
            10,
            "IntervalJoinExec: kind=anti",
        ),
        // Kinds that stay as they are.
        (format!("FROM l FULL JOIN r ON l.key = r.key + 1 AND {test}"), 132, "HashJoinExec"),
        (format!("FROM l LEFT JOIN r ON l.key = r.key AND {test} AND l.start_time < r.start_time"), 50, "HashJoinExec"),
    ] {
        let plan = rows(&engine, &format!("EXPLAIN SELECT * {query}")).await.join("\n");
        assert!(plan.contains(operator), "{query}: {plan}");
        let found = rows(&engine, &format!("SELECT count(*) {query}")).await;
        assert_eq!(found, [count.to_string()], "{query}");
    }
}

#[tokio::test]
async fn lengths_do_not_depend_on_partitions() {
    let (_store, engine) = empty_engine(EngineOptions { threads: Some(3), ..EngineOptions::default() });
    let row = |number: u32| {
        let start = f64::from(number * 7919 % 1000) / 7.0;
        (Some((number % 3) as i32), number, Some(start), Some(start + f64::from(number % 11) / 3.0))
    };
    let all: Vec<Row> = (0..600).map(row).collect();
    let mut answers = vec![];
    for (partitions, piece, by) in [(1, 600, "key"), (3, 5, "key"), (2, 1, "key"), (1, 600, ""), (3, 4, "")] {
        register(&engine, "l", &all[..300], partitions, piece);
        register(&engine, "r", &all[300..], partitions, piece);
        let found = rows(&engine, &format!("SELECT * FROM overlap_seconds(l, r, by => '{by}') ORDER BY 1")).await;
        answers.push((by, found));
    }
    for (by, answer) in &answers {
        let first = answers.iter().find(|(other, _)| other == by).expect("itself at least");
        assert_eq!(answer, &first.1);
    }
}

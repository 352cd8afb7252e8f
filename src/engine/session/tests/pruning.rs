//! Filters on seconds read only the row groups of those seconds.

use super::*;

const GROUPS: i64 = 20;
const ROWS_PER_GROUP: i64 = 100;
const STEP: i64 = 10_000_000;

/// 2000 states of 10 ms, one after the other: row group g holds the second g.
fn long_trace() -> HandMade {
    let rows: Vec<(&str, i64, i64, i32)> =
        (0..GROUPS * ROWS_PER_GROUP).map(|row| ("run", row * STEP, (row + 1) * STEP, 0)).collect();
    let cuts = vec![false; rows.len()];
    let mut store = HandMade::new();
    store.trace("long").table("states", &[], vec![with_cuts(states(&rows), &cuts)], ROWS_PER_GROUP as usize);
    store.traces[0].end_tick = Some(GROUPS * ROWS_PER_GROUP * STEP);
    store
}

/// How many row groups the statistics left to be read.
async fn matched_groups(engine: &Engine, query: &str) -> u64 {
    let plan = rows(engine, &format!("EXPLAIN ANALYZE {query}")).await.join("\n");
    let (_, metric) = plan.split_once("row_groups_pruned_statistics=").unwrap_or_else(|| panic!("no metric: {plan}"));
    let (_, matched) = metric.split_once("→ ").unwrap_or_else(|| panic!("no arrow: {metric}"));
    let digits: String = matched.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or_else(|_| panic!("no number: {matched}"))
}

async fn assert_reads(filter: &str, expected_rows: i64, expected_groups: u64) {
    let store = long_trace();
    let engine = store.engine(EngineOptions { threads: Some(1), ..EngineOptions::default() }).expect("an engine");
    for table in ["states", "state_segments", "all_traces.states"] {
        let query = format!("SELECT value, start_time FROM {table} WHERE {filter}");
        let count = rows(&engine, &format!("SELECT count(value) FROM {table} WHERE {filter}")).await;
        assert_eq!(count, [expected_rows.to_string()], "{query}");
        assert_eq!(matched_groups(&engine, &query).await, expected_groups, "{query}");
    }
}

#[tokio::test]
async fn one_bound() {
    assert_reads("start_time < 1", 100, 1).await;
    assert_reads("18.995 < start_time", 100, 1).await;
}

#[tokio::test]
async fn two_bounds() {
    assert_reads("start_time >= 3 AND start_time < 5", 200, 2).await;
    assert_reads("start_time > 2.99 AND start_time <= 4.99", 200, 2).await;
}

#[tokio::test]
async fn between() {
    assert_reads("start_time BETWEEN 3 AND 4.99", 200, 2).await;
}

#[tokio::test]
async fn equality_and_lists() {
    assert_reads("start_time = 7.77", 1, 1).await;
    assert_reads("start_time IN (0.5, 1.5, 2.5, 19.99, 100)", 4, 4).await;
}

#[tokio::test]
async fn two_columns_and_other_conditions() {
    // The states that cover an instant, as events_at asks for them.
    assert_reads("start_time <= 6.5 AND end_time > 6.5 AND value = 'run'", 1, 1).await;
    assert_reads("NOT (start_time < 18 OR start_time >= 19)", 100, 1).await;
}

#[tokio::test]
async fn the_filter_of_an_outer_query_reaches_the_scan() {
    let store = long_trace();
    let engine = store.engine(EngineOptions { threads: Some(1), ..EngineOptions::default() }).expect("an engine");
    let query = "SELECT sum(d) FROM (SELECT duration AS d, start_time AS t FROM states) WHERE t >= 3 AND t < 5";
    assert_eq!(matched_groups(&engine, query).await, 2);
    let query = "SELECT * FROM events_at(6.5)";
    assert_eq!(matched_groups(&engine, query).await, 1);
    let query = "SELECT * FROM concurrency(start => 3.5, stop => 4.5)";
    assert_eq!(matched_groups(&engine, query).await, 2);
    let query = "SELECT * FROM timeline(start => 3.5, stop => 4.5, width => 100)";
    assert_eq!(matched_groups(&engine, query).await, 2);
    // Without ticks, seconds serve.
    let seconds = "SELECT container_id, type, value, start_time, end_time FROM states";
    let query = format!("SELECT * FROM timeline(({seconds}), start => 3.5, stop => 4.5, width => 100)");
    assert_eq!(matched_groups(&engine, &query).await, 2);
}

#[tokio::test]
async fn seconds_do_not_appear_in_translated_filters() {
    let store = long_trace();
    let engine = store.engine(EngineOptions::default()).expect("an engine");
    let plan =
        rows(&engine, "EXPLAIN SELECT value FROM states WHERE start_time >= 3 AND start_time < 5").await.join("\n");
    assert!(!plan.contains("tick_seconds"), "{plan}");
    assert!(plan.contains("start_tick >= Int64(3000000000)"), "{plan}");
}

/// The same, by dates: the trace does not tell its origin, so that it is 1970.
#[tokio::test]
async fn dates() {
    let store = long_trace();
    let engine = store.engine(EngineOptions { threads: Some(1), ..EngineOptions::default() }).expect("an engine");
    let from = "'1970-01-01T00:00:03Z'";
    let to = "'1970-01-01T00:00:05Z'";
    for filter in [
        format!("started_at >= {from} AND started_at < {to}"),
        format!("started_at BETWEEN {from} AND '1970-01-01T00:00:04.99Z'"),
        format!("started_at >= TIMESTAMP {from} AND started_at < {to}::timestamptz"),
        format!("started_at >= to_timestamp({from}) AND started_at < to_timestamp_millis(5000)"),
    ] {
        for table in ["dated_states", "dated(states)", "dated((SELECT * FROM state_segments))"] {
            let query = format!("SELECT value, started_at FROM {table} WHERE {filter}");
            let count = rows(&engine, &format!("SELECT count(value) FROM {table} WHERE {filter}")).await;
            assert_eq!(count, ["200"], "{query}");
            assert_eq!(matched_groups(&engine, &query).await, 2, "{query}");
        }
    }
}

//! The functions of slices against plain SQL that works each slice out by itself, on random rows, for any
//! split into partitions and batches; and under a limit of memory.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow::util::display::array_value_to_string;
use datafusion::datasource::MemTable;
use ocellus::engine::{Engine, EngineOptions};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{self, block_on};

/// An engine on a trace that lasts from 0 to 12.
fn engine(options: EngineOptions) -> (TempDir, Engine) {
    support::engine_with(&support::sample("edges.trace"), options)
}

/// Rows as text, numbers rounded to a billionth, sorted.
fn rows(engine: &Engine, sql: &str) -> Vec<String> {
    texts(&support::rows_of(engine, sql))
}

fn texts(batches: &[RecordBatch]) -> Vec<String> {
    let mut rows = vec![];
    for batch in batches {
        for row in 0..batch.num_rows() {
            let cells = batch.columns().iter().map(|column| {
                let text = array_value_to_string(column, row).expect("a value");
                match text.parse::<f64>() {
                    Ok(number) => format!("{:.9}", (number * 1e9).round() / 1e9 + 0.0),
                    Err(_) => text,
                }
            });
            rows.push(cells.collect::<Vec<_>>().join("|"));
        }
    }
    rows.sort();
    rows
}

/// A row of every kind at once. Times are quarters of a second, so that they are exact.
#[derive(Debug, Clone)]
struct Row {
    container: Option<i32>,
    partner: Option<i32>,
    kind: Option<&'static str>,
    value: Option<&'static str>,
    start: Option<i32>,
    length: i32,
    amount: Option<i32>,
}

fn some_rows() -> impl Strategy<Value = Vec<Row>> {
    let kinds = prop::sample::select(vec![None, Some("short"), Some("a name that is longer than a view")]);
    let values = prop::sample::select(vec![None, Some("run"), Some("wait"), Some("a value of more than twelve bytes")]);
    let length = prop_oneof![Just(0), 0..8, 0..60, Just(-3)];
    let container =
        prop_oneof![20 => (0..4).prop_map(Some), 1 => prop::sample::select(vec![None, Some(-7), Some(i32::MAX)])];
    let row = (
        (container, prop::option::of(0..4), kinds),
        (values, prop::option::weighted(0.95, -20..60_i32), length, prop::option::weighted(0.9, -50..50_i32)),
    );
    let row = row.prop_map(|((container, partner, kind), (value, start, length, amount))| Row {
        container,
        partner,
        kind,
        value,
        start,
        length,
        amount,
    });
    prop::collection::vec(row, 0..60)
}

/// A window in quarters of a second, slices, and how the rows and the work are split.
#[derive(Debug, Clone)]
struct Split {
    start: i32,
    stop: i32,
    slices: u32,
    batch: usize,
    partitions: usize,
    threads: usize,
    batch_size: usize,
}

fn splits() -> impl Strategy<Value = Split> {
    let window = prop_oneof![(-10..30_i32, 1..40_i32), Just((0, 48)), Just((8, 40)), Just((100, 20))];
    let slices = prop::sample::select(vec![1, 2, 3, 4, 7, 16, 33]);
    (window, slices, 1..30_usize, 1..4_usize, 1..4_usize, prop::sample::select(vec![1, 3, 8192])).prop_map(
        |((start, length), slices, batch, partitions, threads, batch_size)| Split {
            start,
            stop: start + length,
            slices,
            batch,
            partitions,
            threads,
            batch_size,
        },
    )
}

fn batch(rows: &[Row]) -> RecordBatch {
    let integers = |of: fn(&Row) -> Option<i32>| Arc::new(rows.iter().map(of).collect::<Int32Array>()) as ArrayRef;
    let quarters = |of: fn(&Row) -> Option<i32>| {
        Arc::new(rows.iter().map(|row| of(row).map(|quarters| f64::from(quarters) / 4.0)).collect::<Float64Array>())
            as ArrayRef
    };
    let texts =
        |of: fn(&Row) -> Option<&'static str>| Arc::new(rows.iter().map(of).collect::<StringArray>()) as ArrayRef;
    RecordBatch::try_from_iter_with_nullable(vec![
        ("container_id", integers(|row| row.container), true),
        ("source_id", integers(|row| row.container), true),
        ("target_id", integers(|row| row.partner), true),
        ("type", texts(|row| row.kind), true),
        ("value", texts(|row| row.value), true),
        ("start_time", quarters(|row| row.start), true),
        // Where the start is unknown, the end may be known.
        ("end_time", quarters(|row| (row.length != 5).then(|| row.start.unwrap_or(3) + row.length)), true),
        ("time", quarters(|row| row.start), true),
        ("amount", quarters(|row| row.amount), true),
    ])
    .expect("columns of equal length")
}

fn register(engine: &Engine, rows: &[Row], split: &Split) {
    let mut partitions = vec![vec![]; split.partitions];
    for (number, rows) in rows.chunks(split.batch).enumerate() {
        partitions[number % split.partitions].push(batch(rows));
    }
    let table = MemTable::try_new(batch(&[]).schema(), partitions).expect("a table");
    let context = engine.context();
    context.deregister_table("rows").expect("no error");
    context.register_table("rows", Arc::new(table)).expect("a table");
    for (option, value) in [("target_partitions", split.threads), ("batch_size", split.batch_size)] {
        block_on(engine.sql(&format!("SET datafusion.execution.{option} = {value}"))).expect("an option");
    }
}

/// The slices of a window, in plain SQL.
fn slices(split: &Split) -> String {
    let (start, length) = (f64::from(split.start) / 4.0, f64::from(split.stop - split.start) / 4.0);
    let n = split.slices;
    format!(
        "(SELECT value AS slice, {start:?} + value * {length:?} / {n} AS low, {start:?} + (value + 1) * {length:?} / {n} AS high, \
         value + 1 = {n} AND {stop:?} >= 12 AS is_last FROM generate_series(0, {n} - 1)) AS s",
        stop = start + length
    )
}

fn arguments(split: &Split) -> String {
    let (start, stop) = (f64::from(split.start) / 4.0, f64::from(split.stop) / 4.0);
    format!("slices => {}, start => {start}, stop => {stop}", split.slices)
}

fn check(engine: &Engine, given: &str, expected: &str) {
    assert_eq!(rows(engine, given), rows(engine, expected), "{given}\nagainst\n{expected}");
}

fn check_states(engine: &Engine, split: &Split) {
    let given = format!(
        "SELECT slice, slice_start, slice_end, container_id, type, value, seconds FROM state_slices(rows, {})",
        arguments(split)
    );
    let expected = format!(
        "SELECT slice, low, high, container_id, type, value, sum(overlap(start_time, end_time, low, high)) AS seconds
         FROM rows CROSS JOIN {} GROUP BY slice, low, high, container_id, type, value
         HAVING sum(overlap(start_time, end_time, low, high)) > 0",
        slices(split)
    );
    check(engine, &given, &expected);
    // Filled: every slice of what occurs.
    let given = format!(
        "SELECT slice, container_id, type, value, seconds FROM state_slices(rows, {}, fill => true)",
        arguments(split)
    );
    let (start, stop) = (f64::from(split.start) / 4.0, f64::from(split.stop) / 4.0);
    let expected = format!(
        "SELECT slice, container_id, type, value, sum(overlap(start_time, end_time, low, high)) AS seconds
         FROM rows CROSS JOIN {} WHERE start_time <= end_time AND end_time > {start} AND start_time < {stop}
         GROUP BY slice, container_id, type, value",
        slices(split)
    );
    check(engine, &given, &expected);
}

fn check_variables(engine: &Engine, split: &Split) {
    let given = format!(
        "SELECT slice, container_id, type, integral, minimum, maximum, covered
         FROM variable_slices((SELECT container_id, type, amount AS value, start_time, end_time FROM rows), {})",
        arguments(split)
    );
    let expected = format!(
        "SELECT slice, container_id, type, sum(shared * amount), min(amount), max(amount), sum(shared)
         FROM (SELECT *, overlap(start_time, end_time, low, high) AS shared FROM rows CROSS JOIN {}) AS t
         WHERE shared > 0 AND amount IS NOT NULL GROUP BY slice, container_id, type",
        slices(split)
    );
    check(engine, &given, &expected);
}

fn check_events(engine: &Engine, split: &Split) {
    let given =
        format!("SELECT slice, container_id, type, value, events FROM event_slices(rows, {})", arguments(split));
    let expected = format!(
        "SELECT slice, container_id, type, value, count(*) FROM rows CROSS JOIN {}
         WHERE time >= low AND (time < high OR is_last AND time = high) GROUP BY slice, container_id, type, value",
        slices(split)
    );
    check(engine, &given, &expected);
}

fn check_links(engine: &Engine, split: &Split, boundary: &str) {
    let given = format!(
        "SELECT slice, container_id, role, type, links, seconds, volume, weighted, throughput, partners
         FROM link_slices((SELECT *, amount AS volume FROM rows), {}, boundary => '{boundary}')",
        arguments(split)
    );
    let starts = "start_time >= low AND (start_time < high OR is_last AND start_time = high AND end_time = high)";
    let counts = match boundary {
        "inside" => format!("{starts} AND end_time <= high AND start_time <= end_time"),
        _ => format!("overlap(start_time, end_time, low, high) > 0 OR start_time = end_time AND {starts}"),
    };
    let expected = format!(
        "WITH ends AS (SELECT *, source_id AS id, target_id AS partner, 'origin' AS role FROM rows
                       UNION ALL SELECT *, target_id AS id, source_id AS partner, 'destination' AS role FROM rows),
              parts AS (SELECT *, overlap(start_time, end_time, low, high) AS shared, end_time - start_time AS duration
                        FROM ends CROSS JOIN {} WHERE {counts})
         SELECT slice, id, role, type, count(*), sum(shared),
                coalesce(sum(CASE WHEN duration > 0 THEN amount * shared / duration ELSE amount END), 0),
                coalesce(sum(amount * shared), 0) / max(high - low),
                coalesce(sum(CASE WHEN duration > 0 THEN amount / duration END), 0), count(DISTINCT partner)
         FROM parts GROUP BY slice, id, role, type",
        slices(split)
    );
    check(engine, &given, &expected);
}

fn check_lists(engine: &Engine, split: &Split) {
    let (start, stop, n) = (f64::from(split.start) / 4.0, f64::from(split.stop) / 4.0, split.slices);
    let given = format!(
        "SELECT container_id, seconds[value + 1], integral[value + 1], events[value + 1] FROM (
           SELECT container_id, slice_seconds(start_time, end_time, {start}, {stop}, {n}) AS seconds,
                  slice_integral(start_time, end_time, amount, {start}, {stop}, {n}) AS integral,
                  slice_events(time, {start}, {stop}, {n}) AS events
           FROM rows GROUP BY container_id) AS t, generate_series(0, {n} - 1)"
    );
    let expected = format!(
        "SELECT container_id, coalesce(sum(overlap(start_time, end_time, low, high)), 0),
                coalesce(sum(amount * overlap(start_time, end_time, low, high)), 0),
                sum(CASE WHEN time >= low AND time < high THEN 1 ELSE 0 END)
         FROM rows CROSS JOIN {} GROUP BY container_id, slice",
        slices(split)
    );
    check(engine, &given, &expected);
}

#[test]
fn slices_equal_plain_sql() {
    let (_folder, unlimited) = engine(EngineOptions::default());
    // A limit that is never met: what may go to disk is planned in another way.
    let (_other_folder, limited) = engine(EngineOptions { memory_limit: Some(4 << 30), ..EngineOptions::default() });
    for (engine, is_merged) in [(&unlimited, true), (&limited, false)] {
        let plan = rows(engine, "EXPLAIN SELECT * FROM state_slices(slices => 3)").concat();
        assert!(plan.contains("DenseGroupByExec"), "{plan}");
        assert_eq!(plan.contains("DenseGroupMergeExec"), is_merged, "{plan}");
    }
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(80)
    });
    runner
        .run(&(some_rows(), splits(), any::<bool>()), |(rows, split, is_limited)| {
            let engine = if is_limited { &limited } else { &unlimited };
            register(engine, &rows, &split);
            check_states(engine, &split);
            check_variables(engine, &split);
            check_events(engine, &split);
            check_links(engine, &split, "inside");
            check_links(engine, &split, "clip");
            check_lists(engine, &split);
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn slices_can_be_asked_for_again_and_again_in_one_query() {
    let (_folder, engine) = engine(EngineOptions { threads: Some(2), ..EngineOptions::default() });
    let slices = "(SELECT count(*) AS cells FROM state_slices(slices => 10)) AS s";
    let again = format!(
        "WITH RECURSIVE rounds(round, cells) AS (
           SELECT CAST(1 AS BIGINT), cells FROM {slices}
           UNION ALL SELECT round + 1, s.cells FROM rounds CROSS JOIN {slices} WHERE round < 4)
         SELECT * FROM rounds"
    );
    assert!(rows(&engine, &format!("EXPLAIN {again}")).concat().contains("DenseGroupMergeExec"));
    let once = rows(&engine, &format!("SELECT * FROM {slices}")).concat();
    assert_ne!(once, "0.000000000");
    check(&engine, &again, &format!("SELECT value, s.cells FROM generate_series(1, 4) CROSS JOIN {slices}"));
}

/// Many containers, with columns for every function: container i is in a state for 50 seconds from i modulo 97 on,
/// has a value of 2 there, and a link to the next one.
fn many_containers(count: u32) -> String {
    format!(
        "(SELECT CAST(i AS INT) AS container_id, 'container ' || i AS container, i AS source_id, i % {count} + 1 AS target_id,
                 2.0 AS value, i % 97 AS time, i % 97 AS start_time, i % 97 + 50 AS end_time
          FROM generate_series(1, {count}) AS numbers(i))"
    )
}

/// Runs a query under several limits of memory: it gives the same as without, or says what it lacks.
fn check_under_limits(function: &str, sum: &str, slices: u32, count: u32, total: u32) {
    let query = format!(
        "SELECT count(*), sum({sum}), count(DISTINCT container_id), count(DISTINCT container)
         FROM {function}({}, slices => {slices}, start => 0, stop => 200)",
        many_containers(count)
    );
    let (_folder, unlimited) = engine(EngineOptions { threads: Some(2), ..EngineOptions::default() });
    let expected = rows(&unlimited, &query);
    assert!(expected[0].contains(&format!("|{total}.000000000|{count}.000000000")), "{function}: {expected:?}");
    for megabytes in [1, 8, 24] {
        let options =
            EngineOptions { threads: Some(2), memory_limit: Some(megabytes << 20), ..EngineOptions::default() };
        let (_folder, limited) = engine(options);
        match block_on(limited.sql(&query)) {
            Ok(batches) => assert_eq!(texts(&batches), expected, "{function}, {megabytes} MB"),
            Err(error) => {
                let error = error.to_string().to_lowercase();
                assert!(error.contains("memory") || error.contains("resources"), "{function}, {megabytes} MB: {error}");
            }
        }
    }
}

#[test]
fn little_memory_is_enough_or_is_told() {
    check_under_limits("state_slices", "seconds", 50, 60_000, 60_000 * 50);
    check_under_limits("variable_slices", "integral", 50, 10_000, 10_000 * 2 * 50);
    check_under_limits("event_slices", "events", 50, 20_000, 20_000);
    // In one slice, every link lies inside, and counts at both ends.
    check_under_limits("link_slices", "links", 1, 20_000, 2 * 20_000);
}

//! The filters of Pajé against plain SQL that looks at each instant by itself, on random rows of several traces,
//! for any split into partitions and batches.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, RecordBatch, StringArray};
use arrow::util::display::array_value_to_string;
use datafusion::datasource::MemTable;
use ocellus::engine::{Engine, EngineOptions};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::support;

/// An engine on a trace that lasts from 0 to 12, and threads to run it.
struct Bench {
    _folder: TempDir,
    engine: Engine,
    runtime: Runtime,
}

impl Bench {
    fn new() -> Bench {
        let (folder, engine) = support::engine_with(&support::sample("short_lived.trace"), EngineOptions::default());
        Bench { _folder: folder, engine, runtime: support::runtime() }
    }

    /// Rows as text, numbers rounded to a billionth, sorted.
    fn rows(&self, sql: &str) -> Vec<String> {
        let batches = self.runtime.block_on(self.engine.sql(sql)).unwrap_or_else(|e| panic!("{sql}: {e}"));
        let mut rows = vec![];
        for batch in &batches {
            for row in 0..batch.num_rows() {
                let cells = batch.columns().iter().map(|column| {
                    let text = array_value_to_string(column, row).expect("a value");
                    text.parse::<f64>().map_or(text, |number| format!("{:.9}", (number * 1e9).round() / 1e9 + 0.0))
                });
                rows.push(cells.collect::<Vec<_>>().join("|"));
            }
        }
        rows.sort();
        rows
    }

    fn check(&self, given: &str, expected: &str) {
        assert_eq!(self.rows(given), self.rows(expected), "{given}\nagainst\n{expected}");
    }

    /// Makes the table `rows`, dealt to partitions in pieces.
    fn register(&self, rows: &[Row], split: &Split) {
        let mut partitions = vec![vec![]; split.partitions];
        for (number, piece) in rows.chunks(split.piece).enumerate() {
            partitions[number % split.partitions].push(batch(piece, number * split.piece));
        }
        let table = MemTable::try_new(batch(&[], 0).schema(), partitions).expect("a table");
        let context = self.engine.context();
        context.deregister_table("rows").expect("no error");
        context.register_table("rows", Arc::new(table)).expect("a table");
        self.rows(&format!("SET datafusion.execution.target_partitions = {}", split.threads));
        self.rows(&format!("SET datafusion.execution.batch_size = {}", split.batch_size));
    }
}

/// A state; times are quarters of a second, so that they are exact.
#[derive(Debug, Clone)]
struct Row {
    trace: Option<&'static str>,
    container: i32,
    kind: Option<&'static str>,
    value: Option<&'static str>,
    start: Option<i32>,
    length: i32,
}

fn some_rows() -> impl Strategy<Value = Vec<Row>> {
    let traces = prop::sample::select(vec![None, Some("one"), Some("other")]);
    let kinds = prop::sample::select(vec![None, Some("short"), Some("a name that is longer than a view")]);
    let values = prop::sample::select(vec![None, Some("run"), Some("wait"), Some("a value of more than twelve bytes")]);
    let length = prop_oneof![Just(0), 0..8, 0..60, Just(-3)];
    let row = (traces, 0..5, kinds, values, prop::option::weighted(0.95, -20..60_i32), length).prop_map(
        |(trace, container, kind, value, start, length)| Row { trace, container, kind, value, start, length },
    );
    prop::collection::vec(row, 0..60)
}

/// How the rows and the work are split.
#[derive(Debug, Clone)]
struct Split {
    piece: usize,
    partitions: usize,
    threads: usize,
    batch_size: usize,
}

fn splits() -> impl Strategy<Value = Split> {
    (1..30_usize, 1..4_usize, 1..4_usize, prop::sample::select(vec![1, 3, 8192]))
        .prop_map(|(piece, partitions, threads, batch_size)| Split { piece, partitions, threads, batch_size })
}

/// A window in seconds, on quarters; before, in, around and behind the trace.
fn windows() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![(-10..30_i32, 1..40_i32), Just((0, 48)), Just((8, 40)), Just((100, 20))]
        .prop_map(|(start, length)| (f64::from(start) / 4.0, f64::from(start + length) / 4.0))
}

fn batch(rows: &[Row], first: usize) -> RecordBatch {
    let integers = |numbers: Vec<i32>| Arc::new(Int32Array::from(numbers)) as ArrayRef;
    let texts =
        |of: fn(&Row) -> Option<&'static str>| Arc::new(rows.iter().map(of).collect::<StringArray>()) as ArrayRef;
    let quarters = |of: fn(&Row) -> Option<i32>| {
        Arc::new(rows.iter().map(|row| of(row).map(|quarters| f64::from(quarters) / 4.0)).collect::<Float64Array>())
            as ArrayRef
    };
    RecordBatch::try_from_iter_with_nullable([
        ("row", integers((first as i32..).take(rows.len()).collect()), true),
        ("trace", texts(|row| row.trace), true),
        ("container_id", integers(rows.iter().map(|row| row.container).collect()), true),
        ("type", texts(|row| row.kind), true),
        ("value", texts(|row| row.value), true),
        ("start_time", quarters(|row| row.start), true),
        ("end_time", quarters(|row| row.start.map(|start| start + row.length)), true),
    ])
    .expect("columns of equal length")
}

/// Every quarter of a second that a row can cover.
const QUARTERS: &str = "(SELECT value / 4.0 AS at FROM generate_series(-100, 200)) AS quarters";

/// Whether two rows, a and b, agree in some columns.
fn same(columns: &[&str]) -> String {
    let equal = columns.iter().map(|column| format!("(a.{column} IS NOT DISTINCT FROM b.{column})"));
    equal.collect::<Vec<_>>().join(" AND ")
}

/// How many are active in each quarter; and no two intervals that touch are as many.
fn check_concurrency(bench: &Bench, window: Option<(f64, f64)>) {
    let arguments = window.map_or(String::new(), |(start, stop)| format!(", start => {start}, stop => {stop}"));
    let (low, high) = window.unwrap_or((-100.0, 100.0));
    let call =
        format!("concurrency((SELECT trace, container_id, type, value, start_time, end_time FROM rows){arguments})");
    let given = format!(
        "SELECT trace, type, value, active, at FROM {call} AS c JOIN {QUARTERS} ON c.start_time <= at AND at < c.end_time"
    );
    let expected = format!(
        "SELECT trace, type, value, count(DISTINCT container_id), at
         FROM rows JOIN {QUARTERS} ON start_time <= at AND at < end_time AND at >= {low} AND at < {high}
         GROUP BY trace, type, value, at"
    );
    bench.check(&given, &expected);
    let split = format!(
        "SELECT a.start_time FROM {call} AS a JOIN {call} AS b ON a.end_time = b.start_time AND a.active = b.active
         AND {}",
        same(&["trace", "type", "value"])
    );
    assert!(bench.rows(&split).is_empty(), "{split}");
}

/// How many are active below each container of a depth.
fn check_concurrency_by_depth(bench: &Bench, depth: i32) {
    let given = format!(
        "SELECT trace, c.container_id, type, value, active, at FROM concurrency(rows, depth => {depth}) AS c
         JOIN {QUARTERS} ON c.start_time <= at AND at < c.end_time"
    );
    let expected = format!(
        "WITH places AS (SELECT a.container_id AS member, a.ancestor_id AS place FROM container_ancestors AS a
                         JOIN containers AS c USING (container_id) WHERE a.ancestor_depth = least(c.depth, {depth}))
         SELECT trace, place, type, value, count(DISTINCT container_id), at
         FROM rows JOIN places ON member = container_id JOIN {QUARTERS} ON start_time <= at AND at < end_time
         GROUP BY trace, place, type, value, at"
    );
    bench.check(&given, &expected);
}

/// The value with most time in each column, its share and that of all.
fn check_timeline(bench: &Bench, (start, stop): (f64, f64), width: i32) {
    let given = format!(
        "SELECT trace, container_id, type, number, t.value, share, covered
         FROM timeline((SELECT trace, container_id, type, value, start_time, end_time FROM rows),
                       start => {start}, stop => {stop}, width => {width}) AS t
         JOIN (SELECT value AS number FROM generate_series(0, {width} - 1)) AS columns
         ON number BETWEEN first_column AND last_column"
    );
    let length = (stop - start) / f64::from(width);
    let expected = format!(
        "WITH columns AS (SELECT value AS number, {start:?} + value * {length:?} AS low, {start:?} + (value + 1) * {length:?} AS high,
                                 value + 1 = {width} AND {stop:?} >= 12 AS is_last FROM generate_series(0, {width} - 1)),
              touched AS (SELECT trace, container_id, type, number, value, sum(overlap(start_time, end_time, low, high)) AS seconds
                          FROM rows CROSS JOIN columns
                          WHERE value IS NOT NULL AND (start_time < end_time AND start_time < high AND end_time > low
                             OR start_time = end_time AND start_time >= low AND (start_time < high OR is_last AND start_time = high))
                          GROUP BY trace, container_id, type, number, value),
              ranked AS (SELECT *, sum(seconds) OVER (PARTITION BY trace, container_id, type, number) AS total,
                                row_number() OVER (PARTITION BY trace, container_id, type, number ORDER BY seconds DESC, value) AS place
                         FROM touched)
         SELECT trace, container_id, type, number, value, seconds / {length:?}, total / {length:?} FROM ranked WHERE place = 1"
    );
    bench.check(&given, &expected);
}

/// No two that overlap share a lane, and there are as many lanes as lifetimes at most meet.
fn check_lanes(bench: &Bench) {
    let lanes =
        "container_lanes((SELECT trace, row AS container_id, container_id AS parent_id, type, start_time, end_time
                 FROM rows WHERE start_time <= end_time))";
    let meet = "(a.start_time < b.end_time AND b.start_time < a.end_time OR a.start_time = b.start_time)";
    let clash = format!(
        "SELECT a.container_id, b.container_id FROM {lanes} AS a JOIN {lanes} AS b
         ON a.container_id < b.container_id AND {} AND {meet}",
        same(&["trace", "parent_id", "type", "lane"])
    );
    assert!(bench.rows(&clash).is_empty(), "{clash}");
    // At the start of some lifetime most of them meet.
    let given = format!("SELECT DISTINCT trace, parent_id, type, lanes FROM {lanes}");
    let expected = format!(
        "WITH alive AS (SELECT row, trace, container_id, type, start_time, end_time FROM rows WHERE start_time <= end_time),
              meetings AS (SELECT a.row, a.trace, a.container_id, a.type, count(*) AS alive FROM alive AS a JOIN alive AS b
                           ON {} AND b.start_time <= a.start_time AND (a.start_time < b.end_time OR a.start_time = b.start_time)
                           GROUP BY a.row, a.trace, a.container_id, a.type)
         SELECT trace, container_id, type, max(alive) FROM meetings GROUP BY trace, container_id, type",
        same(&["trace", "container_id", "type"])
    );
    bench.check(&given, &expected);
}

#[test]
fn filters_equal_plain_sql() {
    let bench = Bench::new();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) };
    // Columns of these widths begin on ticks.
    let widths = prop::sample::select(vec![1, 2, 4, 5, 8, 10, 16]);
    let cases = (some_rows(), splits(), windows(), widths, 0..3_i32);
    TestRunner::new(config)
        .run(&cases, |(rows, split, window, width, depth)| {
            bench.register(&rows, &split);
            check_concurrency(&bench, None);
            check_concurrency(&bench, Some(window));
            check_concurrency_by_depth(&bench, depth);
            check_timeline(&bench, window, width);
            check_lanes(&bench);
            Ok(())
        })
        .unwrap_or_else(|e| panic!("{e}"));
}

//! Answers about traces that other tools wrote: every function and view runs, and what must hold, holds.
//!
//! `OCELLUS_TRACES` names the folder of the real traces, by default `../shared/traces` beside the checkout. Where
//! there is none, the same is asked of the samples of all formats.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use arrow::array::{Array, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use ocellus::engine::Engine;
use ocellus::functions::DefaultValue;
use ocellus::functions::registry::{TABLE_FUNCTIONS, VIEWS};

use crate::support::{block_on, checkout, engine_with, rows_of, sample, threads};

const REAL: [&str; 25] = [
    "paje/lu.S.16-detail.trace.gz",
    "paje/is.S.16-full.trace",
    "paje/ft.W.64-internals.trace.zst",
    "paje/starpu-cholesky-19200.trace.gz",
    "paje/akypuera-is.W.16.paje",
    "paje/mw2apps-100h.trace",
    "dumpi/lulesh27",
    "dumpi/is.S.16",
    "otf2/sst-macro-10ranks",
    "otf2/pipit-ping-pong-papi",
    "chrome/hta-sampled_rank-0.json.gz",
    "paraver/epoch_4proc.prv.gz",
    "paraver/test1.prv",
    "perf/ftrace.txt",
    "perf/perf-script-stacks.txt",
    "perfetto/sched.pftrace",
    "perfetto/test-38c74b.pftrace",
    "ctf/bug446190",
    "ctf/cyg-profile/glxgears-cyg-profile",
    "ctf/ctf2/mpi_gather",
    "ctf/perf-taskset2",
    "nsight/perlmutter-cloverleaf-cuda.sqlite",
    "nsight/ranks4.sqlite",
    "nsight/ranks4.parquetdir",
    "rocpd/bt2-plugin-test_rocm_database.db",
];
const SAMPLES: [&str; 17] = [
    "nested.trace",
    "mpi_calls.trace",
    "waiting.trace",
    "links.trace",
    "variables.trace",
    "quickstart.trace",
    "ring.otf2",
    "events.json",
    "dumpi",
    "paraver/solver.prv",
    "switches.ftrace",
    "rows.pj_dump",
    "ctf",
    "ctf2",
    "tracks.pftrace",
    "nsight.sqlite",
    "rocpd.db",
];

/// How functions are called that cannot be called without arguments.
const CALLS: [(&str, &str); 14] = [
    ("read_csv", "read_csv('{traces}/machines.csv')"),
    ("read_parquet", "read_parquet('{traces}/machines.parquet')"),
    ("run_diff", "run_diff({trace}, {trace})"),
    ("events_at", "events_at({middle})"),
    ("explain_area", "explain_area({container}, stop => {middle})"),
    ("inspect", "inspect({container}, {middle})"),
    ("summarize", "summarize(containers)"),
    ("interval_join", "interval_join((SELECT * FROM states LIMIT 100), (SELECT * FROM states LIMIT 100))"),
    ("overlap_seconds", "overlap_seconds((SELECT * FROM states LIMIT 100), (SELECT * FROM states LIMIT 100))"),
    ("at_depth", "at_depth(0)"),
    ("treemap", "treemap((SELECT container_id, exclusive_seconds AS seconds FROM flat_profile), weight => 'seconds')"),
    ("subtree", "subtree({container})"),
    ("graph_layout", "graph_layout((SELECT source, target FROM links))"),
    (
        "hierarchy_aggregate",
        "hierarchy_aggregate((SELECT container_id, type, value, exclusive_seconds AS seconds FROM flat_profile))",
    ),
];

fn traces() -> Vec<PathBuf> {
    let named = std::env::var_os("OCELLUS_TRACES").map(PathBuf::from);
    let folder = named.clone().unwrap_or_else(|| checkout().join("../shared/traces"));
    match named.is_some() || folder.is_dir() {
        true => REAL.iter().map(|name| folder.join(name)).collect(),
        false => SAMPLES.iter().map(|name| sample(name)).collect(),
    }
}

fn engine(trace: &Path) -> (tempfile::TempDir, Engine) {
    engine_with(trace, threads(2))
}

/// The rows of a query as numbers; NULL and what is no number are NaN.
fn numbers(engine: &Engine, sql: &str) -> Vec<Vec<f64>> {
    let mut rows = vec![];
    for batch in rows_of(engine, sql) {
        let columns: Vec<_> = batch.columns().iter().map(|c| cast(c, &DataType::Float64).expect("numbers")).collect();
        let value = |column: &dyn Array, row: usize| match column.is_null(row) {
            true => f64::NAN,
            false => column.as_primitive::<Float64Type>().value(row),
        };
        rows.extend((0..batch.num_rows()).map(|row| columns.iter().map(|column| value(column, row)).collect()));
    }
    rows
}

fn number(engine: &Engine, sql: &str) -> f64 {
    numbers(engine, sql)[0][0]
}

/// The rows of a query as texts.
fn texts(engine: &Engine, sql: &str) -> Vec<Vec<String>> {
    let mut rows = vec![];
    for batch in rows_of(engine, sql) {
        let columns: Vec<_> = batch.columns().iter().map(|c| cast(c, &DataType::Utf8).expect("texts")).collect();
        let value = |row: usize| columns.iter().map(|c| c.as_string::<i32>().value(row).to_owned()).collect();
        rows.extend((0..batch.num_rows()).map(value));
    }
    rows
}

fn ticks(engine: &Engine, sql: &str) -> i64 {
    let rows = rows_of(engine, sql);
    cast(rows[0].column(0), &DataType::Int64).expect("ticks").as_primitive::<Int64Type>().value(0)
}

#[test]
fn every_function_and_view_runs() {
    let needs_arguments: BTreeSet<&str> = TABLE_FUNCTIONS
        .iter()
        .map(|function| &function.definition)
        .filter(|definition| {
            definition.relations.iter().any(|relation| relation.default.is_none())
                || definition.constants.iter().any(|constant| constant.default == DefaultValue::Required)
        })
        .map(|definition| definition.name)
        .collect();
    let calls = BTreeMap::from(CALLS);
    let mut wrong = vec![];
    for trace in traces() {
        let (_folder, engine) = engine(&trace);
        let name = texts(&engine, "SELECT name FROM trace_info")[0][0].clone();
        let container =
            texts(&engine, "SELECT container_id FROM containers ORDER BY preorder DESC LIMIT 1")[0][0].clone();
        let middle = number(&engine, "SELECT (start_time + end_time) / 2 FROM trace_info");
        let functions = TABLE_FUNCTIONS.iter().map(|function| {
            let name_of = function.definition.name;
            match calls.get(name_of) {
                Some(call) => call
                    .replace("{trace}", &format!("'{name}'"))
                    .replace("{container}", &container)
                    .replace("{traces}", &sample("").to_string_lossy())
                    .replace("{middle}", &middle.to_string()),
                None if needs_arguments.contains(name_of) => panic!("{name_of}: write down how to call it"),
                None => format!("{name_of}()"),
            }
        });
        let relations = functions.chain(VIEWS.iter().map(|view| view.definition.name.to_owned()));
        for relation in relations {
            let sql = format!("SELECT * FROM {relation}");
            // Where containers are in states of several types at once, some functions ask for one of them.
            if let Err(error) = block_on(engine.sql(&sql))
                && !is_about_states_at_once(&error.to_string())
            {
                wrong.push(format!("{}: {sql}: {error}", trace.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whether a function says that containers are in states of several types at once, and what to do about it.
fn has_states_at_once(engine: &Engine, function: &str) -> bool {
    let result = block_on(engine.sql(&format!("SELECT count(*) FROM {function}()")));
    result.is_err_and(|error| is_about_states_at_once(&error.to_string()))
}

fn is_about_states_at_once(error: &str) -> bool {
    error.contains(" at once; give it states of one type")
}

#[test]
fn kinds_of_waiting_add_up_to_the_time_in_waiting_states() {
    for trace in traces() {
        let (_folder, engine) = engine(&trace);
        let waiting = ticks(
            &engine,
            "SELECT coalesce(sum(s.end_tick - s.start_tick), 0) FROM state_segments AS s \
             JOIN state_activities AS a ON a.type = s.type AND a.value = s.value WHERE a.activity = 'waiting'",
        );
        if has_states_at_once(&engine, "wait_states") {
            continue;
        }
        for per in ["total", "wait"] {
            let sql = format!("SELECT coalesce(sum(ticks), 0) FROM wait_states(per => '{per}')");
            assert_eq!(ticks(&engine, &sql), waiting, "{}: {sql}", trace.display());
        }
    }
}

#[test]
fn activities_add_up_to_the_life_of_containers() {
    for trace in traces() {
        let (_folder, engine) = engine(&trace);
        let wrong = ticks(
            &engine,
            "SELECT count(*) FROM (
                 SELECT a.container_id, a.type, sum(a.ticks) AS ticks, max(c.end_tick - c.start_tick) AS life
                 FROM container_activities AS a JOIN containers AS c ON c.container_id = a.container_id
                 GROUP BY a.container_id, a.type)
             WHERE ticks <> life",
        );
        assert_eq!(wrong, 0, "{}", trace.display());
    }
}

#[test]
fn the_critical_path_is_contiguous_from_start_to_end() {
    for trace in traces() {
        let (_folder, engine) = engine(&trace);
        if ticks(&engine, "SELECT count(*) FROM state_segments") == 0 || has_states_at_once(&engine, "critical_path") {
            continue;
        }
        let path = numbers(&engine, "SELECT start_time, end_time, seconds, share FROM critical_path() ORDER BY step");
        let span = &numbers(&engine, "SELECT min(start_time), max(end_time) FROM trace_info")[0];
        let end_of_states = number(&engine, "SELECT max(end_time) FROM state_segments");
        let shown = trace.display();
        assert!(!path.is_empty(), "{shown}: no path");
        assert_eq!(path[0][0], span[0], "{shown}: start");
        let last = path[path.len() - 1][1];
        assert!(last == span[1] || last == end_of_states, "{shown}: ends at {last}, the trace at {}", span[1]);
        for pair in path.windows(2) {
            assert_eq!(pair[0][1], pair[1][0], "{shown}: a gap");
        }
        let sum: f64 = path.iter().map(|step| step[3]).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{shown}: shares add up to {sum}");
    }
}

#[test]
fn every_link_has_one_row_in_link_states() {
    for trace in traces() {
        let (_folder, engine) = engine(&trace);
        let links = ticks(&engine, "SELECT count(*) FROM links");
        assert_eq!(ticks(&engine, "SELECT count(*) FROM link_states"), links, "{}", trace.display());
    }
}

/// A state: when it begins and ends, its depth, its value.
type Bar = (i64, i64, i64, String);

/// Time in each value, that of the innermost state, found by walking over all instants at which anything changes.
fn exclusive(bars: &[Bar]) -> BTreeMap<String, i64> {
    let mut changes: BTreeMap<i64, Vec<(bool, usize)>> = BTreeMap::new();
    for (index, (start, end, ..)) in bars.iter().enumerate().filter(|(_, (start, end, ..))| start < end) {
        changes.entry(*start).or_default().push((true, index));
        changes.entry(*end).or_default().push((false, index));
    }
    let mut active: BTreeSet<(i64, i64, usize)> = BTreeSet::new();
    let mut times = BTreeMap::new();
    let mut before = 0;
    for (tick, changed) in changes {
        if let Some((.., index)) = active.last() {
            *times.entry(bars[*index].3.clone()).or_insert(0) += tick - before;
        }
        for (begins, index) in changed {
            let key = (bars[index].2, bars[index].0, index);
            match begins {
                true => active.insert(key),
                false => active.remove(&key),
            };
        }
        before = tick;
    }
    times
}

#[test]
fn efficiency_is_what_a_plain_program_computes_from_states() {
    for trace in traces() {
        let (_folder, engine) = engine(&trace);
        let activities: BTreeMap<(String, String), String> =
            texts(&engine, "SELECT type, value, activity FROM state_activities")
                .into_iter()
                .map(|row| ((row[0].clone(), row[1].clone()), row[2].clone()))
                .collect();
        let mut bars: BTreeMap<(String, String), Vec<Bar>> = BTreeMap::new();
        for row in texts(&engine, "SELECT container_id, type, start_tick, end_tick, depth, value FROM states") {
            let number = |text: &String| text.parse().expect("a number");
            let bar = (number(&row[2]), number(&row[3]), number(&row[4]), row[5].clone());
            bars.entry((row[1].clone(), row[0].clone())).or_default().push(bar);
        }
        let lives: BTreeMap<String, (i64, i64)> =
            texts(&engine, "SELECT container_id, start_tick, end_tick FROM containers")
                .into_iter()
                .map(|row| (row[0].clone(), (row[1].parse().expect("a tick"), row[2].parse().expect("a tick"))))
                .collect();
        let run = ticks(&engine, "SELECT end_tick - start_tick FROM trace_info") as f64;
        for row in texts(
            &engine,
            "SELECT type, useful, parallel_efficiency, containers FROM pop_metrics_of_the_run
             WHERE parallel_efficiency IS NOT NULL",
        ) {
            let (kind, useful, given) = (&row[0], row[1].as_str(), row[2].parse::<f64>().expect("a number"));
            let is = |value: &str, wanted: &str| activities[&(kind.clone(), value.to_owned())] == wanted;
            let mut sum = 0;
            let mut counted = 0;
            for ((_, container), bars) in bars.iter().filter(|((of, _), _)| of == kind) {
                let times = exclusive(bars);
                let in_states: i64 = times.iter().filter(|(value, _)| is(value, "computation")).map(|(_, t)| t).sum();
                let (start, end) = lives[container];
                let in_no_state = if useful == "states" { 0 } else { end - start - times.values().sum::<i64>() };
                let known = times.iter().any(|(value, ticks)| *ticks > 0 && !is(value, "unknown")) || in_no_state > 0;
                if known {
                    counted += 1;
                    sum += in_states + in_no_state;
                }
            }
            let expected = sum as f64 / counted as f64 / run;
            assert_eq!(row[3], counted.to_string(), "{}: containers of {kind}", trace.display());
            assert!((given - expected).abs() < 1e-9, "{}: {kind}: {given}, by hand {expected}", trace.display());
        }
    }
}

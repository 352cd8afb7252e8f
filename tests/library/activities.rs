//! Time by activity and the efficiency of a run against a plain program that reads the rows of `states` and
//! `containers` alone: it looks at every instant at which something begins or ends, asks which state is innermost
//! between two of them, and adds up. It knows the names of the samples by its own list.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Float64Type, Int64Type};
use ocellus::engine::{Engine, EngineOptions};

use crate::support::{self, checkout};

/// A state of a row of `states`.
struct RecordedState {
    container: i64,
    kind: String,
    value: String,
    depth: i64,
    start: i64,
    end: i64,
}

fn integers(engine: &Engine, sql: &str) -> Vec<Vec<i64>> {
    let mut rows = vec![];
    for batch in support::rows_of(engine, sql) {
        let columns: Vec<_> =
            batch.columns().iter().map(|column| cast(column, &DataType::Int64).expect("integers")).collect();
        for row in 0..batch.num_rows() {
            rows.push(columns.iter().map(|column| column.as_primitive::<Int64Type>().value(row)).collect());
        }
    }
    rows
}

/// Rows of a text and some numbers; NULL is no number.
fn named(engine: &Engine, sql: &str) -> Vec<(String, Vec<Option<f64>>)> {
    let mut rows = vec![];
    for batch in support::rows_of(engine, sql) {
        let names = cast(batch.column(0), &DataType::Utf8).expect("text");
        let numbers: Vec<_> =
            batch.columns()[1..].iter().map(|column| cast(column, &DataType::Float64).expect("numbers")).collect();
        for row in 0..batch.num_rows() {
            let numbers = numbers.iter().map(|column| column.as_primitive::<Float64Type>().iter().nth(row).flatten());
            rows.push((names.as_string::<i32>().value(row).to_string(), numbers.collect()));
        }
    }
    rows
}

fn states(engine: &Engine) -> Vec<RecordedState> {
    let sql = "SELECT container_id, depth, start_tick, end_tick, type, value FROM states";
    let mut states = vec![];
    for batch in support::rows_of(engine, sql) {
        let number = |column: usize| cast(batch.column(column), &DataType::Int64).expect("integers");
        let text = |column: usize| cast(batch.column(column), &DataType::Utf8).expect("text");
        let (numbers, texts) = ([0, 1, 2, 3].map(number), [4, 5].map(text));
        for row in 0..batch.num_rows() {
            let number = |column: usize| numbers[column].as_primitive::<Int64Type>().value(row);
            let text = |column: usize| texts[column].as_string::<i32>().value(row).to_string();
            states.push(RecordedState {
                container: number(0),
                depth: number(1),
                start: number(2),
                end: number(3),
                kind: text(0),
                value: text(1),
            });
        }
    }
    states
}

/// What a state of a sample is. Not the rules of the program: a list that a person wrote while reading the samples.
fn activity(kind: &str, value: &str) -> &'static str {
    let value = if value.starts_with("PMPI_") { &value[1..] } else { value };
    match value {
        "MPI_Recv" | "MPI_Wait" | "MPI_Waitall" | "MPI_Barrier" => "waiting",
        "MPI_Init" | "MPI_Initialized" | "MPI_Finalize" | "MPI_Init_thread" => "start and end",
        "MPI_Comm_rank" | "MPI_Comm_size" | "MPI_Wtime" | "MPI_Type_commit" | "MPI_Type_contiguous" => "overhead",
        "MPI_File_write" | "MPI_File_open" => "input/output",
        mpi if mpi.starts_with("MPI_") => "communication",
        "Processing" if kind == "Communication Thread State" => "communication",
        "FetchingInput" | "DriverCopy" => "communication",
        "Initializing" => "start and end",
        "Overhead" | "Allocating" => "overhead",
        "Idle" | "Sleeping" | "Waiting all tasks" | "Blocked" | "wait" | "receive" | "barrier" => "waiting",
        "send" => "communication",
        "unknown" => "unknown",
        _ => "computation",
    }
}

/// Ticks by container, type and activity; and which types record computation, in states or in no state.
struct ExpectedTicks {
    ticks: BTreeMap<(i64, String, &'static str), i64>,
    types: BTreeMap<String, bool>,
}

fn expected(states: &[RecordedState], lives: &BTreeMap<i64, (i64, i64)>) -> ExpectedTicks {
    let mut ticks = BTreeMap::new();
    let mut types = BTreeMap::new();
    for kind in states.iter().map(|state| state.kind.clone()).collect::<BTreeSet<String>>() {
        let of_type: Vec<&RecordedState> = states.iter().filter(|state| state.kind == kind).collect();
        let marks_computation = of_type.iter().any(|state| activity(&kind, &state.value) == "computation");
        let calls_mpi = of_type.iter().any(|state| state.value.trim_start_matches('P').starts_with("MPI_"));
        let in_no_state = if calls_mpi && !marks_computation { "computation" } else { "unknown" };
        types.insert(kind.clone(), marks_computation || in_no_state == "computation");
        for container in of_type.iter().map(|state| state.container).collect::<BTreeSet<i64>>() {
            let own: Vec<&&RecordedState> = of_type.iter().filter(|state| state.container == container).collect();
            let (birth, death) = lives[&container];
            let mut instants: BTreeSet<i64> = own.iter().flat_map(|state| [state.start, state.end]).collect();
            instants.extend([birth, death]);
            let instants: Vec<i64> = instants.into_iter().filter(|tick| (birth..=death).contains(tick)).collect();
            for pair in instants.windows(2) {
                let inside = own.iter().filter(|state| state.start <= pair[0] && pair[1] <= state.end);
                let innermost = inside.max_by_key(|state| state.depth);
                let does = match innermost {
                    Some(state) => activity(&kind, &state.value),
                    None => in_no_state,
                };
                *ticks.entry((container, kind.clone(), does)).or_insert(0) += pair[1] - pair[0];
            }
        }
    }
    ExpectedTicks { ticks, types }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1.0)
}

fn check(sample: &str) {
    let (_folder, engine) = support::engine_with(&checkout().join("traces").join(sample), EngineOptions::default());
    let states = states(&engine);
    let lives: BTreeMap<i64, (i64, i64)> =
        integers(&engine, "SELECT container_id, start_tick, end_tick FROM containers")
            .into_iter()
            .map(|row| (row[0], (row[1], row[2])))
            .collect();
    let info = integers(&engine, "SELECT start_tick, end_tick, ticks_per_second FROM trace_info").remove(0);
    let (run, rate) = ((info[1] - info[0]) as f64, info[2] as f64);
    let expected = expected(&states, &lives);

    // Every tick of every container, by type and activity.
    let sql = "SELECT concat(container_id, '/', type, '/', activity), ticks FROM container_activities";
    let given: BTreeMap<String, i64> =
        named(&engine, sql).into_iter().map(|(name, row)| (name, row[0].expect("ticks") as i64)).collect();
    let wanted: BTreeMap<String, i64> = expected
        .ticks
        .iter()
        .filter(|(_, ticks)| **ticks > 0)
        .map(|((container, kind, does), ticks)| (format!("{container}/{kind}/{does}"), *ticks))
        .collect();
    assert_eq!(given, wanted, "{sample}: container_activities");

    // Gaps are the time in no state, by the same activities.
    let sql = "SELECT type, sum(seconds) FROM (SELECT type, seconds FROM idle_gaps UNION ALL \
               SELECT type, -no_state_seconds AS seconds FROM container_activities) GROUP BY type";
    for (kind, row) in named(&engine, sql) {
        assert!(close(row[0].expect("seconds"), 0.0), "{sample}: gaps of {kind}");
    }

    // The efficiency of the run, and what its slices add up to.
    let sql = "SELECT r.type, r.mean_seconds, r.max_seconds, r.parallel_efficiency, r.communication_efficiency, \
               r.load_balance, s.mean_seconds, s.efficiency \
               FROM pop_metrics_of_the_run AS r LEFT JOIN (SELECT type, sum(mean_seconds) AS mean_seconds, \
               sum(parallel_efficiency * (slice_end - slice_start)) / sum(slice_end - slice_start) AS efficiency \
               FROM pop_metrics GROUP BY type) AS s ON s.type = r.type ORDER BY r.type";
    let mut kinds = vec![];
    for (kind, row) in named(&engine, sql) {
        let mut useful: BTreeMap<i64, i64> = BTreeMap::new();
        for ((container, other, does), ticks) in &expected.ticks {
            if *other == kind && *does != "unknown" && *ticks > 0 {
                *useful.entry(*container).or_insert(0) += if *does == "computation" { *ticks } else { 0 };
            }
        }
        let mean = useful.values().sum::<i64>() as f64 / useful.len() as f64;
        let max = useful.values().copied().max().unwrap_or(0) as f64;
        kinds.push(kind.clone());
        if !expected.types[&kind] {
            assert!(row.iter().all(Option::is_none), "{sample}: {kind} records no computation: {row:?}");
            continue;
        }
        let balance = (max > 0.0).then(|| mean / max);
        let wanted = [
            Some(mean / rate),
            Some(max / rate),
            Some(mean / run),
            Some(max / run),
            balance,
            Some(mean / rate),
            Some(mean / run),
        ];
        for (given, wanted) in row.iter().zip(wanted) {
            let is_same = match (given, wanted) {
                (Some(given), Some(wanted)) => close(*given, wanted),
                (given, wanted) => given.is_none() && wanted.is_none(),
            };
            assert!(is_same, "{sample}: {kind}: {row:?} is not {wanted:?}");
        }
    }
    let counted = expected.ticks.iter().filter(|((_, _, does), ticks)| *does != "unknown" && **ticks > 0);
    let counted: BTreeSet<&String> = counted.map(|((_, kind, _), _)| kind).collect();
    assert_eq!(kinds.iter().collect::<BTreeSet<_>>(), counted, "{sample}: types of pop_metrics_of_the_run");
}

#[test]
fn activities_add_up_as_a_plain_program_says() {
    let samples = [
        "late_start.trace",
        "simulated_mpi.trace",
        "task_runtime.trace",
        "mpi_calls.trace",
        "quickstart.trace",
        "nested.trace",
        "recursion.trace",
        "instants.trace",
        "steps.trace",
        "thesis_slices.trace",
        "short_lived.trace",
        "waiting.trace",
        "dumpi",
        "ring.otf2",
    ];
    for sample in samples {
        check(sample);
    }
}

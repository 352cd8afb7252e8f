//! Programs with planted faults, imported: no diagnostics, activities as meant, and the fault measured by SQL.

use std::fs::File;

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, Int64Type};
use ocellus::engine::{Engine, EngineOptions};
use ocellus::synth::{self, FaultKind, FaultOptions, FaultTruth, ProgramShape};
use tempfile::TempDir;

use crate::support::{engine_with, rows_of};

fn engine(kind: FaultKind, shape: ProgramShape, seed: u64) -> (TempDir, Engine, Option<FaultTruth>) {
    let generated = tempfile::tempdir().expect("a temporary folder");
    let path = generated.path().join("fault.trace");
    let options = FaultOptions { kind, shape, seed, ranks: 16, iterations: 20, noise: 0.01, strength: None };
    let truth = synth::fault(&options, &mut File::create(&path).expect("a file")).expect("a trace");
    let (folder, engine) = engine_with(&path, EngineOptions::default());
    (folder, engine, truth)
}

fn count(engine: &Engine, sql: &str) -> i64 {
    rows_of(engine, sql)[0].column(0).as_primitive::<Int64Type>().value(0)
}

fn number(engine: &Engine, sql: &str) -> f64 {
    rows_of(engine, sql)[0].column(0).as_primitive::<Float64Type>().value(0)
}

#[test]
fn only_the_damaged_traces_have_diagnostics() {
    for kind in FaultKind::ALL {
        for shape in ProgramShape::ALL.into_iter().filter(|shape| shape.supports(kind)) {
            let (_folder, engine, truth) = engine(kind, shape, 1);
            let diagnostics = count(&engine, "SELECT count(*) FROM diagnostics");
            assert_eq!(diagnostics > 0, kind == FaultKind::TraceQuality, "{kind:?} {shape:?}");
            // The truth names a container of the trace.
            let Some(truth) = truth else { continue };
            let path = format!("SELECT count(*) FROM containers WHERE path = '{}'", truth.container);
            assert_eq!(count(&engine, &path), 1, "{truth:?}");
        }
    }
}

/// Every state has an activity that a reader of its name expects.
#[test]
fn activities_are_those_of_the_names() {
    let (_folder, engine, _) = engine(FaultKind::DeviatingInterval, ProgramShape::Stencil, 1);
    let wrong = "SELECT count(*) FROM state_activities WHERE activity <> CASE \
                 WHEN value LIKE 'MPI_Wait%' OR value = 'MPI_Barrier' THEN 'waiting' \
                 WHEN value IN ('MPI_Init', 'MPI_Finalize') THEN 'start and end' \
                 WHEN value LIKE 'MPI_%' THEN 'communication' \
                 WHEN value = 'write' THEN 'input/output' ELSE 'computation' END";
    assert_eq!(count(&engine, wrong), 0);
    assert!(count(&engine, "SELECT count(*) FROM state_activities") > 10);
}

/// The slow rank computes longer than the median of the others, by its strength.
#[test]
fn a_slow_rank_is_slow_in_sql() {
    for shape in ProgramShape::ALL {
        let (_folder, engine, truth) = engine(FaultKind::SlowRank, shape, 3);
        let truth = truth.expect("something is planted");
        let (slow, strength) = (&truth.containers[0], truth.strength);
        let ratio = format!(
            "SELECT max(seconds) FILTER (WHERE container = '{slow}') / median(seconds) FILTER (WHERE container <> '{slow}') \
             FROM container_activities WHERE activity = 'computation' AND container <> 'rank-0'"
        );
        let ratio = if slow == "rank-0" { ratio.replace(" AND container <> 'rank-0'", "") } else { ratio };
        let measured = number(&engine, &ratio);
        assert!((measured / strength - 1.0).abs() < 0.03, "{shape:?}: {measured} instead of {strength}");
    }
}

/// Waits for the late ones are explained by them.
#[test]
fn waits_name_the_late_rank() {
    for (kind, named) in [(FaultKind::LateSender, "late sender"), (FaultKind::LateReceiver, "late receiver")] {
        let (_folder, engine, truth) = engine(kind, ProgramShape::Stencil, 2);
        let late = &truth.expect("something is planted").containers[0];
        let of = |condition: &str| {
            format!("SELECT coalesce(sum(seconds), 0.0) FROM wait_states() WHERE kind = '{named}'{condition}")
        };
        let (by_late, all) = (number(&engine, &of(&format!(" AND partner = '{late}'"))), number(&engine, &of("")));
        assert!(all > 0.0 && by_late / all > 0.8, "{kind:?}: {by_late} of {all}");
    }
}

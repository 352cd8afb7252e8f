//! A run in which one cabinet has a slow uplink for a moment: waits and critical path name the transfer and its senders.

use std::fs::File;

use arrow::array::AsArray;
use arrow::datatypes::{Float64Type, Int64Type};
use ocellus::engine::{Engine, EngineOptions};
use ocellus::synth::{self, ThrottledOptions};
use tempfile::TempDir;

use crate::support::{engine_with, rows_of};

/// What leaves cabinet-1 is slow from 0.1 to 0.15 s.
fn engine() -> (TempDir, Engine) {
    let generated = tempfile::tempdir().expect("a temporary folder");
    let path = generated.path().join("throttled.trace");
    let options = ThrottledOptions { cabinets: 4, seed: 1 };
    synth::throttled(&options, &mut File::create(&path).expect("a file")).expect("a trace");
    engine_with(&path, EngineOptions::default())
}

/// The one value of a query.
fn seconds(engine: &Engine, sql: &str) -> f64 {
    rows_of(engine, sql)[0].column(0).as_primitive::<Float64Type>().value(0)
}

fn ticks(engine: &Engine, sql: &str) -> Vec<i64> {
    let batch = &rows_of(engine, sql)[0];
    batch.columns().iter().map(|column| column.as_primitive::<Int64Type>().value(0)).collect()
}

/// The cabinet of a rank.
const CABINETS: &str = "(SELECT r.container_id AS rank, c.name AS cabinet FROM containers r JOIN containers c ON c.container_id = r.parent_id)";

#[test]
fn waits_name_the_transfer_and_the_cabinet_of_the_senders() {
    let (_folder, engine) = engine();
    let share = |window: &str| {
        let waits =
            format!("wait_states({window}) JOIN {CABINETS} AS k ON k.rank = partner_id WHERE kind = 'transfer'");
        let of_cabinet = format!("SELECT sum(seconds) FROM {waits} AND cabinet = 'cabinet-1'");
        seconds(&engine, &of_cabinet) / seconds(&engine, &format!("SELECT sum(seconds) FROM {waits}"))
    };
    // One cabinet of four usually causes a quarter of the waits for transfers.
    let (usual, throttled) = (share("stop => 0.1"), share("start => 0.1, stop => 0.15"));
    assert!((0.15..0.35).contains(&usual), "{usual}");
    assert!(throttled > 0.6, "{throttled}");
    // Hardly anything remains unexplained, and the longest waits of the run are for messages of that cabinet, sent in the interval.
    let unexplained =
        seconds(&engine, "SELECT coalesce(sum(seconds), 0.0) FROM wait_states() WHERE kind = 'unexplained'");
    assert!(unexplained < 0.01 * seconds(&engine, "SELECT sum(seconds) FROM wait_states()"), "{unexplained}");
    let longest = format!(
        "SELECT count(*) AS n FROM (SELECT * FROM wait_states(per => 'wait') WHERE kind = 'transfer' ORDER BY ticks DESC \
         LIMIT 50) JOIN {CABINETS} AS k ON k.rank = partner_id \
         WHERE cabinet = 'cabinet-1' AND sent_time >= 0.1 AND sent_time < 0.15 AND key IS NOT NULL"
    );
    assert_eq!(ticks(&engine, &longest), [50]);
}

#[test]
fn kinds_of_waiting_add_up_to_waiting() {
    let (_folder, engine) = engine();
    let waiting = "SELECT sum(end_tick - start_tick) AS n FROM state_segments WHERE value = 'PMPI_Wait'";
    let whole = ticks(&engine, waiting);
    assert!(whole[0] > 0);
    for per in ["total", "wait"] {
        assert_eq!(ticks(&engine, &format!("SELECT sum(ticks) AS n FROM wait_states(per => '{per}')")), whole);
    }
}

#[test]
fn the_critical_path_names_the_transfer_and_the_cabinet_of_the_senders() {
    let (_folder, engine) = engine();
    let share = |from: f64, until: f64, condition: &str| {
        let inside = format!("least(end_time, {until}) - greatest(start_time, {from})");
        let path = format!("critical_path() JOIN {CABINETS} AS k ON k.rank = container_id");
        let sql = format!("SELECT coalesce(sum(greatest({inside}, 0.0)), 0.0) FROM {path} WHERE {condition}");
        seconds(&engine, &sql) / (until - from)
    };
    let from_it = "kind = 'transfer' AND target IS NOT NULL AND cabinet = 'cabinet-1'";
    let from_others = "kind = 'transfer' AND cabinet <> 'cabinet-1'";
    let (usual, throttled) = (share(0.0, 0.1, from_it), share(0.1, 0.15, from_it));
    assert!(usual < 0.1 && throttled > 0.3, "{usual}, then {throttled}");
    assert!(throttled > 4.0 * share(0.1, 0.15, from_others), "{}", share(0.1, 0.15, from_others));
    assert!(share(0.0, 0.1, "kind = 'computation'") > 0.7, "{}", share(0.0, 0.1, "kind = 'computation'"));
    // Hardly a wait remains: messages end them.
    assert!(share(0.0, 0.1, "kind = 'wait'") < 0.01, "{}", share(0.0, 0.1, "kind = 'wait'"));
    let whole = ticks(
        &engine,
        "WITH path AS (SELECT *, lag(end_tick) OVER (ORDER BY step) AS before FROM critical_path()) \
         SELECT sum(end_tick - start_tick) AS n, count(*) FILTER (WHERE before <> start_tick) AS gaps FROM path",
    );
    let end = ticks(&engine, "SELECT max(end_tick) AS n FROM states");
    assert_eq!(whole, [end[0], 0]);
}

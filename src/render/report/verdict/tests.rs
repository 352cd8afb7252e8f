//! Tests of `verdict`: sentences of rows that are written by hand.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray};

use super::*;

fn texts(values: &[&str]) -> ArrayRef {
    Arc::new(StringArray::from(values.to_vec()))
}

fn numbers(values: &[f64]) -> ArrayRef {
    // NULL, where a test writes NaN.
    Arc::new(values.iter().map(|value| value.is_finite().then_some(*value)).collect::<Float64Array>())
}

fn rows(columns: Vec<(&str, ArrayRef)>) -> QueryRows {
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)));
    let batch = batch.expect("columns of one length");
    QueryRows::new(batch.schema(), vec![batch])
}

#[test]
fn efficiency_is_said_with_its_parts() {
    let columns = |parts: f64, most: f64| {
        vec![
            ("type", texts(&["MPI", "GPU"])),
            ("containers", numbers(&[16.0, 1.0])),
            ("run_seconds", numbers(&[0.33, 2.0])),
            ("parallel_efficiency", numbers(&[0.035, f64::NAN])),
            ("load_balance", numbers(&[parts, f64::NAN])),
            ("communication_efficiency", numbers(&[parts, f64::NAN])),
            ("least", numbers(&[0.01, f64::NAN])),
            ("least_start", numbers(&[0.1, f64::NAN])),
            ("most", numbers(&[most, f64::NAN])),
            ("most_start", numbers(&[0.2, f64::NAN])),
        ]
    };
    // Of 5.28 s, 0.1848 s are computation, a tenth of it in no state, and next to nothing is unknown.
    let times = |unknown: f64, gaps: f64| {
        rows(vec![
            ("activity", texts(&["computation", "unknown", "waiting"])),
            ("value", texts(&["", "", "MPI_Recv"])),
            ("seconds", numbers(&[0.1848, unknown, 3.0])),
            ("no_state_seconds", numbers(&[0.01848, gaps, 0.0])),
            ("all_seconds", numbers(&[5.28; 3])),
        ])
    };
    let known = times(0.01, 0.01);
    let text = efficiency(&rows(columns(f64::NAN, 0.01)), &known, &MomentFormat::of(0.0, 0.33)).expect("a text");
    let plain = "3.5 % of the time of 16 containers (MPI) is useful: parallel efficiency 0.035 over 330 ms, where 1 is best. \
         10 % of what is useful is time in no state.";
    assert_eq!(text.as_deref(), Some(plain));
    let text =
        efficiency(&rows(columns(0.5, 0.5)), &known, &MomentFormat::of(0.0, 0.33)).expect("a text").expect("a text");
    let end = "where 1 is best, load balance 0.5, communication efficiency 0.5; over time it is between 1 % (at 100 ms) \
               and 50 % (at 200 ms). 10 % of what is useful is time in no state.";
    assert!(text.ends_with(end), "{text}");
    // Half of the time is unknown, four fifths of that in no state: up to 53.5 % may be useful.
    let text = efficiency(&rows(columns(0.5, 0.5)), &times(2.64, 2.112), &MomentFormat::of(0.0, 0.33))
        .expect("a text")
        .expect("a text");
    let whole = "3.5 % of the time of 16 containers (MPI) is useful, and 40 % in no state and 10 % in states of unknown activity \
                 may be: the parallel efficiency over 330 ms is between 0.035 and 0.535, where 1 is best. The rules of \
                 activities say what states are.";
    assert_eq!(text, whole);
    // A type without computation says nothing.
    let none: Vec<_> = columns(0.5, 0.5).into_iter().map(|(name, array)| (name, array.slice(1, 1))).collect();
    assert_eq!(efficiency(&rows(none), &known, &MomentFormat::of(0.0, 0.33)).expect("a text"), None);
    assert_eq!(
        not_counted(&["Thread".to_string(), "Memory".to_string()]),
        " States of other types are not counted: Thread, Memory."
    );
    assert_eq!(not_counted(&[]), "");
    assert_eq!(not_recorded(&[]), "not recorded in the trace.");
    assert_eq!(not_recorded(&["MPI".to_string()]), "not recorded in states of type MPI.");
    assert_eq!(
        not_recorded(&["cpu".to_string(), "MPI".to_string()]),
        "not recorded in states of type cpu. States of other types are not counted: MPI."
    );
}

#[test]
fn waiting_is_said_with_who_waits_for_whom() {
    let states = rows(vec![
        ("activity", texts(&["waiting", "computation", "waiting", "waiting", "overhead"])),
        ("value", texts(&["", "", "MPI_Recv", "MPI_Wait", ""])),
        ("seconds", numbers(&[4.0, 3.5, 3.0, 1.0, 0.001])),
        ("no_state_seconds", numbers(&[0.0; 5])),
        ("all_seconds", numbers(&[8.0; 5])),
    ]);
    let waits = rows(vec![
        ("kind", texts(&["late sender", "unexplained"])),
        ("container", texts(&["rank-0", "rank-1"])),
        ("partner", texts(&["rank-2", ""])),
        ("waits", numbers(&[117.0, 1.0])),
        ("seconds", numbers(&[1.5, 0.5])),
    ]);
    let text = waiting(&states, &waits).expect("a text").expect("a text");
    assert_eq!(
        text,
        "4 s of 8 s, 50 %, are spent waiting, in MPI_Recv, MPI_Wait. The other time: computation 43.8 %. By cause: late \
         sender 75 %, unexplained 25 %. The largest: rank-0 waits 1.5 s for rank-2 (late sender, 117 waits); rank-1 waits \
         500 ms (unexplained, 1 wait)."
    );
}

/// Three that wait long for nobody known, and one that waits a little for somebody.
#[test]
fn waits_for_somebody_are_said_when_the_largest_have_no_cause() {
    let waits = rows(vec![
        ("kind", texts(&["unexplained", "unexplained", "unexplained", "transfer"])),
        ("container", texts(&["rank-0", "rank-1", "rank-2", "rank-3"])),
        ("partner", texts(&["", "", "", "rank-4"])),
        ("waits", numbers(&[1.0, 1.0, 1.0, 2.0])),
        ("seconds", numbers(&[3.0, 3.0, 3.0, 1.0])),
    ]);
    assert_eq!(
        largest_waits(&waits).expect("a text"),
        " By cause: unexplained 90 %, transfer 10 %. The largest for somebody: rank-3 waits 1 s for rank-4 (transfer, 2 waits)."
    );
}

/// Six seconds in no state and one of unknown activity; waiting of a hundred-thousandth is no number with zeros.
#[test]
fn time_in_no_state_has_a_name_of_its_own() {
    let times = rows(vec![
        ("activity", texts(&["unknown", "computation", "waiting", "waiting"])),
        ("value", texts(&["", "", "", "wait"])),
        ("seconds", numbers(&[7.0, 2.9999, 0.0001, 0.0001])),
        ("no_state_seconds", numbers(&[6.0, 0.0, 0.0, 0.0])),
        ("all_seconds", numbers(&[10.0; 4])),
    ]);
    let none = rows(vec![
        ("kind", texts(&[])),
        ("container", texts(&[])),
        ("partner", texts(&[])),
        ("waits", numbers(&[])),
        ("seconds", numbers(&[])),
    ]);
    assert_eq!(
        waiting(&times, &none).expect("a text").as_deref(),
        Some(
            "100 µs of 10 s, below 0.1 %, are spent waiting, in wait. The other time: no state 60 %, computation 30 %, unknown \
             activity 10 %."
        )
    );
}

#[test]
fn the_path_is_said_by_kinds_and_by_its_longest_parts() {
    let path = |longest: f64| {
        let rest = (1.0 - longest) / 4.0;
        let shares = [longest, rest, rest, rest, rest - 0.0005, 0.0005];
        rows(vec![
            ("kind", texts(&["computation", "transfer", "computation", "start and end", "transfer", "unknown"])),
            ("container", texts(&["rank-0", "rank-1", "rank-2", "rank-2", "rank-3", "rank-3"])),
            ("target", texts(&["", "rank-2", "", "", "rank-1", ""])),
            ("value", texts(&["solve", "PTP", "", "MPI_Init", "PTP", "x"])),
            ("seconds", numbers(&shares.map(|share| 10.0 * share))),
            ("share", numbers(&shares)),
        ])
    };
    assert_eq!(
        critical_path(&path(0.6)).expect("a text").as_deref(),
        Some(
            "The 10 s from start to end are determined by 70 % computation, 20 % transfer, 10 % start and end. The longest \
             parts: solve of rank-0 (6 s, 60 %); messages (PTP) from rank-1 to rank-2 (1 s, 10 %); no state of rank-2 (1 s, \
             10 %)."
        )
    );
}

/// Twenty ranks compute for 4 % each, and wait for four messages of 5 %: no one alone matters.
#[test]
fn a_path_of_many_containers_is_said_together() {
    let names: Vec<String> = (0..20).map(|rank| format!("rank-{rank}")).collect();
    let who: Vec<&str> = names[..4].iter().chain(&names).map(String::as_str).collect();
    let column = |messages: &'static str, states: &'static str| {
        texts(&std::iter::repeat_n(messages, 4).chain(std::iter::repeat_n(states, 20)).collect::<Vec<_>>())
    };
    let shares: Vec<f64> = std::iter::repeat_n(0.05, 4).chain(std::iter::repeat_n(0.04, 20)).collect();
    let path = rows(vec![
        ("kind", column("transfer", "computation")),
        ("container", texts(&who)),
        ("target", column("rank-9", "")),
        ("value", column("", "solve")),
        ("seconds", numbers(&shares)),
        ("share", numbers(&shares)),
    ]);
    assert_eq!(
        critical_path(&path).expect("a text").as_deref(),
        Some(
            "The 1 s from start to end are determined by 80 % computation, 20 % transfer. The longest parts: solve of 20 \
             containers (800 ms, 80 %); messages of 4 containers (200 ms, 20 %)."
        )
    );
}

#[test]
fn changes_are_said_in_the_order_of_time() {
    // Three periods; the second brings waiting, the third changes nothing that counts.
    let mix = rows(vec![
        ("period", numbers(&[0.0, 0.0, 1.0, 1.0, 2.0, 2.0])),
        ("start_time", numbers(&[0.0, 0.0, 2.5, 2.5, 4.0, 4.0])),
        ("activity", texts(&["run", "wait", "run", "wait", "run", "wait"])),
        ("share_before", numbers(&[f64::NAN, f64::NAN, 0.9, 0.1, 0.2, 0.7])),
        ("share", numbers(&[0.9, 0.1, 0.2, 0.7, 0.21, 0.69])),
    ]);
    let slices = |least, most| rows(vec![("least", numbers(&[least])), ("most", numbers(&[most]))]);
    assert_eq!(
        changes(&mix, &slices(0.2, 0.9), &MomentFormat::of(0.0, 5.0)).expect("a text").as_deref(),
        Some("At 2.5 s, wait rises from 10 % to 70 % and run falls from 90 % to 20 %.")
    );
    // A window of a second far from zero needs tenths of its thousandths.
    let late = rows(vec![
        ("period", numbers(&[0.0, 0.0, 1.0, 1.0])),
        ("start_time", numbers(&[1406.0298, 1406.0298, 1406.524_406, 1406.524_406])),
        ("activity", texts(&["run", "wait", "run", "wait"])),
        ("share_before", numbers(&[f64::NAN, f64::NAN, 0.9, 0.1])),
        ("share", numbers(&[0.9, 0.1, 0.2, 0.7])),
    ]);
    assert_eq!(
        changes(&late, &slices(0.2, 0.9), &MomentFormat::of(1406.0298, 1407.0897)).expect("a text").as_deref(),
        Some("At 1406.5244 s, wait rises from 10 % to 70 % and run falls from 90 % to 20 %.")
    );
    let first: Vec<_> = ["period", "start_time", "share_before", "share"].into_iter().collect();
    let mut one: Vec<(&str, ArrayRef)> =
        first.into_iter().map(|name| (name, numbers(&[if name == "share_before" { f64::NAN } else { 0.0 }]))).collect();
    one.push(("activity", texts(&["run"])));
    let one = rows(one);
    assert_eq!(
        changes(&one, &slices(0.5, 0.54), &MomentFormat::of(0.0, 5.0)).expect("a text").as_deref(),
        Some("The mix of activities stays about the same over the run.")
    );
    assert_eq!(
        changes(&one, &slices(0.34, 0.85), &MomentFormat::of(0.0, 5.0)).expect("a text").as_deref(),
        Some("No change lasts, but the efficiency goes from 34 % to 85 % for short times.")
    );
}

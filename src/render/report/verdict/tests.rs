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
    let text = efficiency(&rows(columns(f64::NAN, 0.01))).expect("a text");
    let plain =
        "3.5 % of the time of 16 containers (MPI) is useful: parallel efficiency 0.035 over 330 ms, where 1 is best.";
    assert_eq!(text.as_deref(), Some(plain));
    let text = efficiency(&rows(columns(0.5, 0.5))).expect("a text").expect("a text");
    let end = "where 1 is best, load balance 0.5, communication efficiency 0.5; over time it is between 1 % (at 100 ms) \
               and 50 % (at 200 ms).";
    assert!(text.ends_with(end), "{text}");
    // A type without computation says nothing.
    let none: Vec<_> = columns(0.5, 0.5).into_iter().map(|(name, array)| (name, array.slice(1, 1))).collect();
    assert_eq!(efficiency(&rows(none)).expect("a text"), None);
}

#[test]
fn waiting_is_said_with_who_waits_for_whom() {
    let states = rows(vec![
        ("activity", texts(&["waiting", "computation", "waiting", "waiting", "overhead"])),
        ("value", texts(&["", "", "MPI_Recv", "MPI_Wait", ""])),
        ("seconds", numbers(&[4.0, 3.5, 3.0, 1.0, 0.001])),
        ("all_seconds", numbers(&[8.0; 5])),
    ]);
    let waits = rows(vec![
        ("kind", texts(&["late sender", "unexplained"])),
        ("container", texts(&["rank-0", "rank-1"])),
        ("partner", texts(&["rank-2", ""])),
        ("waits", numbers(&[117.0, 1.0])),
        ("seconds", numbers(&[1.5, 0.2])),
    ]);
    let text = waiting(&states, &waits).expect("a text").expect("a text");
    assert_eq!(
        text,
        "4 s of 8 s, 50 %, are spent waiting, in MPI_Recv, MPI_Wait. The other time: computation 43.8 %. The largest: rank-0 \
         waits 1.5 s for rank-2 (late sender, 117 waits); rank-1 waits 200 ms (unexplained, 1 wait)."
    );
}

#[test]
fn the_path_is_said_by_kinds_and_by_its_longest_parts() {
    let path = rows(vec![
        ("kind", texts(&["computation", "transfer", "computation"])),
        ("container", texts(&["rank-0", "rank-1", "rank-2"])),
        ("value", texts(&["solve", "PTP", ""])),
        ("seconds", numbers(&[5.0, 3.0, 2.0])),
        ("share", numbers(&[0.5, 0.3, 0.2])),
    ]);
    assert_eq!(
        critical_path(&path).expect("a text").as_deref(),
        Some(
            "The 10 s from start to end are determined by 70 % computation, 30 % transfer. The longest parts: solve of rank-0 \
             (5 s, 50 %); PTP of rank-1 (3 s, 30 %); no state of rank-2 (2 s, 20 %)."
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
        changes(&mix, &slices(0.2, 0.9)).expect("a text").as_deref(),
        Some("At 2.5 s, wait rises from 10 % to 70 % and run falls from 90 % to 20 %.")
    );
    let first: Vec<_> = ["period", "start_time", "share_before", "share"].into_iter().collect();
    let mut one: Vec<(&str, ArrayRef)> =
        first.into_iter().map(|name| (name, numbers(&[if name == "share_before" { f64::NAN } else { 0.0 }]))).collect();
    one.push(("activity", texts(&["run"])));
    let one = rows(one);
    assert_eq!(
        changes(&one, &slices(0.5, 0.54)).expect("a text").as_deref(),
        Some("The mix of activities stays about the same over the run.")
    );
    assert_eq!(
        changes(&one, &slices(0.34, 0.85)).expect("a text").as_deref(),
        Some("No change lasts, but the efficiency goes from 34 % to 85 % for short times.")
    );
}

//! Tests of `series`.

use super::*;

fn chosen(series: &[(&'static str, &[f64])]) -> Option<(&'static str, &'static str)> {
    let values = |values: &[f64]| values.iter().enumerate().map(|(slice, value)| (slice as i64, *value)).collect();
    pair(&series.iter().map(|(name, numbers)| (*name, values(numbers))).collect())
}

const SENT: (&str, &[f64]) = ("sent", &[0.0, 9.0, 1.0, 8.0]);
const RECEIVED: (&str, &[f64]) = ("received", &[0.0, 9.0, 1.0, 8.0]);
const TWICE: (&str, &[f64]) = ("twice", &[5.0, 23.0, 7.0, 21.0]);
const READY: (&str, &[f64]) = ("ready", &[1.0, 2.0, 3.0, 4.0]);
const CONSTANT: (&str, &[f64]) = ("constant", &[7.0, 7.0, 7.0, 7.0]);

/// What is sent is received: one of both, against something else that varies less.
#[test]
fn two_that_are_the_same_series_are_not_a_pair() {
    assert_eq!(chosen(&[SENT, RECEIVED, READY, CONSTANT]), Some(("ready", "received")));
    // A factor and an offset make no other series.
    assert_eq!(chosen(&[SENT, TWICE, READY]), Some(("ready", "sent")));
}

#[test]
fn without_two_that_vary_differently_there_is_no_pair() {
    assert_eq!(chosen(&[SENT, RECEIVED, CONSTANT]), None);
    assert_eq!(chosen(&[SENT, TWICE]), None);
    assert_eq!(chosen(&[SENT]), None);
    // Two counters that are nearly alike are better than none.
    assert_eq!(chosen(&[SENT, ("near", &[0.0, 9.0, 1.0, 8.01])]), Some(("near", "sent")));
    assert_eq!(chosen(&[]), None);
}

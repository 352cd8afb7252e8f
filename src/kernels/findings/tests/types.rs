//! Which of several types of states findings are about.

use super::super::rows::{ActivityRow, StateActivity, StateCell};
use super::super::state_type::{main_type, waits_again};
use super::{RANKS, SLICES, TestRun, noise, same};

/// A run whose ranks have states of a second type as well, for a part of each slice: no state of it is computation.
fn with_calls(value: &str, activity: StateActivity, part: f64) -> TestRun {
    let mut run = TestRun::new(1.0, same).works(same, noise);
    let [kind, value] = ["Calls", value].map(|text| run.text(text));
    run.rows.activities.push(ActivityRow { kind, value, activity, no_state: StateActivity::Computation });
    for container in 0..RANKS {
        for slice in 0..SLICES as u32 {
            run.rows.states.push(StateCell { container, slice, kind, value, seconds: part });
        }
    }
    run
}

#[test]
fn states_that_compute_say_more_than_time_between_a_few_calls() {
    // 400 s in states of computation, 799.2 s between calls of 0.001 s.
    let mut run = with_calls("start", StateActivity::StartAndEnd, 0.001);
    let [state, calls] = ["State", "Calls"].map(|text| run.text(text));
    assert_eq!(main_type(&run.rows), Some(state));
    assert!(!waits_again(&run.rows, state));
    // Where no state is computation, time between calls is.
    run.rows.states.retain(|cell| cell.kind == calls);
    assert_eq!(main_type(&run.rows), Some(calls));
}

#[test]
fn waits_of_two_types_at_a_time_are_those_of_the_main_type() {
    let mut run = with_calls("receive", StateActivity::Waiting, 0.2);
    let [state, calls] = ["State", "Calls"].map(|text| run.text(text));
    assert!(waits_again(&run.rows, state));
    // Time between calls does not say that nobody waits then.
    assert!(!waits_again(&run.rows, calls));
    // Who has states of one type only waits in these.
    run.rows.states.retain(|cell| (cell.kind == calls) == (cell.container < 4));
    assert!(!waits_again(&run.rows, state));
}

#[test]
fn a_main_type_without_waits_leaves_them_to_others() {
    let mut run = with_calls("receive", StateActivity::Waiting, 0.2);
    let [state, work] = ["State", "work"].map(|text| run.text(text));
    run.rows.states.retain(|cell| cell.kind != state || cell.value == work);
    assert_eq!(main_type(&run.rows), Some(state));
    assert!(!waits_again(&run.rows, state));
}

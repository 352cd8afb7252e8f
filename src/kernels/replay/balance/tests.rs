//! Phases with equal work.

use proptest::prelude::*;

use super::super::BalancedPhases;
use super::super::samples::{States, barrier, state, wait, work};
use super::super::tests::replayed;
use super::*;

fn balanced() -> ReplayChanges {
    ReplayChanges { balance: Some(BalancedPhases::default()), ..ReplayChanges::NONE }
}

/// Work of 6 and 2, then of 2 and 2 + 4: 4 each, then 4 each. The barrier takes a tick after both have come.
#[test]
fn two_phases() {
    let states = vec![
        work(1, 0, 6),
        barrier(1, 6, 7),
        work(1, 7, 9),
        work(2, 0, 2),
        barrier(2, 2, 7),
        work(2, 7, 9),
        state(2, 9, 13, StateRole::Other),
    ];
    let (states, _) = replayed(&states, &vec![], &balanced());
    assert_eq!(states, [(0, 4), (4, 5), (5, 9), (0, 4), (4, 5), (5, 6), (6, 9)]);
}

/// No state is computation: who is in none works. 1 works for 4 ticks between its calls, 2 for 2.
#[test]
fn work_between_calls() {
    let states = vec![barrier(1, 0, 2), barrier(1, 6, 8), barrier(2, 0, 2), barrier(2, 4, 8)];
    let (states, _) = replayed(&states, &vec![], &balanced());
    assert_eq!(states, [(0, 2), (5, 7), (0, 2), (5, 7)]);
}

/// Who does not work has no part; waiting that nothing explains stays.
#[test]
fn who_does_not_work() {
    let states = vec![work(1, 0, 6), work(2, 0, 2), wait(3, 0, 6)];
    let (states, _) = replayed(&states, &vec![], &balanced());
    assert_eq!(states, [(0, 4), (0, 4), (0, 6)]);
}

/// Only in the window: of the first 2 ticks 1 works both, 2 only the second.
#[test]
fn a_balanced_window() {
    let states = vec![work(1, 0, 6), work(2, 1, 4)];
    let (states, _) = replayed(&states, &vec![], &ReplayChanges { window: (0, 2), ..balanced() });
    assert_eq!(states, [(0, 6), (1, 5)]);
}

fn rounds() -> impl Strategy<Value = Vec<Vec<i64>>> {
    prop::collection::vec(prop::collection::vec(1..50_i64, 3), 1..6)
}

proptest! {
    /// All come to every barrier together, but for rounding, and the run takes as long as the mean of each phase.
    #[test]
    fn all_come_together(rounds in rounds()) {
        let mut states: States = vec![];
        let (mut now, mut mean) = (0, 0.0);
        for works in &rounds {
            let end = now + works.iter().max().copied().unwrap_or(0) + 1;
            for (container, ticks) in (0..).zip(works) {
                states.push(work(container, now, now + ticks));
                states.push(barrier(container, now + ticks, end));
            }
            mean += works.iter().sum::<i64>() as f64 / 3.0 + 1.0;
            now = end;
        }
        let (new, _) = replayed(&states, &vec![], &balanced());
        for ((_, end), row) in new.iter().zip(&states) {
            let alike = states.iter().zip(&new).filter(|(other, _)| other.state.end == row.state.end && other.state.joins);
            prop_assert!(!row.state.joins || alike.into_iter().all(|(_, other)| other.1 == *end));
        }
        let end = new.iter().map(|(_, end)| *end).max().unwrap_or(0);
        prop_assert!((end as f64 - mean).abs() <= rounds.len() as f64, "{end} for {mean}");
    }
}

//! Threads that leave with and without a word.

use super::*;

#[test]
fn a_thread_that_left_unseen_runs_until_its_cpu_leaves_another() {
    let mut running = RunningThreads::default();
    let (a, b, c, d) = ('a', 'b', 'c', 'd');
    assert_eq!(running.switch(0, a, b), None, "nothing was known before");
    assert_eq!(running.switch(0, c, d), Some(b));
    assert_eq!(running.switch(0, d, a), None);
    assert_eq!((running.switches, running.unexpected), (3, 1));
}

#[test]
fn a_thread_that_runs_elsewhere_goes_on() {
    let mut running = RunningThreads::default();
    assert_eq!(running.switch(0, 'a', 'b'), None);
    assert_eq!(running.switch(1, 'c', 'b'), None, "it has moved, unseen");
    assert_eq!(running.switch(0, 'd', 'e'), None, "it runs on the other CPU now");
    assert_eq!(running.switch(1, 'b', 'c'), None);
    assert_eq!(running.unexpected, 1);
}

#[test]
fn a_thread_that_was_seen_to_leave_elsewhere_has_left() {
    let mut running = RunningThreads::default();
    assert_eq!(running.switch(0, 'a', 'b'), None);
    assert_eq!(running.switch(1, 'b', 'c'), None);
    assert_eq!(running.switch(0, 'd', 'e'), None);
    assert_eq!(running.unexpected, 1);
}

#[test]
fn a_thread_that_comes_back_at_once_starts_anew() {
    let mut running = RunningThreads::default();
    assert_eq!(running.switch(0, 'a', 'b'), None);
    assert_eq!(running.switch(0, 'c', 'b'), Some('b'));
    assert_eq!(running.switch(0, 'b', 'a'), None);
}

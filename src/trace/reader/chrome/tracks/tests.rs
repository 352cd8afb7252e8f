//! Threads in use share few places.

use std::collections::BTreeSet;

use super::*;

/// How many places 200 threads have, by the JSON of their numbers.
fn places(ids: impl Fn(usize) -> (String, String)) -> usize {
    let place = |number| {
        let (process, thread) = ids(number);
        place_of(process.as_bytes(), thread.as_bytes())
    };
    (0..200).map(place).collect::<BTreeSet<usize>>().len()
}

#[test]
fn processes_and_threads_both_decide_of_the_place() {
    // At random 182.
    assert!(places(|number| (number.to_string(), "7".to_string())) >= 160, "the same thread of many processes");
    assert!(places(|number| ("1".to_string(), number.to_string())) >= 160, "threads of one process");
    assert!(places(|number| (format!("\"{number}\""), number.to_string())) >= 160, "both count");
}

//! Tests of `distinct_names`.

use super::*;

#[test]
fn only_names_that_repeat_are_repeated() {
    let found = repeated(["a", "b", "a", "c", "a"]);
    assert_eq!(found, HashSet::from(["a"]));
}

#[test]
fn later_bearers_are_numbered_and_no_number_is_taken() {
    let mut names: Vec<String> = ["a", "b", "a", "a #2", "a"].map(String::from).to_vec();
    number(&mut names);
    assert_eq!(names, ["a", "b", "a #3", "a #2", "a #4"]);
}

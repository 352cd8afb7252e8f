//! Tests of `functions`.

use super::*;

#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

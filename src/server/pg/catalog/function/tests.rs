//! Tests of `function`.

use super::*;

#[test]
fn names_are_split_and_quoted() {
    assert_eq!(identifiers("Lu.\"My.Table\""), ["lu", "My.Table"]);
    assert_eq!(identifiers("states"), ["states"]);
    assert_eq!(quoted("states_2"), "states_2");
    assert_eq!(quoted("2nd run"), "\"2nd run\"");
}

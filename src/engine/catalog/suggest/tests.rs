//! Tests of `suggest`.

use super::*;

#[test]
fn a_slip_is_recognized_and_a_stranger_is_not() {
    let names = ["states", "state_segments", "events", "links"];
    assert_eq!(nearest("stats", names), Some("states"));
    assert_eq!(nearest("STATES", names), Some("states"));
    assert_eq!(nearest("evnets", names), Some("events"));
    assert_eq!(nearest("state_segment", names), Some("state_segments"));
    assert_eq!(nearest("weather", names), None);
    assert_eq!(did_you_mean("link", names), "; did you mean links?");
    assert_eq!(did_you_mean("", names), "");
}

#[test]
fn long_names_are_not_compared() {
    let long = "s".repeat(4_000_000);
    assert_eq!(nearest(&long, ["states"]), None);
    assert_eq!(nearest("states", [long.as_str(), "states"]), Some("states"));
    assert_eq!(nearest(&long, [long.as_str()]), None);
}

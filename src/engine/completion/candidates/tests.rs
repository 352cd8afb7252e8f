//! Tests of `candidates`.

use super::*;

fn names() -> CompletionNames {
    let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    CompletionNames {
        schemas: list(&["all_traces", "lu"]),
        tables: [("lu".to_string(), list(&["links", "states"]))].into(),
        columns: [("states".to_string(), list(&["start_time", "value"]))].into(),
        functions: list(&["events_at", "starts_with", "sum"]),
        table_functions: list(&["events_at"]),
        arguments: [("events_at".to_string(), list(&["relation", "time"]))].into(),
        function_columns: [("events_at".to_string(), list(&["kind", "value"]))].into(),
        current_schema: "lu".to_string(),
    }
}

#[test]
fn sql_is_completed_where_the_cursor_is() {
    for (before, start, expected) in [
        ("SELECT * FROM sta", 14, vec!["states"]),
        ("SELECT * FROM l", 14, vec!["links", "lu"]),
        ("SELECT * FROM lu.s", 14, vec!["lu.states"]),
        ("SELECT states.v", 7, vec!["states.value"]),
        ("SELECT st", 7, vec!["start_time", "starts_with", "states"]),
        ("SELECT 1 FROM e", 14, vec!["events_at"]),
        ("SELECT su", 7, vec!["sum", "summarize"]),
        ("SEL", 0, vec!["SELECT"]),
        ("sel", 0, vec!["select"]),
        ("SELECT 'st", 8, vec![]),
        ("SELECT 1", 7, vec![]),
        ("SELECT é, va", 11, vec!["value", "values"]),
    ] {
        assert_eq!(
            sql_candidates(&names(), before, ""),
            (start, expected.iter().map(|s| s.to_string()).collect()),
            "{before}"
        );
    }
}

#[test]
fn arguments_and_columns_of_aliases_are_completed() {
    for (before, after, start, expected) in [
        ("SELECT * FROM events_at(", "", 24, vec!["relation => ", "time => "]),
        ("SELECT * FROM events_at(ti", "", 24, vec!["time => "]),
        ("SELECT * FROM events_at(time => 1, ", "", 35, vec!["relation => "]),
        ("SELECT * FROM events_at(time => 1, t", "", 35, vec![]),
        ("SELECT s.v", " FROM states AS s", 7, vec!["s.value"]),
        ("SELECT S.", " FROM lu.states s", 7, vec!["S.start_time", "S.value"]),
        ("SELECT * FROM states s JOIN events_at(1) e ON e.k", "", 46, vec!["e.kind"]),
        ("SELECT x.v", " FROM states AS s", 7, vec![]),
    ] {
        let expected: Vec<String> = expected.iter().map(|s| s.to_string()).collect();
        let (found_start, mut found) = sql_candidates(&names(), before, after);
        found.retain(|name| name.ends_with("=> ") || name.contains('.'));
        assert_eq!((found_start, found), (start, expected), "{before}|{after}");
    }
}

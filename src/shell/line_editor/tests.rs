//! Tests of `line_editor`.

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
fn commands_and_their_arguments_are_completed() {
    for (before, start, expected) in [
        (".ti", 0, vec![".timer", ".timing"]),
        ("\\d sta", 3, vec!["states"]),
        (".mode c", 6, vec!["csv"]),
        (".timing o", 8, vec!["off", "on"]),
        (".use l", 5, vec!["lu"]),
        ("\\c a", 3, vec!["all_traces"]),
        (".pager of", 7, vec!["off"]),
        (".nonsense x", 10, vec![]),
    ] {
        assert_eq!(
            command_candidates(&names(), before),
            (start, expected.iter().map(|s| s.to_string()).collect()),
            "{before}"
        );
    }
}

#[test]
fn highlighting_adds_nothing_but_colors() {
    let line = "select 'x', 15 from états -- why";
    let shown = colored(line);
    assert!(shown.starts_with("\x1b[1;34mselect\x1b[0m "), "{shown:?}");
    let plain = [KEYWORD_COLOR, QUOTE_COLOR, NUMBER_COLOR, COMMENT_COLOR, PLAIN]
        .iter()
        .fold(shown, |text, color| text.replace(color, ""));
    assert_eq!(plain, line);
}

//! Errors as users see them.

use super::*;

async fn message(sql: &str) -> String {
    let mut store = HandMade::new();
    store.trace("lu").table("states", &[], vec![with_cuts(states(&[("a", 0, 1, 0)]), &[false])], 9);
    let engine = store.engine(EngineOptions::default()).expect("an engine");
    failure(&engine, sql).await
}

#[tokio::test]
async fn unknown_names_come_with_a_place_and_a_suggestion() {
    let expected = "no column valeu; did you mean value?\n  |\n1 | SELECT valeu FROM states\n  |        ^^^^^";
    assert_eq!(message("SELECT valeu FROM states").await, expected);
    let expected = "no table stats; did you mean states?\n  |\n2 | FROM stats\n  |      ^^^^^";
    assert_eq!(message("SELECT 1\nFROM stats").await, expected);
    let text = message("SELECT * FROM lu.stats").await;
    assert!(text.starts_with("no table stats; did you mean states?\n"), "{text}");
    let text = message("SELECT * FROM ul.states").await;
    assert!(text.starts_with("no table states; did you mean lu.states?\n"), "{text}");
    let text = message("SELECT flor(1.5)").await;
    assert!(text.starts_with("no function flor; did you mean floor?\n"), "{text}");
    let text = message("SELECT * FROM event_at(1)").await;
    assert!(text.starts_with("no function event_at for FROM; did you mean events_at?"), "{text}");
    let text = message("SELECT events_at(1)").await;
    assert!(text.starts_with("events_at gives a table"), "{text}");
}

#[tokio::test]
async fn syntax_errors_point_to_the_place() {
    let text = message("SELECT 1;\nSELEC 2").await;
    assert!(text.starts_with("syntax error: ") && text.ends_with("\n  |\n2 | SELEC 2\n  | ^"), "{text}");
    let text = message("SELECT 1\nFROM states WHERE ").await;
    assert!(text.ends_with("found: EOF\n  |\n2 | FROM states WHERE \n  |                  ^"), "{text}");
    let text = message("SELECT 'a").await;
    assert!(text.contains("\n1 | SELECT 'a\n"), "{text}");
}

#[tokio::test]
async fn wrong_arguments_point_to_the_place() {
    let expected = "events_at: unknown argument tiem; accepted: time; did you mean time?\n  |\n1 | SELECT * FROM events_at(tiem => 1)\n  |                         ^^^^";
    assert_eq!(message("SELECT * FROM events_at(tiem => 1)").await, expected);
    let text = message("SELECT * FROM events_at('soon')").await;
    assert!(text.starts_with("events_at: time must be a DOUBLE or TIMESTAMP, got 'soon'\n"), "{text}");
    let text = message("SELECT * FROM events_at()").await;
    assert_eq!(text, "events_at: missing time; it is called as events_at(time DOUBLE or TIMESTAMP)");
}

#[tokio::test]
async fn wrong_types_list_what_is_accepted() {
    let text = message("SELECT sum(value) FROM states").await;
    assert!(text.starts_with("no function sum(TEXT); there are: sum("), "{text}");
    assert!(!text.contains("bug") && !text.contains("Utf8"), "{text}");
}

#[tokio::test]
async fn failures_while_running_are_plain() {
    assert_eq!(message("SELECT 1 / (depth - depth) FROM states").await, "divide by zero error");
    assert_eq!(message("SELECT tick_seconds(1, 0)").await, "tick_seconds: ticks_per_second must be at least 1, got 0");
}

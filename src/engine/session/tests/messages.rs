//! Errors as users see them.

use super::*;
use ocellus_trace::error::{Error, QueryError, QueryErrorKind};

async fn error(sql: &str) -> QueryError {
    let mut store = HandMade::new();
    store.trace("lu").table("states", &[], vec![with_cuts(states(&[("a", 0, 1, 0)]), &[false])], 9);
    let engine = store.engine(EngineOptions::default()).expect("an engine");
    match engine.sql(sql).await {
        Err(Error::Query(error)) => *error,
        other => panic!("{sql} should fail as a query, gave {other:?}"),
    }
}

async fn message(sql: &str) -> String {
    error(sql).await.to_string()
}

/// Line, first column and the column after the last.
fn place(error: &QueryError) -> (u64, u64, u64) {
    let span = error.span.expect("a span");
    assert_eq!(span.start.line, span.end.line);
    (span.start.line, span.start.column, span.end.column)
}

#[tokio::test]
async fn unknown_names_come_with_a_place_and_a_suggestion() {
    let column = error("SELECT valeu FROM states").await;
    assert_eq!(column.kind, QueryErrorKind::UnknownColumn);
    assert_eq!(column.message, "no column valeu");
    assert_eq!(column.hint.as_deref(), Some("did you mean value?"));
    assert_eq!(place(&column), (1, 8, 13));
    let table = error("SELECT 1\nFROM stats").await;
    assert_eq!(table.kind, QueryErrorKind::UnknownTable);
    assert_eq!(table.to_string(), "no table stats; did you mean states?");
    assert_eq!(place(&table), (2, 6, 11));
    assert_eq!(message("SELECT * FROM lu.stats").await, "no table stats; did you mean states?");
    let trace = error("SELECT * FROM lux.states").await;
    assert_eq!(trace.kind, QueryErrorKind::UnknownTable);
    assert_eq!(trace.to_string(), "no trace lux in the store; it has: lu; did you mean lu?");
    assert_eq!(place(&trace), (1, 15, 25));
    assert_eq!(message("SELECT * FROM nope.stats").await, "no trace nope in the store; it has: lu");
    let function = error("SELECT flor(1.5)").await;
    assert_eq!(function.kind, QueryErrorKind::UnknownFunction);
    assert_eq!(function.to_string(), "no function flor; did you mean floor?");
    assert_eq!(message("SELECT * FROM event_at(1)").await, "no table function event_at; did you mean events_at?");
    assert_eq!(message("SELECT events_at(1)").await, "events_at is a table function; write FROM events_at(time => …)");
}

#[tokio::test]
async fn views_and_functions_taken_for_each_other_come_with_the_right_form() {
    let misspelled = error("SELECT *\nFROM evnts_at(time => 1)").await;
    assert_eq!(misspelled.kind, QueryErrorKind::UnknownFunction);
    assert_eq!(misspelled.to_string(), "no table function evnts_at; did you mean events_at?");
    assert_eq!(place(&misspelled), (2, 6, 14));
    for (sql, expected) in [
        (
            "SELECT * FROM flat_profile()",
            "flat_profile is a view, not a function; write FROM flat_profile, without parentheses",
        ),
        (
            "SELECT * FROM lu.flat_profile(container => 'a')",
            "flat_profile is a view, not a function; write FROM flat_profile, without parentheses",
        ),
        ("SELECT * FROM states(1)", "states is a table, not a function; write FROM states, without parentheses"),
        ("SELECT * FROM events_at", "events_at is a table function, not a table; write FROM events_at(time => …)"),
        ("SELECT * FROM critical_path", "critical_path is a table function, not a table; write FROM critical_path()"),
        ("SELECT * FROM flat_profil()", "no table function flat_profil; did you mean flat_profile?"),
        (
            "SELECT * FROM tick_seconds(1, 2)",
            "tick_seconds is a function of values, not a table function; write SELECT tick_seconds(…)",
        ),
        ("SELECT * FROM range(stop => 1)", "range takes no names of arguments; write the values alone"),
    ] {
        assert_eq!(message(sql).await, expected, "{sql}");
    }
}

#[tokio::test]
async fn syntax_errors_point_to_the_place() {
    let wrong = error("SELECT 1;\nSELEC 2").await;
    assert_eq!(wrong.kind, QueryErrorKind::Syntax);
    assert!(wrong.message.starts_with("syntax error: ") && !wrong.message.contains("Line"), "{wrong}");
    assert_eq!(place(&wrong), (2, 1, 1));
    let short = error("SELECT 1\nFROM states WHERE ").await;
    assert!(short.message.ends_with("found: EOF"), "{short}");
    assert_eq!(place(&short), (2, 18, 18));
    let open = error("SELECT 'a").await;
    assert_eq!(open.span.map(|span| span.start.line), Some(1), "{open}");
}

#[tokio::test]
async fn wrong_arguments_point_to_the_place() {
    let wrong = error("SELECT * FROM events_at(tiem => 1)").await;
    assert_eq!(wrong.message, "events_at: unknown argument tiem; accepted: time");
    assert_eq!(wrong.hint.as_deref(), Some("did you mean time?"));
    assert_eq!(place(&wrong), (1, 25, 29));
    let wrong = error("SELECT * FROM events_at('soon')").await;
    assert_eq!(wrong.message, "events_at: time must be a DOUBLE or TIMESTAMP, got 'soon'");
    assert!(wrong.span.is_some());
    let wrong = error("SELECT * FROM events_at()").await;
    assert_eq!(wrong.message, "events_at: missing time; it is called as events_at(time DOUBLE or TIMESTAMP)");
    assert_eq!(wrong.span, None);
}

#[tokio::test]
async fn wrong_types_list_what_is_accepted() {
    let text = message("SELECT sum(value) FROM states").await;
    assert!(text.starts_with("no function sum(TEXT); there are: sum("), "{text}");
    assert!(!text.contains("bug") && !text.contains("Utf8"), "{text}");
}

#[tokio::test]
async fn failures_while_running_are_plain() {
    let error = error("SELECT 1 / (depth - depth) FROM states").await;
    assert_eq!((error.kind, error.message.as_str()), (QueryErrorKind::DivisionByZero, "divide by zero error"));
    assert_eq!(message("SELECT tick_seconds(1, 0)").await, "tick_seconds: ticks_per_second must be at least 1, got 0");
}

/// What servers open: the store and nothing beside it.
#[tokio::test]
async fn a_server_reads_no_files_and_finds_no_values_of_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.csv");
    std::fs::write(&path, "a,b\n1,2\n").expect("a file");
    let sql = format!("SELECT * FROM read_csv('{}')", path.display());
    let mut store = HandMade::new();
    store.trace("lu").table("states", &[], vec![with_cuts(states(&[("a", 0, 1, 0)]), &[false])], 9);
    let readable = store.engine(EngineOptions::default()).expect("an engine");
    assert_eq!(readable.sql(&sql).await.expect("rows").len(), 1);
    let hidden = store.engine(EngineOptions { files: Files::Hidden, ..EngineOptions::default() }).expect("an engine");
    for function in ["read_csv", "read_parquet"] {
        let sql = format!("SELECT * FROM {function}('{}')", path.display());
        let error = hidden.sql(&sql).await.expect_err("a refusal").to_string();
        assert!(error.contains("files beside the store cannot be read on a server or a cluster"), "{error}");
    }
    // Servers plan, and run what is planned: no query runs before.
    let pivot = hidden.split("PIVOT states ON value USING count(*)").expect("a statement").remove(0);
    let error = hidden.plan(&pivot).await.expect_err("a refusal");
    assert!(error.to_string().contains("PIVOT without its values"), "{error}");
    assert!(hidden.split("USE lu").expect("a statement")[0].is_use());
}

//! A store as tables.

use super::*;

const SECOND: i64 = 1_000_000_000;

/// Two traces whose states differ in their extra columns.
fn two_traces() -> HandMade {
    let mut store = HandMade::new();
    let mut first = with_cuts(states(&[("run", 0, 4 * SECOND, 0), ("wait", SECOND, 2 * SECOND, 1)]), &[true, false]);
    first.push(("line", longs(&[7, 8])));
    // An older file: no extra column.
    let older = with_cuts(states(&[("idle", 4 * SECOND, 5 * SECOND, 0)]), &[false]);
    let mut pieces = states(&[("run", 0, SECOND, 0), ("run", 2 * SECOND, 4 * SECOND, 0)]);
    pieces.push(("line", longs(&[7, 7])));
    store.trace("ep").table("states", &[("line", ColumnType::Double)], vec![first, older], 100).table(
        "state_segments",
        &[("line", ColumnType::Double)],
        vec![pieces],
        100,
    );
    let mut second = with_cuts(states(&[("go", SECOND / 2, SECOND, 0)]), &[false]);
    second.push(("line", texts(&["x.c:3"])));
    second.push(("weight", doubles(&[2.5])));
    store.trace("lu").table("states", &[("line", ColumnType::Text), ("weight", ColumnType::Double)], vec![second], 100);
    store
}

fn open(store: &HandMade, trace: Option<&str>) -> Engine {
    let trace = trace.map(str::to_string);
    store.engine(EngineOptions { trace, threads: Some(2), ..EngineOptions::default() }).expect("an engine")
}

#[tokio::test]
async fn ticks_show_as_seconds() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    let sql =
        "SELECT value, start_time, end_time, duration, depth, line, start_tick FROM states ORDER BY start_tick, depth";
    let expected = ["run|0.0|4.0|4.0|0|7.0|0", "wait|1.0|2.0|1.0|1|8.0|1000000000", "idle|4.0|5.0|1.0|0||4000000000"];
    assert_eq!(rows(&engine, sql).await, expected);
}

#[tokio::test]
async fn columns_come_in_the_order_of_the_schema_and_hide_the_cut() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    let table = engine.table("ep", "states").await.expect("no error").expect("a table");
    let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let expected = [
        "container_id",
        "container",
        "type",
        "value",
        "start_time",
        "end_time",
        "duration",
        "depth",
        "line",
        "start_tick",
        "end_tick",
    ];
    assert_eq!(names, expected);
    assert_eq!(table.columns[3].kind, "TEXT");
    assert_eq!(table.columns[3].doc, "Name of the state.");
    assert_eq!(table.columns[4].doc, "When the state began.");
    assert_eq!(table.columns[8].doc, "Field line.");
    assert!(failure(&engine, "SELECT is_cut FROM states").await.contains("no column is_cut"));
    let batches = engine.sql("SELECT start_time, value FROM states").await.expect("rows");
    let schema = batches[0].schema();
    let comments: Vec<_> = schema.fields().iter().map(|field| field.metadata().get("comment").cloned()).collect();
    assert_eq!(comments[1].as_deref(), Some("Name of the state."));
}

#[tokio::test]
async fn segments_are_whole_states_and_pieces() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    let sql = "SELECT value, start_time, end_time, depth, line FROM state_segments ORDER BY start_time";
    let expected = ["run|0.0|1.0|0|7.0", "wait|1.0|2.0|1|8.0", "run|2.0|4.0|0|7.0", "idle|4.0|5.0|0|"];
    assert_eq!(rows(&engine, sql).await, expected);
    // A trace without pieces has only whole states.
    assert_eq!(rows(&engine, "SELECT value, weight FROM lu.state_segments").await, ["go|2.5"]);
}

#[tokio::test]
async fn all_traces_join_columns_by_name() {
    let store = two_traces();
    let engine = open(&store, None);
    let sql = "SELECT trace, value, line, weight, start_tick FROM all_traces.states ORDER BY trace, start_tick, value";
    let expected = ["ep|run|7.0||0", "ep|wait|8.0||1000000000", "ep|idle|||4000000000", "lu|go|x.c:3|2.5|500000000"];
    assert_eq!(rows(&engine, sql).await, expected);
    let sql = "SELECT count(*) FROM all_traces.state_segments WHERE trace = 'lu'";
    assert_eq!(rows(&engine, sql).await, ["1"]);
    assert_eq!(
        rows(&engine, "SELECT trace, name, lines FROM all_traces.trace_info ORDER BY 1").await,
        ["ep|ep|12", "lu|lu|12"]
    );
}

#[tokio::test]
async fn a_table_without_files_is_empty() {
    let store = two_traces();
    let engine = open(&store, Some("lu"));
    for table in ocellus_trace::schema::tables()
        .iter()
        .filter(|table| !["states", "state_segments", "trace_info"].contains(&table.name.as_str()))
    {
        assert_eq!(rows(&engine, &format!("SELECT * FROM {}", table.name)).await, Vec::<String>::new());
    }
    let sql = "SELECT count(*), sum(duration) FROM links WHERE start_time > 1 AND start_time < 2";
    assert_eq!(rows(&engine, sql).await, ["0|"]);
}

#[tokio::test]
async fn trace_info_comes_from_the_manifest() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    let sql = "SELECT name, format, source, bytes, start_time, end_time, states, lines, ticks_per_second, origin, imported_at FROM trace_info";
    assert_eq!(
        rows(&engine, sql).await,
        ["ep|paje|ep.trace|1234|0.5|4.0|3|12|1000000000|1970-01-01T00:00:00Z|2023-11-14T22:13:20Z"]
    );
}

#[tokio::test]
async fn the_default_schema_is_the_chosen_trace_or_the_only_one() {
    let store = two_traces();
    assert_eq!(rows(&open(&store, Some("lu")), "SELECT value FROM states").await, ["go"]);
    let undecided = open(&store, None);
    let message = failure(&undecided, "SELECT value FROM states").await;
    assert!(message.contains("which trace? the store has ep, lu; write ep.states"), "{message}");
    for schema in ["", "all_traces."] {
        let message = failure(&undecided, &format!("SELECT * FROM {schema}flat_profile")).await;
        assert!(message.contains("the store has ep, lu; write ep.flat_profile, or choose a trace"), "{message}");
    }
    let message = failure(&undecided, "SELECT * FROM events_at(1)").await;
    assert!(message.contains("which trace?"), "{message}");
    assert_eq!(rows(&undecided, "SELECT value FROM lu.events_at(0.75)").await, ["go"]);
    assert_eq!(
        rows(&undecided, "SET datafusion.catalog.default_schema = 'lu'; SELECT value FROM states").await,
        ["go"]
    );
    let error = store.engine(EngineOptions { trace: Some("l".to_string()), ..EngineOptions::default() });
    let message = error.expect_err("an unknown trace").to_string();
    assert!(message.contains("no trace l in the store; it has: ep, lu"), "{message}");
    let mut only = HandMade::new();
    only.trace("one").table("states", &[], vec![with_cuts(states(&[("a", 0, 1, 0)]), &[false])], 9);
    assert_eq!(rows(&open(&only, None), "SELECT value FROM states").await, ["a"]);
    let empty = open(&HandMade::new(), None);
    assert!(failure(&empty, "SELECT * FROM states").await.contains("the store holds no trace"));
    assert_eq!(rows(&empty, "SELECT * FROM all_traces.states").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_session_can_add_views_but_not_replace_tables() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    assert_eq!(
        rows(&engine, "CREATE VIEW runs AS SELECT * FROM states WHERE value = 'run'; SELECT count(*) FROM runs").await,
        ["1"]
    );
    assert!(failure(&engine, "CREATE OR REPLACE VIEW states AS SELECT 1").await.contains("states"));
    assert!(failure(&engine, "DROP VIEW states").await.contains("states"));
    assert_eq!(rows(&engine, "SELECT count(*) FROM summarize(runs)").await, ["11"]);
}

#[tokio::test]
async fn the_shell_can_ask_what_there_is() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    assert_eq!(engine.schemas(), ["all_traces", "ep", "lu"]);
    assert_eq!(engine.traces().len(), 2);
    assert_eq!(engine.current_schema(), "ep");
    let tables = engine.tables("ep").await.expect("tables");
    let names: Vec<&str> = tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names[..3], ["containers", "states", "state_segments"]);
    assert_eq!(tables[1].kind, "table");
    let view = tables.iter().find(|table| table.name == "container_ancestors").expect("the view");
    let distance = view.columns.iter().find(|column| column.name == "distance").expect("a column");
    assert_eq!((view.kind, distance.doc.as_str()), ("view", "Steps up from the container; 0 for itself."));
    assert!(engine.function_names().iter().any(|name| name == "events_at"));
    let sql = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'lu' AND table_name IN ('states', 'state_segments', 'nothing') ORDER BY 1";
    assert_eq!(rows(&engine, sql).await, ["state_segments", "states"]);
}

#[tokio::test]
async fn files_are_tables_and_copy_writes_them() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    let path = store.folder.path().join("out.parquet");
    let path = path.display();
    let copy = format!("COPY (SELECT value, duration FROM states) TO '{path}'");
    let statements = engine.split(&copy).expect("a statement");
    let answer = engine.run(&statements[0]).await.expect("an answer");
    assert_eq!(answer.kind, crate::session::ResultKind::Count);
    let batches: Vec<RecordBatch> = futures::TryStreamExt::try_collect(answer.stream).await.expect("a count");
    assert_eq!(crate::session::counted(&batches), Some(3));
    assert_eq!(rows(&engine, &format!("SELECT sum(duration) FROM '{path}'")).await, ["6.0"]);
    assert_eq!(rows(&engine, &format!("SUMMARIZE '{path}'")).await.len(), 2);
}

#[tokio::test]
async fn a_prepared_statement_gives_what_it_was_prepared_for() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    for statement in [
        "PREPARE n AS SELECT count(*) AS n FROM states",
        "PREPARE shorter (DOUBLE) AS SELECT x FROM (VALUES (1.0), (2.0), (3.0)) AS t (x) WHERE x < $1",
    ] {
        engine.sql(statement).await.expect("prepared");
    }
    assert_eq!(rows(&engine, "EXECUTE n").await, ["3"]);
    assert_eq!(rows(&engine, "EXECUTE shorter (2.5)").await, ["1.0", "2.0"]);
    let executed = engine.split("EXECUTE shorter (1.5)").expect("a statement");
    let answer = engine.run(&executed[0]).await.expect("an answer");
    assert_eq!((answer.kind, answer.schema.fields().len()), (crate::session::ResultKind::Rows, 1));
    assert!(engine.sql("EXECUTE nothing").await.is_err());
}

#[tokio::test]
async fn columns_of_equal_names_are_read_back_from_a_file() {
    let store = two_traces();
    let engine = open(&store, Some("ep"));
    let tables = "(VALUES (1, 2)) AS a (x, y), (VALUES (3, 4)) AS b (x, y)";
    for (index, columns) in ["a.*, b.*", "*", "a.x, a.y, b.x, b.y", "a.*, b.x, b.y"].into_iter().enumerate() {
        let path = store.folder.path().join(format!("pairs_{index}.parquet"));
        let path = path.display();
        engine.sql(&format!("COPY (SELECT {columns} FROM {tables}) TO '{path}'")).await.expect("a file");
        let read = rows(&engine, &format!("SELECT y_1, x_1, y, x FROM '{path}'")).await;
        assert_eq!(read, ["4|3|2|1"], "{columns}");
    }
}

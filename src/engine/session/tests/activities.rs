//! The rules of activities, and those that a session puts in their place.

use super::*;

const SECOND: i64 = 1_000_000_000;

/// One container that lives from 0 to 10: MPI_Send for two seconds, my_step for three.
fn one_rank() -> HandMade {
    let mut store = HandMade::new();
    for name in ["ep", "lu"] {
        let rows = states(&[("MPI_Send", SECOND, 3 * SECOND, 0), ("my_step", 4 * SECOND, 7 * SECOND, 0)]);
        let life: Columns = vec![
            ("container_id", integers(&[0])),
            ("name", texts(&["p0"])),
            ("alias", texts(&["p0"])),
            ("type", texts(&["Rank"])),
            ("parent_id", Arc::new(Int32Array::from(vec![None]))),
            ("path", texts(&["p0"])),
            ("depth", integers(&[0])),
            ("is_leaf", booleans(&[true])),
            ("leaves", integers(&[1])),
            ("preorder", integers(&[0])),
            ("last_descendant", integers(&[0])),
            ("start_tick", longs(&[0])),
            ("end_tick", longs(&[10 * SECOND])),
        ];
        store.trace(name).table("states", &[], vec![with_cuts(rows, &[false, false])], 100).table(
            "containers",
            &[],
            vec![life],
            100,
        );
    }
    store
}

fn open(store: &HandMade, trace: Option<&str>) -> Engine {
    let trace = trace.map(str::to_string);
    store.engine(EngineOptions { trace, threads: Some(2), ..EngineOptions::default() }).expect("an engine")
}

const ACTIVITIES: &str = "SELECT value, activity FROM state_activities ORDER BY value";
const TIMES: &str = "SELECT activity, seconds, no_state_seconds FROM container_activities ORDER BY activity";
/// A table function over a query that reads the view.
const SLICES: &str = "SELECT value, seconds FROM state_slices((SELECT s.container_id, a.activity AS value, s.start_time, \
     s.end_time FROM states AS s JOIN state_activities AS a USING (type, value)), slices => 1, start => 0, stop => 10) \
     ORDER BY value";

#[tokio::test]
async fn a_view_of_the_session_replaces_the_rules() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
    assert_eq!(rows(&engine, TIMES).await, ["communication|2.0|0.0", "computation|3.0|0.0", "unknown|5.0|5.0"]);
    for create in ["CREATE VIEW", "CREATE OR REPLACE VIEW"] {
        // What was read before must follow.
        let rules = "AS SELECT 1 AS rule, 'mine' AS family, NULL AS type_pattern, '^MY_' AS value_pattern, 'waiting' AS activity";
        engine.sql(&format!("{create} activity_rules {rules}")).await.expect("a view");
        assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|unknown", "my_step|waiting"], "{create}");
        assert_eq!(rows(&engine, TIMES).await, ["unknown|7.0|5.0", "waiting|3.0|0.0"], "{create}");
        assert_eq!(rows(&engine, SLICES).await, ["unknown|2.0", "waiting|3.0"], "{create}");
        assert_eq!(rows(&engine, "SELECT useful FROM pop_metrics_of_the_run").await, ["not recorded"], "{create}");
        // The other trace has its own.
        assert_eq!(
            rows(&engine, "SELECT activity FROM lu.state_activities ORDER BY value").await,
            ["communication", "computation"]
        );
        engine.sql("DROP VIEW activity_rules").await.expect("no view");
        assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"], "{create}");
    }
}

#[tokio::test]
async fn a_table_of_the_session_replaces_the_rules() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
    let create =
        "CREATE TABLE activity_rules (rule INTEGER, family TEXT, type_pattern TEXT, value_pattern TEXT, activity TEXT)";
    engine.sql(create).await.expect("a table");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|unknown", "my_step|unknown"]);
    // The lowest rule that fits counts; the second is of another type; the third is about time in no state.
    let insert = "INSERT INTO activity_rules VALUES (7, 'all', NULL, '.', 'input/output'), (2, 'all', '^Other', '.', 'waiting'), \
                  (3, NULL, '^State$', NULL, 'computation'), (5, 'steps', 'state', 'STEP$', 'overhead')";
    engine.sql(insert).await.expect("rows");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|input/output", "my_step|overhead"]);
    assert_eq!(rows(&engine, TIMES).await, ["computation|5.0|5.0", "input/output|2.0|0.0", "overhead|3.0|0.0"]);
    assert!(failure(&engine, create).await.contains("already exists"));
    engine.sql("DROP TABLE activity_rules").await.expect("no table");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
}

#[tokio::test]
async fn new_rules_may_come_before_ours() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    let create = "CREATE OR REPLACE VIEW activity_rules AS \
                  SELECT 1 AS rule, 'mine' AS family, NULL AS type_pattern, 'step' AS value_pattern, 'overhead' AS activity \
                  UNION ALL SELECT rule, family, type_pattern, value_pattern, activity FROM activity_rules";
    engine.sql(create).await.expect("a view");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|overhead"]);
    // Now only calls of MPI and overhead are recorded, so that the rest is computation.
    assert_eq!(rows(&engine, TIMES).await, ["communication|2.0|0.0", "computation|5.0|5.0", "overhead|3.0|0.0"]);
    // And once more, on top of those.
    let create = create.replace("step", "send").replace("overhead", "waiting");
    engine.sql(&create).await.expect("a view");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|waiting", "my_step|overhead"]);
}

#[tokio::test]
async fn what_cannot_be_the_rules_is_refused() {
    let store = one_rank();
    let engine = open(&store, Some("ep"));
    let message = failure(&engine, "CREATE VIEW activity_rules AS SELECT 1 AS rule, 'x' AS family").await;
    let expected = "activity_rules needs the columns rule, family, type_pattern, value_pattern, activity; there is no \
                    column type_pattern";
    assert!(message.contains(expected), "{message}");
    assert_eq!(rows(&engine, ACTIVITIES).await, ["MPI_Send|communication", "my_step|computation"]);
    let broken = "CREATE VIEW activity_rules AS SELECT 1 AS rule, 'x' AS family, NULL AS type_pattern, '(' AS \
                  value_pattern, 'waiting' AS activity";
    engine.sql(broken).await.expect("a view");
    let message = failure(&engine, ACTIVITIES).await;
    assert!(message.to_lowercase().contains("regular expression") || message.contains("regex"), "{message}");
    // Of several traces, which?
    let message = failure(&open(&store, None), &broken.replace('(', "x")).await;
    assert!(message.contains("activity_rules is a view of one trace, and the store has ep, lu"), "{message}");
    // Other views are not there to be replaced by accident.
    assert!(failure(&engine, "CREATE VIEW idle_gaps AS SELECT 1 AS one").await.contains("already exists"));
}

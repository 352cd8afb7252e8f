//! Aggregates that read close to the files give what they would give of rows that were made on the way.

use super::*;

/// States of three containers in two files of small row groups; every third state was cut in two pieces.
fn cut_trace() -> HandMade {
    let columns = |rows: std::ops::Range<i32>, shift: i64| -> Columns {
        let of = |value: &dyn Fn(i32) -> i64| longs(&rows.clone().map(value).collect::<Vec<_>>());
        let names: Vec<String> = rows.clone().map(|row| format!("p{}", row % 3)).collect();
        // The places of texts differ from group to group, and some are longer than a view holds.
        let values: Vec<String> = rows
            .clone()
            .map(|row| format!("{}{}", ["a", "b is a long text"][row as usize % 2], row * row % 7))
            .collect();
        let view = |names: &[String]| texts(&names.iter().map(String::as_str).collect::<Vec<_>>());
        vec![
            ("container_id", integers(&rows.clone().map(|row| row % 3).collect::<Vec<_>>())),
            ("container", view(&names)),
            ("type", texts(&rows.clone().map(|row| if row % 11 == 0 { "other" } else { "state" }).collect::<Vec<_>>())),
            ("value", view(&values)),
            ("depth", integers(&rows.clone().map(|_| 0).collect::<Vec<_>>())),
            ("start_tick", of(&|row| i64::from(row) * 10_000_000 + shift)),
            ("end_tick", of(&|row| i64::from(row) * 10_000_000 + 25_000_000)),
        ]
    };
    let cuts = |rows: std::ops::Range<i32>| rows.map(|row| row % 3 == 0).collect::<Vec<bool>>();
    let mut store = HandMade::new();
    let files = vec![with_cuts(columns(0..150, 0), &cuts(0..150)), with_cuts(columns(150..300, 0), &cuts(150..300))];
    store.trace("cut").table("states", &[], files, 40);
    store.table("state_segments", &[], vec![columns(30..90, 5_000_000)], 40);
    let ids = [0, 1, 2];
    let containers: Columns = vec![
        ("container_id", integers(&ids)),
        ("name", texts(&["p0", "p1", "p2"])),
        ("alias", texts(&["p0", "p1", "p2"])),
        ("type", texts(&["P"; 3])),
        ("parent_id", Arc::new(Int32Array::from(vec![None, Some(0), Some(1)]))),
        ("path", texts(&["p0", "p0/p1", "p0/p1/p2"])),
        ("depth", integers(&ids)),
        ("is_leaf", booleans(&[false, false, true])),
        ("leaves", integers(&[1; 3])),
        ("preorder", integers(&ids)),
        ("last_descendant", integers(&[2; 3])),
        ("start_tick", longs(&[0; 3])),
        ("end_tick", longs(&[4_000_000_000; 3])),
    ];
    store.table("containers", &[], vec![containers], 40);
    let trace = store.traces.last_mut().expect("a trace");
    (trace.start_tick, trace.end_tick) = (Some(0), Some(4_000_000_000));
    store
}

/// The same rows, of which nothing can be read from the files as it is.
fn remade(table: &str) -> String {
    format!(
        "(SELECT container_id, container, concat(type, '') AS type, concat(value, '') AS value, start_time, end_time, duration,
            start_tick, end_tick FROM {table} WHERE random() < 2)"
    )
}

#[tokio::test]
async fn rows_read_from_files_give_what_rows_made_on_the_way_give() {
    let store = cut_trace();
    for (threads, memory_limit) in [(1, None), (3, None), (2, Some(1 << 30))] {
        let options = EngineOptions { threads: Some(threads), memory_limit, ..EngineOptions::default() };
        let engine = store.engine(options).expect("an engine");
        for table in ["states", "state_segments"] {
            for call in [
                "state_slices({}, slices => 30)",
                "state_slices({}, slices => 3, start => 0.5, stop => 1.2)",
                "state_slices({}, slices => 4, type => 'other')",
                "hierarchy_aggregate((SELECT container_id, type, value, end_tick - start_tick AS seconds FROM {}))",
                "hierarchy_aggregate((SELECT container_id, type, end_tick - start_tick AS seconds FROM {}), agg => 'max')",
            ] {
                let answer = async |relation: &str| {
                    let mut answer = rows(&engine, &format!("SELECT * FROM {}", call.replace("{}", relation))).await;
                    answer.sort();
                    answer
                };
                let expected = answer(&remade(table)).await;
                assert!(!expected.is_empty());
                assert_eq!(answer(table).await, expected, "{call} of {table}, {threads} threads");
            }
        }
    }
}

#[tokio::test]
async fn states_that_are_not_cut_are_not_copied() {
    let store = cut_trace();
    for (memory_limit, operator) in [(None, "DenseGroupByExec"), (Some(1 << 30), "mode=Partial")] {
        let options = EngineOptions { threads: Some(2), memory_limit, ..EngineOptions::default() };
        let engine = store.engine(options).expect("an engine");
        let plan = rows(&engine, "EXPLAIN SELECT * FROM state_slices(state_segments, slices => 30)").await.join("\n");
        let physical = plan.split("physical_plan").nth(1).expect("a physical plan");
        assert!(!physical.contains("FilterExec"), "{plan}");
        let union = physical.find("UnionExec").expect("a union");
        assert_eq!(physical[union..].matches(operator).count(), 2, "{plan}");
    }
}

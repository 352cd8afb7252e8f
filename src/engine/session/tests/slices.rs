//! Slices read only the row groups of their time, whether the window or a filter outside says so.

use super::*;

const GROUPS: i64 = 100;
const ROWS_PER_GROUP: i64 = 50;
const STEP: i64 = 20_000_000;

/// 5000 states of 20 ms, one after the other: row group g holds the second g.
fn long_trace() -> HandMade {
    let count = GROUPS * ROWS_PER_GROUP;
    let rows: Vec<(&str, i64, i64, i32)> =
        (0..count).map(|row| (if row % 3 == 0 { "wait" } else { "run" }, row * STEP, (row + 1) * STEP, 0)).collect();
    let ticks: Vec<i64> = (0..count).map(|row| row * STEP).collect();
    let mut store = HandMade::new();
    store.trace("long").table(
        "states",
        &[],
        vec![with_cuts(states(&rows), &vec![false; rows.len()])],
        ROWS_PER_GROUP as usize,
    );
    let of_all = |text: &'static str| texts(&vec![text; rows.len()]);
    let zeros = || integers(&vec![0; rows.len()]);
    let begins = || longs(&rows.iter().map(|row| row.1).collect::<Vec<_>>());
    let ends = || longs(&rows.iter().map(|row| row.2).collect::<Vec<_>>());
    let common = || vec![("container_id", zeros()), ("container", of_all("p0")), ("type", of_all("T"))];
    let mut events = common();
    events.extend([("value", of_all("e")), ("tick", longs(&ticks))]);
    let mut variables = common();
    variables.extend([("value", doubles(&vec![2.0; rows.len()])), ("start_tick", begins()), ("end_tick", ends())]);
    let mut links = common();
    links.extend([
        ("value", of_all("v")),
        ("key", of_all("k")),
        ("source_id", zeros()),
        ("source", of_all("p0")),
        ("target_id", zeros()),
        ("target", of_all("p0")),
        ("volume", doubles(&vec![1.0; rows.len()])),
        ("start_tick", begins()),
        ("end_tick", ends()),
    ]);
    for (table, columns) in [("events", events), ("variables", variables), ("links", links)] {
        store.table(table, &[], vec![columns], ROWS_PER_GROUP as usize);
    }
    let trace = store.traces.last_mut().expect("a trace");
    (trace.start_tick, trace.end_tick) = (Some(0), Some(GROUPS * 1_000_000_000));
    store
}

/// The numbers after a metric of the scans, one per scan: `metric=7`, `metric=1.5 K`, `metric=100 total → 2 matched`.
async fn metric(engine: &Engine, query: &str, name: &str) -> Vec<u64> {
    let plan = rows(engine, &format!("EXPLAIN ANALYZE {query}")).await.join("\n");
    let name = format!("{name}=");
    let mut numbers = vec![];
    for text in plan.split(&name).skip(1) {
        let text = text.split([',', ']']).next().unwrap_or_default();
        let text = text.rsplit("→ ").next().unwrap_or_default();
        let digits: String = text.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect();
        let number: f64 = digits.parse().unwrap_or_else(|_| panic!("no number: {text}"));
        let unit = text[digits.len()..].trim_start();
        numbers.push(
            (number
                * if unit.starts_with('K') {
                    1e3
                } else if unit.starts_with('M') {
                    1e6
                } else {
                    1.0
                }) as u64,
        );
    }
    numbers
}

async fn matched_groups(engine: &Engine, query: &str) -> u64 {
    metric(engine, query, "row_groups_pruned_statistics").await.into_iter().max().expect("a scan")
}

fn engine() -> (HandMade, Engine) {
    let store = long_trace();
    let engine = store.engine(EngineOptions { threads: Some(1), ..EngineOptions::default() }).expect("an engine");
    (store, engine)
}

#[tokio::test]
async fn windows_and_filters_outside_read_the_same_few_groups() {
    let (_store, engine) = engine();
    for function in ["state_slices", "variable_slices", "event_slices", "link_slices", "link_slices clip"] {
        let (function, more) =
            function.split_once(' ').map_or((function, ""), |(name, _)| (name, ", boundary => 'clip'"));
        // A link without length may lie where those of the group before end.
        let groups = if more.is_empty() { 2 } else { 3 };
        let inside = format!("SELECT * FROM {function}(slices => 2, start => 40, stop => 42{more})");
        assert_eq!(matched_groups(&engine, &inside).await, groups, "{inside}");
        for filter in [
            "slice_start >= 40 AND slice_end <= 42",
            "slice BETWEEN 40 AND 41",
            "slice = 40 OR slice = 41",
            "slice IN (40, 41)",
            "40 <= slice AND slice_start < 42",
            "slice > 39 AND slice + 1 <= 42",
            "slice_end > 40 AND slice_end <= 42 AND container = 'p0'",
        ] {
            let outside = format!("SELECT * FROM {function}(slices => 100{more}) WHERE {filter}");
            assert_eq!(matched_groups(&engine, &outside).await, groups, "{outside}");
            let columns = "slice_start, container_id, type";
            let all = format!(
                "SELECT {columns} FROM (SELECT *, random() > 2 AS never FROM {function}(slices => 100{more})) WHERE NOT never AND {filter} ORDER BY 1, 2, 3"
            );
            let few = format!("SELECT {columns} FROM {function}(slices => 100{more}) WHERE {filter} ORDER BY 1, 2, 3");
            assert_eq!(rows(&engine, &few).await, rows(&engine, &all).await, "{few}");
        }
    }
}

#[tokio::test]
async fn a_hundredth_of_the_time_is_a_hundredth_of_the_bytes() {
    let (_store, engine) = engine();
    let bytes = async |query: &str| metric(&engine, query, "bytes_scanned").await.into_iter().sum::<u64>();
    let all = bytes("SELECT sum(seconds) FROM state_slices(slices => 100)").await;
    for query in [
        "SELECT sum(seconds) FROM state_slices(start => 40, stop => 41)",
        "SELECT sum(seconds) FROM state_slices(slices => 100) WHERE slice = 40",
        "SELECT sum(seconds) FROM state_slices(slices => 100) WHERE slice_start >= 40 AND slice_end <= 41",
    ] {
        let few = bytes(query).await;
        assert!(few > 0 && few * 60 < all, "{query} reads {few} of {all} bytes");
    }
}

#[tokio::test]
async fn measures_do_not_change_under_a_filter() {
    let (_store, engine) = engine();
    let query = |filter: &str| {
        format!("SELECT slice, value, seconds, share FROM state_slices(slices => 7) WHERE {filter} ORDER BY 1, 2")
    };
    let all = rows(&engine, &query("seconds >= 0")).await;
    assert_eq!(all.len(), 14);
    for slice in 0..7 {
        let expected: Vec<&String> = all.iter().filter(|row| row.starts_with(&format!("{slice}|"))).collect();
        for filter in [
            format!("slice = {slice}"),
            format!(
                "slice_start < {} AND slice_end > {}",
                slice as f64 * 100.0 / 7.0 + 1.0,
                slice as f64 * 100.0 / 7.0 + 13.0
            ),
        ] {
            let given = rows(&engine, &query(&filter)).await;
            assert_eq!(given.iter().collect::<Vec<_>>(), expected, "{filter}");
        }
    }
    // Contradictions, and slices that do not exist.
    for filter in
        ["slice = 3 AND slice = 4", "slice > 6", "slice < 0", "slice_start > 100", "slice_end < 0", "slice = 2.5"]
    {
        assert_eq!(rows(&engine, &query(filter)).await, Vec::<String>::new(), "{filter}");
    }
}

#[tokio::test]
async fn what_fills_is_not_narrowed() {
    let (_store, engine) = engine();
    let query = "SELECT count(*), sum(seconds) FROM state_slices(
        (SELECT * FROM states WHERE start_time < 1), slices => 100, fill => true) WHERE slice = 50";
    assert_eq!(rows(&engine, query).await, ["2|0.0"]);
}

#[tokio::test]
async fn keys_reach_the_scan() {
    let (_store, engine) = engine();
    let plan = rows(&engine, "EXPLAIN SELECT * FROM state_slices(slices => 3) WHERE container_id = 0").await.join("\n");
    assert!(plan.contains("partial_filters=[long.states.container_id = Int32(0)]"), "{plan}");
}

#[tokio::test]
async fn slices_beyond_the_memory_of_their_query_are_an_error() {
    let store = long_trace();
    let limited = store.engine(EngineOptions { memory_limit: Some(20 << 20), ..EngineOptions::default() });
    let limited = limited.expect("an engine");
    for function in ["state_slices", "variable_slices"] {
        for fill in [false, true] {
            let sql = format!("SELECT count(*) FROM {function}(slices => 1000000, fill => {fill})");
            let error = failure(&limited, &sql).await;
            assert!(error.contains("slices of containers") || error.contains("memory"), "{sql}: {error}");
        }
    }
    for call in ["slice_seconds(start_time, end_time, 0, 1, 10000000)", "slice_events(start_time, 0, 1, 10000000)"] {
        let error = failure(&limited, &format!("SELECT {call} FROM states")).await;
        assert!(error.contains("lists of slices"), "{call}: {error}");
    }
    let error = failure(&limited, "SELECT count(*) FROM comm_in_flight(slices => 10000000)").await;
    assert!(error.contains("messages_in_flight"), "{error}");
    // A hundred slices each take little.
    assert_eq!(rows(&limited, "SELECT count(*) FROM variable_slices(slices => 100)").await, ["100"]);
    assert_eq!(rows(&limited, "SELECT count(*) FROM event_slices(slices => 1000000)").await, ["5000"]);
}

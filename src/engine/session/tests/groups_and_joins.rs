//! Few groups of many rows: the first rows of each are found without a sort, and joins hold them, not the rows.

use super::*;

/// Depth, start and end of 2000 states at three depths; lengths repeat.
fn lengths() -> Vec<(i32, i64, i64)> {
    (0..2000_i64).map(|row| ((row * row % 7 % 4) as i32, row * 100, row * 100 + row * 37 % 61)).collect()
}

fn engine() -> (HandMade, Engine) {
    let rows: Vec<(&str, i64, i64, i32)> =
        lengths().into_iter().map(|(depth, start, end)| ("run", start, end, depth)).collect();
    let cuts = vec![false; rows.len()];
    let mut store = HandMade::new();
    store.trace("long").table("states", &[], vec![with_cuts(states(&rows), &cuts)], 500);
    let engine = store.engine(EngineOptions { threads: Some(2), ..EngineOptions::default() }).expect("an engine");
    (store, engine)
}

/// By depth, the n-th longest states, counted from 1, for the numbers that are wanted.
fn longest(is_wanted: impl Fn(usize) -> bool) -> Vec<String> {
    let mut found = vec![];
    for depth in 0..3 {
        let mut states: Vec<_> = lengths().into_iter().filter(|state| state.0 == depth).collect();
        states.sort_by_key(|(_, start, end)| (start - end, *start));
        let numbered = states.iter().zip(1..).filter(|(_, number)| is_wanted(*number));
        found.extend(numbered.map(|((_, start, _), number)| format!("{depth}|{number}|{start}")));
    }
    found
}

fn numbered(keys: &str, more: &str, condition: &str) -> String {
    format!(
        "SELECT depth, n, start_tick FROM (SELECT *, row_number() OVER w AS n{more} FROM states \
         WINDOW w AS (PARTITION BY {keys} ORDER BY end_tick - start_tick DESC, start_tick)) \
         WHERE {condition} ORDER BY depth, n"
    )
}

async fn has_heaps(engine: &Engine, sql: &str) -> bool {
    rows(engine, &format!("EXPLAIN {sql}")).await.join("\n").contains("TopOfGroupsExec")
}

#[tokio::test]
async fn the_first_rows_of_groups_are_found_without_a_sort() {
    let (_store, engine) = engine();
    let conditions: [(&str, &dyn Fn(usize) -> bool); 8] = [
        ("n <= 3", &|n| n <= 3),
        ("n < 4", &|n| n < 4),
        ("3 >= n", &|n| n <= 3),
        ("4 > n", &|n| n < 4),
        ("n = 2", &|n| n == 2),
        ("n BETWEEN 2 AND 5", &|n| (2..=5).contains(&n)),
        ("n <= 100 AND n % 40 = 0", &|n| n <= 100 && n % 40 == 0),
        ("n <= 1000", &|n| n <= 1000),
    ];
    for (condition, is_wanted) in conditions {
        for keys in ["depth", "container_id, depth"] {
            let sql = numbered(keys, "", condition);
            assert_eq!(rows(&engine, &sql).await, longest(is_wanted), "{sql}");
            assert!(has_heaps(&engine, &sql).await, "{sql}");
        }
    }
}

#[tokio::test]
async fn rows_that_more_than_their_number_is_asked_of_are_sorted() {
    let (_store, engine) = engine();
    let further = numbered("depth", ", lead(start_tick) OVER w AS next", "n <= 2 AND next >= 0");
    assert_eq!(rows(&engine, &further).await, longest(|n| n <= 2));
    let many = [
        further,
        numbered("start_tick", "", "n <= 2"),
        numbered("depth", "", "n >= 2"),
        numbered("depth", "", "n <= 100000"),
        numbered("depth", "", "n <= 2 OR depth = 1"),
    ];
    for sql in many {
        assert!(!has_heaps(&engine, &sql).await, "{sql}");
    }
    let unordered =
        "SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY depth) AS n FROM states) WHERE n <= 3";
    assert_eq!(rows(&engine, unordered).await, ["9"]);
}

/// The plan of a query below its first hash join: the side that is held, and the other.
async fn sides(engine: &Engine, sql: &str) -> [String; 2] {
    let plan = rows(engine, &format!("EXPLAIN {sql}")).await.join("\n");
    let (_, plan) = plan.split_once("physical_plan|").unwrap_or_else(|| panic!("no plan: {plan}"));
    let mut lines = plan.lines().skip_while(|line| !line.contains("HashJoinExec"));
    let depth = |line: &str| line.len() - line.trim_start().len();
    let join = lines.next().unwrap_or_else(|| panic!("no join: {plan}"));
    let mut sides = [String::new(), String::new()];
    let mut side = 0;
    for line in lines.take_while(|line| depth(line) > depth(join)) {
        side += usize::from(depth(line) == depth(join) + 2);
        sides[side.clamp(1, 2) - 1] += line;
    }
    sides
}

#[tokio::test]
async fn joins_hold_groups_and_not_the_rows_of_a_trace() {
    let (_store, engine) = engine();
    // Whatever has fewer rows than this is held without a thought.
    for limit in ["threshold", "threshold_rows"] {
        rows(&engine, &format!("SET datafusion.optimizer.hash_join_single_partition_{limit} = 100")).await;
    }
    let groups = "(SELECT depth, min(start_tick) AS first FROM states GROUP BY depth)";
    // A join by a comparison: nobody knows how many rows it has.
    let pairs =
        "(SELECT a.depth FROM (VALUES (0), (1)) AS a (depth) JOIN (VALUES (1), (2)) AS b (least) ON a.depth < b.least)";
    for small in [groups, pairs] {
        for (left, right) in [("states", small), (small, "states")] {
            let sql = format!("SELECT count(*) FROM {left} AS l JOIN {right} AS r ON l.depth = r.depth");
            let [held, streamed] = sides(&engine, &sql).await;
            assert!(!held.contains("states-0.parquet") || held.contains("AggregateExec"), "{sql}: {held}");
            assert!(streamed.contains("states-0.parquet") && !streamed.contains("AggregateExec"), "{sql}: {streamed}");
        }
    }
    let of_depth = |depth: i32| lengths().iter().filter(|state| state.0 == depth).count();
    // Depth 0 has two partners, depth 1 one.
    let sql = format!("SELECT count(*) FROM states JOIN {pairs} AS p ON p.depth = states.depth");
    assert_eq!(rows(&engine, &sql).await, [(2 * of_depth(0) + of_depth(1)).to_string()]);
    let sql = format!("SELECT count(*) FROM states LEFT JOIN {pairs} AS p ON p.depth = states.depth");
    let unmatched = of_depth(2) + of_depth(3);
    assert_eq!(rows(&engine, &sql).await, [(2 * of_depth(0) + of_depth(1) + unmatched).to_string()]);
}

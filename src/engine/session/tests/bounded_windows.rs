//! Values of windows that are lists or texts are bounded: 256 MiB for the rows that are held at once.

use super::*;

#[tokio::test]
async fn windows_that_would_hold_too_much_are_errors() {
    let engine = HandMade::new().trace("run").engine(EngineOptions::default()).expect("an engine");
    // A list of all rows for each of 20,000 rows has 3.2 GB. What FILTER hides from a function is in every row all the same.
    for (function, sql) in [
        (
            "array_agg",
            "SELECT count(*) FROM (SELECT array_agg(value) OVER () AS a FROM range(0, 20000)) AS t WHERE cardinality(a) > 0",
        ),
        (
            "array_agg",
            "SELECT count(*) FROM (SELECT array_agg(value) OVER (ORDER BY value) AS a FROM range(0, 20000)) AS t WHERE cardinality(a) > 0",
        ),
        (
            "array_agg",
            "SELECT count(*) FROM (SELECT array_agg(value) OVER (ORDER BY value ROWS BETWEEN 10000 PRECEDING AND 10000 FOLLOWING) AS a FROM range(0, 20000)) AS t WHERE cardinality(a) > 0",
        ),
        (
            "array_agg",
            "SELECT count(*) FROM (SELECT array_agg(value) FILTER (WHERE value < 5000) OVER () AS a FROM range(0, 20000)) AS t WHERE cardinality(a) > 0",
        ),
        (
            "string_agg",
            "SELECT sum(length(a)) FROM (SELECT string_agg(CAST(value AS TEXT), ', ') OVER () AS a FROM range(0, 20000)) AS t",
        ),
        (
            "string_agg",
            "SELECT sum(length(a)) FROM (SELECT string_agg('0123456789', ', ') OVER (PARTITION BY value % 2 ORDER BY value) AS a FROM range(0, 20000)) AS t",
        ),
        (
            "first_value",
            "SELECT sum(length(a)) FROM (SELECT first_value(text) OVER (ORDER BY value) AS a FROM (SELECT value, repeat('a', CASE WHEN value = 0 THEN 1000000 ELSE 1 END) AS text FROM range(0, 1000)) AS s) AS t",
        ),
        (
            "max",
            "SELECT sum(length(a)) FROM (SELECT max(text) OVER () AS a FROM (SELECT value, repeat('c', CASE WHEN value = 0 THEN 1000000 ELSE 1 END) AS text FROM range(0, 1000)) AS s) AS t",
        ),
    ] {
        let error = failure(&engine, sql).await;
        assert!(error.contains(&format!("{function} OVER (…) would hold")), "{sql}: {error}");
        assert!(error.contains("at most 268435456 are allowed"), "{error}");
    }
}

#[tokio::test]
async fn windows_that_were_emitted_are_not_held() {
    let engine = HandMade::new().trace("run").engine(EngineOptions::default()).expect("an engine");
    // 2,000 windows of 100 rows each have 80 MB of lists; 1 + 2 + … + 100, a thousand times; texts as many as there are rows.
    for (sql, value) in [
        (
            "SELECT sum(cardinality(a)) FROM (SELECT array_agg(value) OVER (PARTITION BY value / 100) AS a FROM range(0, 100000)) AS t",
            "10000000",
        ),
        (
            "SELECT sum(cardinality(a)) FROM (SELECT array_agg(value) OVER (PARTITION BY value / 100 ORDER BY value) AS a FROM range(0, 100000)) AS t",
            "5050000",
        ),
        (
            "SELECT count(*) FROM (SELECT first_value(text) OVER (PARTITION BY value % 3 ORDER BY value) AS f, lag(text) OVER (ORDER BY value) AS l FROM (SELECT value, 'name ' || value AS text FROM range(0, 300000)) AS s) AS t WHERE f <> l",
            "299999",
        ),
    ] {
        assert_eq!(rows(&engine, sql).await, [value], "{sql}");
    }
}

#[tokio::test]
async fn rows_that_windows_collect_count_for_the_limit() {
    // Two million numbers are 16 MB, a copy of them as many, and so are arguments and values.
    let windows = [
        "SELECT max(l) FROM (SELECT lane(value, value + 1) OVER (ORDER BY value) AS l FROM range(0, 2000000))",
        "SELECT max(l) FROM (SELECT ntile(4) OVER (ORDER BY value) AS l FROM range(0, 2000000))",
    ];
    for (megabytes, largest) in [(16, None), (128, Some(["0", "4"]))] {
        let options = EngineOptions { memory_limit: Some(megabytes << 20), ..EngineOptions::default() };
        let engine = HandMade::new().trace("run").engine(options).expect("an engine");
        for (place, sql) in windows.iter().enumerate() {
            match largest {
                Some(largest) => assert_eq!(rows(&engine, sql).await, [largest[place]], "{sql}"),
                None => {
                    let error = failure(&engine, sql).await;
                    assert!(error.contains("window_rows"), "{sql}: {error}");
                }
            }
        }
    }
}

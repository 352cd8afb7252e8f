//! Every error that a statement can provoke is in plain words: nothing of plans, expressions and Arrow's types.

use super::*;
use ocellus_trace::error::{Error, QueryErrorKind};

/// What no message may contain.
const FORBIDDEN: [&str; 34] = [
    "Int64",
    "Int32",
    "Float64",
    "Utf8",
    "Boolean(",
    "Expr",
    "Column {",
    "Column(",
    "LogicalPlan",
    "internal error",
    "Internal error",
    "This issue was likely caused",
    "physical plan",
    "Physical plan",
    "TableScan",
    "Some(",
    "None",
    "<subquery>",
    "Projection",
    "Aggregate:",
    "Sort:",
    "WindowFunction",
    "Wildcard",
    "Ident {",
    "Span",
    "Location(",
    "Field {",
    "Signature",
    "outer_ref",
    "__subquery",
    "__unnamed",
    "__row",
    "type_coercion",
    "wildcard, column",
];

/// Statements that are refused.
const WRONG: &[&str] = &[
    // Clauses that cannot have what they have.
    "SELECT value FROM states WHERE row_number() OVER (ORDER BY depth) = 1",
    "SELECT value FROM states WHERE sum(depth) > 1",
    "SELECT value FROM states WHERE sum(depth) OVER () > 1",
    "SELECT value FROM states GROUP BY row_number() OVER ()",
    "SELECT value, count(*) FROM states GROUP BY value HAVING row_number() OVER () = 1",
    "SELECT a.value FROM states a JOIN states b ON row_number() OVER () = 1",
    "SELECT sum(row_number() OVER ()) FROM states",
    "SELECT sum(sum(depth)) FROM states",
    "SELECT value FROM states QUALIFY depth = 1",
    "SELECT value FROM states GROUP BY sum(depth)",
    "SELECT abs(depth) OVER () FROM states",
    "SELECT abs(depth) FILTER (WHERE true) FROM states",
    "SELECT row_number() FILTER (WHERE true) OVER () FROM states",
    "SELECT row_number() FROM states",
    // Columns and groups.
    "SELECT value, count(*) FROM states",
    "SELECT value, depth FROM states GROUP BY value",
    "SELECT value FROM states GROUP BY value ORDER BY depth",
    "SELECT value, depth + 1 FROM states GROUP BY value",
    "SELECT value FROM states HAVING depth > 1",
    "SELECT value, count(*) FROM states GROUP BY 2",
    "SELECT value FROM states ORDER BY count(*)",
    "SELECT value FROM states GROUP BY 5",
    "SELECT value FROM states ORDER BY 5",
    "SELECT value FROM states ORDER BY 0",
    "SELECT GROUPING(value) FROM states",
    "SELECT DISTINCT value FROM states ORDER BY depth",
    "SELECT DISTINCT ON (depth) value FROM states ORDER BY value",
    // Names.
    "SELECT nothing FROM states",
    "SELECT x.* FROM states",
    "SELECT * FROM states s, states s",
    "SELECT * FROM states, states",
    "SELECT a.b.c.d.e FROM states",
    "SELECT value.x FROM states",
    "SELECT * EXCLUDE (nothing) FROM states",
    "SELECT * REPLACE (1 AS nothing) FROM states",
    "SELECT * RENAME (value AS v) FROM states",
    "SELECT * ILIKE '%a%' FROM states",
    "SELECT *",
    "SELECT value FROM states ORDER BY nothing",
    "SELECT depth FROM states a JOIN states b USING (nothing)",
    "SELECT depth FROM states a JOIN states b ON a.value = b.value",
    "SELECT sum(depth) OVER w FROM states",
    // Types.
    "SELECT 1 + 'a'",
    "SELECT value + 1 FROM states",
    "SELECT NOT value FROM states",
    "SELECT -value FROM states",
    "SELECT value AND true FROM states",
    "SELECT value FROM states WHERE value",
    "SELECT value FROM states WHERE depth",
    "SELECT value FROM states WHERE 1",
    "SELECT value FROM states WHERE 'x'",
    "SELECT 1 FROM states a JOIN states b ON a.value",
    "SELECT CASE depth WHEN 'a' THEN 1 END FROM states",
    "SELECT coalesce(1, 'x')",
    "SELECT CAST('x' AS INTEGER)",
    "SELECT CAST(value AS DOUBLE) FROM states",
    "SELECT CAST(1 AS FOO)",
    "SELECT CAST(1e30 AS INTEGER)",
    "SELECT DATE '2020-13-45'",
    "SELECT TIMESTAMP 'x'",
    "SELECT INTERVAL '1 foo'",
    "SELECT value FROM states WHERE depth IN ('a')",
    "SELECT value FROM states WHERE depth BETWEEN 'a' AND 'b'",
    "SELECT value FROM states WHERE depth LIKE 'a'",
    "SELECT value FROM states WHERE value LIKE 1",
    "SELECT value FROM states WHERE value ~ '('",
    "SELECT {'a':1}.a",
    "SELECT depth['a'] FROM states",
    "SELECT 1 / 0",
    "SELECT DATE '2020-01-01' + TRUE",
    // Calls.
    "SELECT abs('a')",
    "SELECT sqrt('a')",
    "SELECT substr(1)",
    "SELECT substr('a', 'b')",
    "SELECT round()",
    "SELECT sum() FROM states",
    "SELECT sum(value) FROM states",
    "SELECT sum(DISTINCT *) FROM states",
    "SELECT count(DISTINCT *) FROM states",
    "SELECT min(*) FROM states",
    "SELECT lag(depth, 'a') OVER (ORDER BY depth) FROM states",
    "SELECT ntile(0) OVER (ORDER BY depth) FROM states",
    "SELECT nth_value(depth) OVER () FROM states",
    "SELECT nothing(1)",
    // Windows.
    "SELECT sum(depth) OVER (ROWS BETWEEN CURRENT ROW AND 1 PRECEDING) FROM states",
    "SELECT sum(depth) OVER (ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM states",
    "SELECT sum(depth) OVER (ROWS BETWEEN depth PRECEDING AND CURRENT ROW) FROM states",
    // Subqueries.
    "SELECT (SELECT 1, 2)",
    "SELECT (SELECT x FROM (VALUES (1), (2)) t (x))",
    "SELECT value FROM states WHERE depth IN (SELECT 1, 2)",
    "SELECT value FROM states WHERE (depth, 1) IN (SELECT 1)",
    "SELECT value FROM states LIMIT (SELECT 2)",
    "SELECT value FROM states OFFSET (SELECT 1)",
    "SELECT value FROM states LIMIT -1",
    "SELECT value FROM states LIMIT 'a'",
    "SELECT value FROM states LIMIT depth",
    "SELECT value FROM states s ORDER BY EXISTS (SELECT 1 FROM states t WHERE t.depth = s.depth)",
    "SELECT value FROM states s ORDER BY (SELECT count(*) FROM states t WHERE t.depth = s.depth)",
    "SELECT value FROM states s ORDER BY value IN (SELECT value FROM states)",
    // Sets and values.
    "SELECT 1 UNION SELECT 1, 2",
    "SELECT 1 INTERSECT SELECT 'a', 2",
    "VALUES (1), (1, 2)",
    "VALUES (1), ('a')",
    "SELECT * FROM (VALUES (1)) t (a, b)",
    "SELECT * FROM states s (a, b)",
    "WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT 1, 2 FROM r) SELECT * FROM r",
    "WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a",
    // Statements.
    "INSERT INTO states VALUES (1)",
    "DELETE FROM states",
    "UPDATE states SET depth = 1",
    "DROP TABLE nothing",
    "SET nothing = 1",
    "EXECUTE nothing",
    "PREPARE p AS SELECT $1; EXECUTE p",
    "SELECT $1",
];

/// Unusual statements that have an answer.
const UNUSUAL: &[&str] = &[
    "SELECT *, * FROM states",
    "SELECT *, value, 1 AS depth FROM states ORDER BY depth",
    "SELECT * FROM (SELECT a.*, b.* FROM states a JOIN states b ON a.depth = b.depth) AS t WHERE value_1 = 'a'",
    "SELECT container_id FROM states NATURAL JOIN (SELECT container_id FROM states) AS t WHERE container_id >= 0",
    "SELECT value FROM states s WHERE EXISTS (SELECT 1 FROM states t WHERE EXISTS (SELECT 1 FROM states u WHERE u.depth = s.depth))",
    "SELECT {'a':1}['a']",
    "SELECT value FROM states LIMIT 1 + 1",
    "SELECT value FROM states WHERE (depth, 1) IN ((0, 1), (2, 2))",
    "SELECT count(*), count(*), count(1) FROM states GROUP BY ROLLUP (value)",
    "SELECT value FROM states QUALIFY row_number() OVER (ORDER BY depth) = 1",
    "EXPLAIN SELECT *, * FROM states",
];

#[tokio::test]
async fn wrong_statements_are_refused_in_plain_words() {
    let mut store = HandMade::new();
    store.trace("lu").table("states", &[], vec![with_cuts(states(&[("a", 0, 1, 0)]), &[false])], 9);
    let engine = store.engine(EngineOptions::default()).expect("an engine");
    let mut faults = vec![];
    for sql in WRONG {
        match engine.sql(sql).await {
            Ok(_) => faults.push(format!("{sql}\n    gave rows")),
            Err(Error::Query(error)) => {
                let text = error.to_string();
                let forbidden = FORBIDDEN.iter().find(|word| text.contains(*word));
                if let Some(word) = forbidden {
                    faults.push(format!("{sql}\n    has {word}: {text}"));
                } else if error.kind == QueryErrorKind::Internal {
                    faults.push(format!("{sql}\n    is internal: {text}"));
                }
            }
            Err(error) => faults.push(format!("{sql}\n    is no error of a query: {error}")),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[tokio::test]
async fn unusual_statements_have_an_answer() {
    let mut store = HandMade::new();
    store.trace("lu").table("states", &[], vec![with_cuts(states(&[("a", 0, 1, 0)]), &[false])], 9);
    let engine = store.engine(EngineOptions::default()).expect("an engine");
    for sql in UNUSUAL {
        let batches = engine.sql(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(batches.iter().any(|batch| batch.num_rows() > 0), "{sql} has no rows");
    }
}

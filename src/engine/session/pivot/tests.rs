//! Tests of `pivot`.

use sqlparser::dialect::GenericDialect;

use super::*;

fn pivot(text: &str) -> Result<PivotStatement, ParserError> {
    PivotStatement::parse(&mut Parser::new(&GenericDialect {}).try_with_sql(text).expect("tokens"))
}

fn query(text: &str) -> Option<String> {
    pivot(text).expect("a statement").query().expect("aggregates")
}

#[test]
fn statements_with_values_become_queries() {
    assert_eq!(
        query("t ON c IN ('a', 'b') USING sum(x) AS s ORDER BY y DESC LIMIT 2").as_deref(),
        Some("SELECT * FROM t PIVOT (sum(x) AS s FOR c IN ('a', 'b')) ORDER BY y DESC LIMIT 2")
    );
    assert_eq!(
        query("(SELECT * FROM t) ON c IN (1) GROUP BY y, z").as_deref(),
        Some(
            "SELECT y, z, count(*) FILTER (WHERE c IS NOT DISTINCT FROM 1) AS \"1\" \
             FROM (SELECT * FROM t) GROUP BY y, z"
        )
    );
}

#[test]
fn statements_without_values_ask_for_them() {
    let pivot = pivot("t ON lower(c) USING max(x)").expect("a statement");
    assert_eq!(pivot.query().expect("no error"), None);
    assert_eq!(pivot.question(), "SELECT DISTINCT lower(c) FROM t WHERE (lower(c)) IS NOT NULL ORDER BY 1 LIMIT 1001");
}

#[test]
fn wrong_statements_say_what_is_right() {
    for (text, words) in [("t USING sum(x)", "ON"), ("t ON a, b USING sum(x)", "join them to one first")] {
        let error = pivot(text).expect_err(text).to_string();
        assert!(error.contains(words), "{error}");
    }
}

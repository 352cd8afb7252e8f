//! Tests of `column_names`.

use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::assign;

fn named(text: &str) -> String {
    let mut statements = Parser::parse_sql(&GenericDialect {}, text).expect("SQL");
    assign(&mut statements[0]);
    statements[0].to_string()
}

#[test]
fn expressions_are_called_as_they_are_written() {
    for (text, expected) in [
        ("SELECT 1", r#"SELECT 1 AS "1""#),
        ("SELECT count(*), value FROM t", r#"SELECT count(*) AS "count(*)", value FROM t"#),
        ("SELECT Sum( x ) AS s FROM t", "SELECT Sum(x) AS s FROM t"),
        ("SELECT (value), s.value FROM s", r#"SELECT (value), s.value AS "value_1" FROM s"#),
        (r#"SELECT 'it''s "x"'"#, r#"SELECT 'it''s "x"' AS "'it''s ""x""'""#),
        ("SELECT * FROM (SELECT max(x) FROM t)", r#"SELECT * FROM (SELECT max(x) AS "max(x)" FROM t)"#),
        ("WITH a AS (SELECT 1) SELECT * FROM a", r#"WITH a AS (SELECT 1 AS "1") SELECT * FROM a"#),
        ("SELECT * FROM f((SELECT 1))", r#"SELECT * FROM f((SELECT 1 AS "1"))"#),
        ("SELECT 1 UNION SELECT 2", r#"SELECT 1 AS "1" UNION SELECT 2 AS "2""#),
        ("SELECT 1 UNION BY NAME SELECT 2", r#"SELECT 1 AS "1" UNION BY NAME SELECT 2 AS "2""#),
        (
            "SELECT DISTINCT f(a), b FROM t ORDER BY f(a) DESC, b",
            r#"SELECT DISTINCT f(a) AS "f(a)", b FROM t ORDER BY "f(a)" DESC, b"#,
        ),
        ("SELECT a FROM t WHERE a IN (SELECT 1 + 1)", "SELECT a FROM t WHERE a IN (SELECT 1 + 1)"),
    ] {
        assert_eq!(named(text), expected);
    }
}

#[test]
fn no_two_columns_have_one_name() {
    for (text, expected) in [
        ("SELECT 1, 1, 1", r#"SELECT 1 AS "1", 1 AS "1_1", 1 AS "1_2""#),
        ("SELECT a, a FROM t", r#"SELECT a, a AS "a_1" FROM t"#),
        ("SELECT a, A FROM t", r#"SELECT a, A AS "a_1" FROM t"#),
        ("SELECT a AS x, b AS x, 1 AS x_1 FROM t", r#"SELECT a AS x, b AS "x_1", 1 AS "x_1_1" FROM t"#),
        ("SELECT s.v, t.v FROM s, t", r#"SELECT s.v, t.v AS "v_1" FROM s, t"#),
        (
            "SELECT DISTINCT s.v, t.v FROM s, t ORDER BY T.v, s.v",
            r#"SELECT DISTINCT s.v, t.v AS "v_1" FROM s, t ORDER BY "v_1", s.v"#,
        ),
        ("SELECT s.v, s.v FROM s", r#"SELECT s.v, s.v AS "v_1" FROM s"#),
        ("SELECT s.v, 1 AS v FROM s", r#"SELECT s.v, 1 AS "v_1" FROM s"#),
        ("SELECT *, v, v + 1 FROM s", r#"SELECT *, v, v + 1 AS "v + 1" FROM s"#),
        ("SELECT * EXCLUDE (v), v FROM s", "SELECT * EXCLUDE (v), v FROM s"),
        ("SELECT s.*, v FROM s, t", "SELECT s.*, v FROM s, t"),
        ("SELECT 1 UNION SELECT 2, 2", r#"SELECT 1 AS "1" UNION SELECT 2 AS "2", 2 AS "2_1""#),
        ("SELECT EXISTS (SELECT 1, 1)", r#"SELECT EXISTS (SELECT 1 AS "1", 1 AS "1_1") AS "EXISTS (SELECT 1, 1)""#),
        (
            "SELECT a FROM t WHERE (a, b) IN (SELECT 1, 1)",
            r#"SELECT a FROM t WHERE (a, b) IN (SELECT 1 AS "1", 1 AS "1_1")"#,
        ),
    ] {
        assert_eq!(named(text), expected);
    }
}

//! Tests of `expansion`.

use super::*;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

fn verdict(sql: &str) -> std::result::Result<(), String> {
    let mut statements = Parser::parse_sql(&GenericDialect {}, sql).expect("a statement");
    check(statements.first_mut().expect("a statement")).map_err(|error| error.to_string())
}

/// `c0` reads one relation; each of the others reads the one before it twice.
fn doubled(names: usize, twice: impl Fn(&str) -> String) -> String {
    let mut sql = "WITH c0 AS (SELECT 1 AS x FROM t)".to_string();
    for name in 1..=names {
        sql += &format!(", c{name} AS ({})", twice(&format!("c{}", name - 1)));
    }
    sql + &format!(" SELECT * FROM c{names}")
}

#[test]
fn names_that_double_are_counted_by_their_references() {
    // 2ⁿ - 1 joins: 255 and 511.
    let joined = |name: &str| format!("SELECT a.x FROM {name} a, {name} b");
    assert_eq!(verdict(&doubled(8, joined)), Ok(()));
    let error = verdict(&doubled(9, joined)).expect_err("too many joins");
    assert!(error.contains("511 joins") && error.contains("at most 500"), "{error}");
    assert!(verdict(&doubled(200, joined)).is_err());
    // 2ⁿ relations: 1024 and 2048.
    let united = |name: &str| format!("SELECT * FROM {name} UNION ALL SELECT * FROM {name}");
    assert_eq!(verdict(&doubled(10, united)), Ok(()));
    let error = verdict(&doubled(11, united)).expect_err("too many relations");
    assert!(error.contains("2048 relations") && error.contains("at most 2000"), "{error}");
    for nothing in ["SELECT 1 AS x", "VALUES (1)"] {
        let sql = doubled(100, united).replacen("SELECT 1 AS x FROM t", nothing, 1);
        assert!(verdict(&sql).expect_err("too many").contains("relations"), "{nothing}");
    }
    // References in subqueries and in expressions count as well.
    assert!(
        verdict(&doubled(30, |name| format!("SELECT * FROM (SELECT * FROM {name}) JOIN {name} USING (x)"))).is_err()
    );
    assert!(verdict(&doubled(30, |name| format!("SELECT x FROM {name} WHERE x IN (SELECT x FROM {name})"))).is_err());
}

#[test]
fn long_chains_of_names_are_fine() {
    assert_eq!(verdict(&doubled(499, |name| format!("SELECT x FROM {name}"))), Ok(()));
    assert!(verdict(&doubled(500, |name| format!("SELECT x FROM {name}"))).is_err(), "501 names");
    // An inner name hides an outer one: the large one is defined and not read.
    let inner = "WITH c0 AS (SELECT 1) SELECT * FROM (WITH c0 AS (SELECT 1) SELECT * FROM c0), c0";
    assert_eq!(verdict(inner), Ok(()));
}

#[test]
fn long_lists_of_columns_are_refused() {
    let columns = |count: usize| format!("SELECT {}", vec!["x"; count].join(", "));
    assert_eq!(verdict(&columns(5_000)), Ok(()));
    assert!(verdict(&columns(5_001)).expect_err("too many").contains("5001 columns"));
}

#[test]
fn columns_are_counted_over_stars() {
    assert_eq!(verdict(&format!("SELECT 1{} FROM t", ", 1".repeat(4_999))), Ok(()));
    assert!(verdict(&format!("SELECT 1{}", ", 1".repeat(5_000))).expect_err("5,001 columns").contains("5001 columns"));
    // 250 stars of a table, 10 of ten tables, 12 of a subquery of 400 columns.
    assert_eq!(verdict(&format!("SELECT *{} FROM t", ", *".repeat(249))), Ok(()));
    assert!(verdict(&format!("SELECT *{} FROM t", ", *".repeat(250))).is_err());
    let tables = (0..10).map(|number| format!("t{number}")).collect::<Vec<_>>().join(", ");
    assert_eq!(verdict(&format!("SELECT *{} FROM {tables}", ", *".repeat(24))), Ok(()));
    assert!(verdict(&format!("SELECT *{} FROM {tables}", ", *".repeat(25))).is_err());
    let each = (0..100).map(|number| format!("t{number}.*")).collect::<Vec<_>>().join(", ");
    assert_eq!(verdict(&format!("SELECT {each} FROM {tables}")), Ok(()));
    let wide = format!("(SELECT 1{} FROM t)", ", 1".repeat(399));
    assert_eq!(verdict(&format!("SELECT *{} FROM {wide} AS w", ", *".repeat(11))), Ok(()));
    assert!(verdict(&format!("SELECT *{} FROM {wide} AS w", ", *".repeat(12))).is_err());
    assert!(verdict(&format!("WITH w AS {wide} SELECT *{} FROM w", ", *".repeat(12))).is_err());
    let values = format!("(VALUES (1{}))", ", 1".repeat(399));
    assert!(verdict(&format!("SELECT *{} FROM {values} AS w", ", *".repeat(12))).is_err());
    // Each doubles what is inside.
    let doubled = (0..10).fold("t".to_string(), |inner, _| format!("(SELECT *, * FROM {inner} AS q)"));
    assert!(verdict(&format!("SELECT * FROM {doubled} AS q")).expect_err("20,480 columns").contains("20480 columns"));
    assert_eq!(verdict("SELECT a.*, (SELECT max(x) FROM (SELECT * FROM t) AS q) FROM t AS a"), Ok(()));
}

#[test]
fn sets_of_groups_windows_and_lists_are_counted() {
    let keys = |count: usize| (0..count).map(|number| format!("x + {number}")).collect::<Vec<_>>().join(", ");
    assert_eq!(verdict(&format!("SELECT count(*) FROM t GROUP BY CUBE ({})", keys(12))), Ok(()));
    assert!(verdict(&format!("SELECT count(*) FROM t GROUP BY CUBE ({})", keys(13))).is_err());
    assert!(verdict(&format!("SELECT count(*) FROM t GROUP BY CUBE ({})", keys(200))).is_err());
    assert_eq!(verdict(&format!("SELECT count(*) FROM t GROUP BY ROLLUP ({})", keys(200))), Ok(()));
    assert!(verdict("SELECT count(*) FROM t GROUP BY CUBE (a, b, c, d, e, f, g), CUBE (h, i, j, k, l, m)").is_err());
    let window = "row_number() OVER (ORDER BY x)";
    assert_eq!(verdict(&format!("SELECT {window}{} FROM t", format!(", {window}").repeat(299))), Ok(()));
    assert!(verdict(&format!("SELECT {window}{} FROM t", format!(", {window}").repeat(300))).is_err());
    assert_eq!(verdict(&format!("SELECT 1 FROM t WHERE x IN (1{})", ", 1".repeat(49_999))), Ok(()));
    assert!(verdict(&format!("SELECT 1 FROM t WHERE x IN (1{})", ", 1".repeat(50_000))).is_err());
    assert!(verdict(&format!("SELECT greatest(1{}) FROM t", ", 1".repeat(50_000))).is_err());
}

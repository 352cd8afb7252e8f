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

//! Tests of `statement`.

use super::*;
use sqlparser::dialect::GenericDialect;

fn texts(text: &str) -> Vec<String> {
    let statements = split(text, &GenericDialect {}, 50).expect("statements");
    statements.iter().map(Statement::sql).collect()
}

#[test]
fn statements_are_split_at_semicolons() {
    assert_eq!(texts(" ;; "), Vec::<String>::new());
    assert_eq!(texts("SELECT ';' -- ;\n; SELECT 2;"), ["SELECT ';'", "SELECT 2"]);
    assert!(split("SELECT 1 SELECT 2", &GenericDialect {}, 50).is_err());
}

#[test]
fn summarize_is_a_statement() {
    assert_eq!(texts("summarize lu.states"), ["SELECT * FROM summarize((SELECT * FROM lu.states))"]);
    assert_eq!(texts("SUMMARIZE SELECT 1"), ["SELECT * FROM summarize((SELECT 1))"]);
    assert_eq!(texts("SUMMARIZE 'a.parquet'; SELECT 1").len(), 2);
    assert!(split("SUMMARIZE", &GenericDialect {}, 50).is_err());
}

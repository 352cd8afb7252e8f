//! Tests of `from_first`.

use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::Tokenizer;

use super::*;

fn completed(text: &str) -> String {
    let tokens = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location().expect("tokens");
    let parsed = Parser::new(&GenericDialect {}).with_tokens_with_locations(complete(tokens)).parse_statements();
    parsed.expect("SQL").iter().map(|statement| statement.to_string()).collect::<Vec<_>>().join("; ")
}

#[test]
fn a_query_without_select_reads_all_columns() {
    for (text, expected) in [
        ("FROM t", "SELECT * FROM t"),
        (
            "-- c\nFROM t WHERE a = (FROM u LIMIT 1) LIMIT 1",
            "SELECT * FROM t WHERE a = (SELECT * FROM u LIMIT 1) LIMIT 1",
        ),
        ("WITH s AS (FROM t) FROM s WHERE x", "WITH s AS (SELECT * FROM t) SELECT * FROM s WHERE x"),
        ("SELECT 1; FROM t", "SELECT 1; SELECT * FROM t"),
        ("FROM t UNION ALL SELECT 1", "SELECT * FROM t UNION ALL SELECT 1"),
        ("FROM t UNION ALL FROM u", "SELECT * FROM t UNION ALL SELECT * FROM u"),
        ("FROM t EXCEPT FROM u", "SELECT * FROM t EXCEPT SELECT * FROM u"),
        ("FROM t UNION BY NAME FROM u WHERE x", "SELECT * FROM t UNION BY NAME SELECT * FROM u WHERE x"),
        ("EXPLAIN FROM t", "EXPLAIN SELECT * FROM t"),
        ("CREATE VIEW v AS FROM t", "CREATE VIEW v AS SELECT * FROM t"),
    ] {
        assert_eq!(completed(text), expected);
    }
}

#[test]
fn other_uses_of_from_stay() {
    for text in [
        "SELECT f(x) FROM t",
        "SELECT EXTRACT(YEAR FROM x), TRIM(BOTH 'x' FROM y), SUBSTRING(y FROM 2) FROM t",
        "SELECT a IS DISTINCT FROM b FROM t",
        "SELECT (SELECT 1) FROM t",
        "WITH a AS (SELECT 1) SELECT f(x) FROM a",
        "SELECT \"from\" FROM t",
        "FROM t SELECT a WHERE b",
    ] {
        assert_eq!(completed(text), Parser::parse_sql(&GenericDialect {}, text).expect("SQL")[0].to_string());
    }
}

//! Tests of `function_spellings`.

use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;

use super::*;

fn translated(expression: &str) -> String {
    let mut statements = Parser::parse_sql(&GenericDialect {}, &format!("SELECT {expression}")).expect("SQL");
    translate(&mut statements[0]);
    statements[0].to_string()["SELECT ".len()..].to_string()
}

#[test]
fn calls_become_those_that_the_engine_knows() {
    for (given, expected) in [
        ("list(DISTINCT x ORDER BY x)", "array_agg(DISTINCT x ORDER BY x)"),
        ("LIST(x) FILTER (WHERE y)", "array_agg(x) FILTER (WHERE y)"),
        ("group_concat(x)", "string_agg(x, ',')"),
        ("string_agg(x, '; ')", "string_agg(x, '; ')"),
        ("count_if(x > 1)", "count(*) FILTER (WHERE x > 1)"),
        ("count_if(a OR b) FILTER (WHERE c OR d)", "count(*) FILTER (WHERE (c OR d) AND (a OR b))"),
        ("count_if(DISTINCT x)", "count_if(DISTINCT x)"),
        ("arg_max(a, b)", "first_value(a ORDER BY b DESC) FILTER (WHERE (a) IS NOT NULL AND (b) IS NOT NULL)"),
        ("min_by(a, b)", "first_value(a ORDER BY b ASC) FILTER (WHERE (a) IS NOT NULL AND (b) IS NOT NULL)"),
        ("arg_max(a, b, 3)", "arg_max(a, b, 3)"),
        ("lower(list_value(first(x)))", "lower(make_array(first_value(x)))"),
        ("s.list(x)", "s.list(x)"),
    ] {
        assert_eq!(translated(given), expected);
    }
}

#[test]
fn every_spelling_is_understood_and_in_order() {
    assert!(SPELLINGS.is_sorted());
    for name in SPELLINGS {
        let changed = [format!("{name}(x)"), format!("{name}(x, y)")].iter().any(|call| translated(call) != *call);
        assert!(changed, "{name}");
    }
}

//! Tests of `complexity`.

use super::*;
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::Tokenizer;

fn verdict(text: &str) -> Result<()> {
    let tokens = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location().expect("tokens");
    check(&tokens, 50)
}

fn is_fine(text: &str) -> bool {
    verdict(text).is_ok()
}

#[test]
fn long_chains_are_refused() {
    for link in [
        "+1",
        " AND 1=1",
        " OR a",
        "::int",
        "[1]",
        " UNION ALL SELECT 1",
        " UNION SELECT 1, 2",
        " UNION ALL SELECT a FROM t WHERE a = 1 AND b IS NOT NULL",
        " LIKE 'a'",
        " NOT ILIKE 'a'",
        " SIMILAR TO 'a'",
        " XOR true",
        " IN (1)",
        " AT TIME ZONE 'UTC'",
    ] {
        assert!(!is_fine(&format!("SELECT 1{}", link.repeat(20_000))), "{link}");
        assert!(is_fine(&format!("SELECT 1{}", link.repeat(150))), "{link}");
    }
    for link in [" AND 1=1", " OR a", " OR a LIKE 'b'", " AND a BETWEEN 1 AND 2", " UNION ALL SELECT 1"] {
        assert!(is_fine(&format!("SELECT 1{}", link.repeat(1_000))), "{link}");
    }
    assert!(!is_fine(&format!("SELECT {} 1", "NOT ".repeat(20_000))));
    assert!(!is_fine(&format!("SELECT (SELECT 1{})", "+1".repeat(20_000))));
    // Words that look like the end of a chain and are names in it.
    for link in [
        " + union",
        " + join",
        " + union(1)",
        " + join (1)",
        " + end",
        " - else",
        " + and",
        " AND + or",
        " BETWEEN 0 AND 1",
    ] {
        assert!(!is_fine(&format!("SELECT 1{}", link.repeat(20_000))), "{link}");
    }
}

#[test]
fn joins_and_unguarded_words_are_refused_early() {
    for link in [" JOIN t USING (a)", ", t", " PIVOT (sum(a) FOR b IN ('a'))", " UNPIVOT (a FOR b IN (c))"] {
        let text = |links: usize| format!("SELECT 1 FROM t{}", link.repeat(links));
        assert!(is_fine(&text(100)) && !is_fine(&text(101)), "{link}");
    }
    let lateral = |links: usize| format!("SELECT 1 FROM t{}", ", LATERAL (SELECT t.a)".repeat(links));
    assert!(is_fine(&lateral(8)) && !is_fine(&lateral(9)));
    for (before, link, after) in [
        ("", "EXPLAIN ", "SELECT 1"),
        ("", "EXPLAIN ANALYZE ", "SELECT 1"),
        ("SELECT ", "INTERVAL ", "'1'"),
        ("SELECT CAST(a AS ", "ARRAY<", "INT"),
        ("SELECT CAST(a AS ", "STRUCT<a INT, b ", "INT"),
        ("SELECT ", "CAST(", "1"),
        ("SELECT ", "[", "1"),
        ("SELECT ", "(", "1"),
    ] {
        assert!(!is_fine(&format!("{before}{}{after}", link.repeat(101))), "{link}");
        assert!(is_fine(&format!("{before}{}{after}", link.repeat(10))), "{link}");
    }
}

#[test]
fn long_lists_are_fine() {
    let numbers = vec!["-1"; 50_000].join(",");
    assert!(is_fine(&format!("SELECT 1 IN ({numbers})")));
    assert!(is_fine(&format!("SELECT {numbers}")));
    assert!(is_fine(&format!("VALUES {}", vec!["(1 + 1)"; 20_000].join(", "))));
    assert!(is_fine(&"SELECT 1 + 1;".repeat(5_000)));
    assert!(is_fine(&format!("SELECT CASE {} END", "WHEN a = 1 AND b = 2 AND c > 3 THEN 1 + 1 ".repeat(5_000))));
    assert!(is_fine(&format!("SELECT a FROM t ORDER BY {}", vec!["a DESC"; 5_000].join(", "))));
    assert!(is_fine(&format!("SELECT {} FROM t", vec!["a IS DISTINCT FROM b"; 5_000].join(", "))));
}

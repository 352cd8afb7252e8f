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

#[test]
fn long_texts_are_refused_before_they_are_cut() {
    for piece in [";", "1,", " ", "\n", "a ", "½", "'a'", "--\n", "/**/", "é,"] {
        let most = MOST_PIECES / piece.chars().count();
        assert!(check_length(&piece.repeat(most)).is_ok(), "{piece:?}");
        assert!(check_length(&piece.repeat(2 * MOST_PIECES)).is_err(), "{piece:?}");
    }
    // A long word is one piece; so is one letter after another without a break.
    assert!(check_length(&"aé_9".repeat(MOST_PIECES)).is_ok());
}

#[test]
fn no_text_has_more_tokens_than_pieces() {
    let parts = [
        "a", "1", "½", "é", "1e5", "0x", ".", "'", "''", "E'\\'", "$$", "$a$", "--", "/*", "*/", " ", "\n", "||", "\"",
        "N'",
    ];
    proptest::proptest!(|(chosen in proptest::collection::vec(0..parts.len(), 0..60))| {
        let text: String = chosen.iter().map(|part| parts[*part]).collect();
        if let Ok(tokens) = Tokenizer::new(&sqlparser::dialect::PostgreSqlDialect {}, &text).tokenize() {
            proptest::prop_assert!(tokens.len() <= 2 * pieces(&text), "{text:?}: {tokens:?}");
        }
    });
}

#[test]
fn long_lists_and_many_statements_are_refused() {
    assert!(is_fine(&format!("SELECT a IN (1{})", ", 1".repeat(50_000))));
    assert!(!is_fine(&format!("SELECT a IN (1{})", ", 1".repeat(MOST_TOKENS))));
    assert!(is_fine(&"SELECT 1; ".repeat(MOST_STATEMENTS)));
    assert!(!is_fine(&"; ".repeat(MOST_STATEMENTS + 1)));
}

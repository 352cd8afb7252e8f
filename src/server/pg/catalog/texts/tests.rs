//! Tests of `texts`.

use super::*;

fn matches(value: &str, pattern: &str) -> bool {
    let letters = |text: &str| text.chars().collect::<Vec<_>>();
    is_like(&letters(value), &letters(pattern), Some('/'))
}

#[test]
fn patterns_know_their_escape() {
    assert!(matches("pg_class", "pg/_%"));
    assert!(!matches("pgaclass", "pg/_%"));
    assert!(matches("states", "st_te%"));
    assert!(!matches("states", "st"));
    assert!(matches("", "%"));
    assert!(matches("a_b_c", "%/_%/_c"));
    assert!(!matches("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "%a%a%a%a%a%a%a%a%a%b"));
}

#[test]
fn texts_are_quoted_for_sql() {
    assert_eq!(literal("it's"), "'it''s'");
    assert_eq!(literal("a\\b"), "E'a\\\\b'");
}

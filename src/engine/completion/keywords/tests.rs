//! Tests of `keywords`.

use super::*;

#[test]
fn keywords_are_sorted_and_found_in_any_case() {
    assert!(KEYWORDS.is_sorted());
    assert!(is_keyword("select") && is_keyword("With") && is_keyword("ALL"));
    assert!(!is_keyword("states"));
    assert!(BEFORE_TABLES.iter().all(|word| is_keyword(word)));
}

//! Tests of the reading of Rust as text.

use super::{code_only, tokens, without_tests};

#[test]
fn comments_and_literals_are_blanked() {
    let code = code_only("use a::b; // crate::x\nlet s = \"crate::y\"; let c = '\"'; fn f<'l>() {} r#\"z \" \"#");
    assert!(code.contains("use a::b;") && code.contains("fn f<'l>() {}"), "{code}");
    assert!(!code.contains('x') && !code.contains('y') && !code.contains('z'), "{code}");
    assert_eq!(code.lines().count(), 2);
}

#[test]
fn items_of_tests_are_left_out() {
    assert_eq!(without_tests("a #[cfg(test)] mod tests { { } } b").trim(), "a  b");
    assert_eq!(without_tests("a #[cfg(test)]\nmod tests; b").trim(), "a  b");
}

#[test]
fn tokens_are_words_and_marks() {
    assert_eq!(tokens("use a_1::{b};"), ["use", "a_1", "::", "{", "b", "}", ";"]);
}

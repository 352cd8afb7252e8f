//! Words, numbers, texts and marks.

use super::*;

#[test]
fn every_kind_of_token() {
    let word = |text: &str| TsdlToken::Word(text.to_string());
    let text = "a_1 := 0x1F 017 12ul 'x' ... \"a\\\"b\\n\" /* no { */ ; // no }\n>";
    let expected = vec![
        word("a_1"),
        TsdlToken::Mark(":="),
        TsdlToken::Number(31),
        TsdlToken::Number(15),
        TsdlToken::Number(12),
        TsdlToken::Number(120),
        TsdlToken::Mark("..."),
        TsdlToken::Text("a\"b\n".to_string()),
        TsdlToken::Mark(";"),
        TsdlToken::Mark(">"),
    ];
    assert_eq!(tokens(text), (expected, 0));
}

#[test]
fn what_is_no_token_is_skipped() {
    assert_eq!(
        tokens("a § ; \"open"),
        (vec![TsdlToken::Word("a".to_string()), TsdlToken::Mark(";"), TsdlToken::Word("open".to_string())], 2)
    );
    assert_eq!(tokens("/* open"), (vec![], 0));
}

#[test]
fn texts_without_end_are_looked_at_once() {
    // Each of them would be read to the end: n and 2n would differ by four.
    let text = format!("\"{}", "\\\"".repeat(200_000));
    assert_eq!(tokens(&text), (vec![], 400_001));
}

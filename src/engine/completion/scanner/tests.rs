//! Tests of `scanner`.

use super::*;

#[test]
fn tokens_cover_the_text() {
    let text = "SELECT 1e-5, 'é' || \"x\" FROM état -- $";
    let tokens: Vec<Token> = SqlScanner::new(text).collect();
    let joined: String = tokens.iter().map(|token| &text[token.start..token.end]).collect();
    assert_eq!(joined, text);
    assert!(tokens.iter().any(|token| &text[token.start..token.end] == "1e-5"));
}

//! Statements where the grammar has no place for them: a text that cannot be read is looked at for these, since
//! "Expected: …, found: …" would not say what to write.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// What to write instead of what these tokens have in a wrong place.
pub(super) fn advice(tokens: &[TokenWithSpan]) -> Option<String> {
    let tokens = tokens.iter().map(|token| &token.token).filter(|token| !matches!(token, Token::Whitespace(_)));
    let tokens: Vec<&Token> = tokens.collect();
    tokens.windows(3).find_map(|window| match window {
        [before, word, next] if is_word(word, "PIVOT") && begins_query(before) && begins_relation(next) => {
            let clause = "SELECT * FROM t PIVOT (sum(x) FOR y IN ('a', 'b'))";
            Some(format!("PIVOT as a part of another statement; write {clause} there"))
        }
        [describe, Token::Word(name), Token::LParen]
            if is_word(describe, "DESCRIBE") && !begins_select(name.keyword) =>
        {
            Some(format!("DESCRIBE of a function; write DESCRIBE SELECT * FROM {}(…)", name.value))
        }
        _ => None,
    })
}

fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(found) if found.quote_style.is_none() && found.value.eq_ignore_ascii_case(word))
}

/// Whether a query may begin after this token.
fn begins_query(before: &Token) -> bool {
    *before == Token::LParen || ["AS", "EXPLAIN", "ANALYZE", "VERBOSE", "DESCRIBE"].iter().any(|w| is_word(before, w))
}

fn begins_relation(next: &Token) -> bool {
    matches!(next, Token::Word(_) | Token::LParen | Token::SingleQuotedString(_))
}

fn begins_select(keyword: Keyword) -> bool {
    matches!(keyword, Keyword::SELECT | Keyword::VALUES | Keyword::FROM | Keyword::WITH)
}

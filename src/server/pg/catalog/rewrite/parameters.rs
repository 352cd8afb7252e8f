//! Types of parameters that a statement itself declares: `$1::oid[]`, `CAST($1 AS text)`. DataFusion does not
//! look there.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sqlparser::dialect::PostgreSqlDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::super::types::TYPES;

/// Words that go on with the name of a type.
const MORE: &[&str] = &["precision", "varying", "with", "without", "time", "zone"];

/// Numbers of the types of parameters, by the number of the parameter. Looks at words only: the text may be
/// of any depth.
pub(in crate::pg) fn parameter_types(text: &str) -> BTreeMap<usize, u32> {
    let mut types = BTreeMap::new();
    let tokens = match text.contains('$') {
        true => Tokenizer::new(&PostgreSqlDialect {}, text).tokenize().unwrap_or_default(),
        false => vec![],
    };
    let tokens: Vec<Token> = tokens.into_iter().filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    for (place, token) in tokens.iter().enumerate() {
        let Token::Placeholder(name) = token else { continue };
        let is_cast = match tokens.get(place + 1) {
            Some(Token::DoubleColon) => true,
            Some(Token::Word(word)) => word.value.eq_ignore_ascii_case("as") && is_in_cast(&tokens[..place]),
            _ => false,
        };
        let number = name.strip_prefix('$').and_then(|number| number.parse().ok());
        let kind = is_cast.then(|| type_name(&tokens[place + 2..])).and_then(|name| type_number(&name));
        if let (Some(number), Some(kind)) = (number, kind) {
            types.entry(number).or_insert(kind);
        }
    }
    types
}

/// Whether the tokens end with `CAST(`.
fn is_in_cast(before: &[Token]) -> bool {
    match before {
        [.., Token::Word(word), Token::LParen] => word.value.eq_ignore_ascii_case("cast"),
        _ => false,
    }
}

/// The name of a type at the start of tokens.
fn type_name(tokens: &[Token]) -> String {
    let mut name = String::new();
    for token in tokens {
        match token {
            Token::Word(word) if name.is_empty() || name.ends_with('.') => name.push_str(&word.value.to_lowercase()),
            Token::Word(word) if MORE.contains(&word.value.to_lowercase().as_str()) => {
                name.push(' ');
                name.push_str(&word.value.to_lowercase());
            }
            Token::Period if !name.is_empty() => name.push('.'),
            Token::LBracket => name.push('['),
            Token::RBracket => name.push(']'),
            _ => break,
        }
    }
    name
}

/// Names of objects are sent as text.
fn type_number(name: &str) -> Option<u32> {
    let is_object = name.trim_start_matches("pg_catalog.").starts_with("reg");
    TYPES.number(name).filter(|_| !is_object).and_then(|number| u32::try_from(number).ok())
}

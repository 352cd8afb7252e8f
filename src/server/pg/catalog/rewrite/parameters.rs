//! Types of parameters that a statement itself declares: `$1::oid[]`, `CAST($1 AS text)`. DataFusion does not
//! look there.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sqlparser::tokenizer::Token;

use super::super::types::TYPES;
use crate::pg::script::{ScriptStatement, ScriptToken};

/// Words that go on with the name of a type.
const MORE: &[&str] = &["precision", "varying", "with", "without", "time", "zone"];

/// Numbers of the types of parameters, by the number of the parameter. Looks at words only: the text may be
/// of any depth.
pub(in crate::pg) fn parameter_types(statement: &ScriptStatement) -> BTreeMap<usize, u32> {
    let mut types = BTreeMap::new();
    let tokens = &statement.tokens;
    for (place, token) in tokens.iter().enumerate() {
        let Some(number) = token.parameter() else { continue };
        let is_cast = match tokens.get(place + 1).map(|next| &next.token) {
            Some(Token::DoubleColon) => true,
            Some(Token::Word(word)) => word.value.eq_ignore_ascii_case("as") && is_in_cast(&tokens[..place]),
            _ => false,
        };
        let kind = is_cast.then(|| type_name(&tokens[place + 2..])).and_then(|name| type_number(&name));
        if let Some(kind) = kind {
            types.entry(number).or_insert(kind);
        }
    }
    types
}

/// Whether the tokens end with `CAST(`.
fn is_in_cast(before: &[ScriptToken]) -> bool {
    let [.., cast, open] = before else { return false };
    matches!(&cast.token, Token::Word(word) if word.value.eq_ignore_ascii_case("cast")) && open.token == Token::LParen
}

/// The name of a type at the start of tokens.
fn type_name(tokens: &[ScriptToken]) -> String {
    let mut name = String::new();
    for token in tokens {
        match &token.token {
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

/// The number of a type by its name. Names of objects are sent as text.
pub(in crate::pg) fn type_number(name: &str) -> Option<u32> {
    let is_object = name.trim_start_matches("pg_catalog.").starts_with("reg");
    TYPES.number(name).filter(|_| !is_object).and_then(|number| u32::try_from(number).ok())
}

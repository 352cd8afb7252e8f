//! What the text around the cursor says about it: the call that it stands in, and the relations of the statement.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use super::keywords::is_keyword;
use super::scanner::{SqlScanner, TokenKind};

/// A call that is still open at the end of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// The function, in lower case.
    pub function: String,
    /// The names of the arguments that are there.
    pub given: Vec<String>,
}

/// A relation in FROM.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RelationName {
    /// A table or view, without its schema.
    Table(String),
    /// A function.
    Function(String),
}

/// The call in whose arguments a text ends, when an argument could begin there.
pub fn open_call(text: &str) -> Option<OpenCall> {
    let words = words(text);
    let starts_argument = matches!(words.last(), Some(&("(" | ",")));
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate().rev().filter(|_| starts_argument) {
        match *word {
            ")" => depth += 1,
            "(" if depth > 0 => depth -= 1,
            "(" => {
                let function = index.checked_sub(1).map(|before| words[before].to_lowercase())?;
                return Some(OpenCall { function, given: argument_names(&words[index + 1..]) });
            }
            _ => {}
        }
    }
    None
}

/// The names before `=>` that stand in no inner parentheses.
fn argument_names(words: &[&str]) -> Vec<String> {
    let mut depth = 0_usize;
    let mut names = vec![];
    for (index, word) in words.iter().enumerate() {
        match *word {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "=" if depth == 0 && index > 0 && words.get(index + 1) == Some(&">") => {
                names.push(words[index - 1].to_lowercase());
            }
            _ => {}
        }
    }
    names
}

/// The relations of a text by the names that columns are written with: aliases, or else their own.
pub fn relations(text: &str) -> BTreeMap<String, RelationName> {
    let words = words(text);
    let mut found = BTreeMap::new();
    let mut index = 0;
    while index < words.len() {
        let is_start = ["FROM", "JOIN"].iter().any(|start| words[index].eq_ignore_ascii_case(start));
        index += 1;
        while is_start && index < words.len() {
            index = relation(&words, index, &mut found);
            if words.get(index) != Some(&",") {
                break;
            }
            index += 1;
        }
    }
    found
}

/// Reads a relation with its alias; returns where it ends.
fn relation(words: &[&str], start: usize, found: &mut BTreeMap<String, RelationName>) -> usize {
    let mut index = start;
    let mut name = words[index].to_lowercase();
    if !is_name(words[index]) {
        return index;
    }
    index += 1;
    while words.get(index) == Some(&".") {
        name = words.get(index + 1).map(|part| part.to_lowercase()).unwrap_or_default();
        index += 2;
    }
    let mut relation = RelationName::Table(name.clone());
    if words.get(index) == Some(&"(") {
        relation = RelationName::Function(name.clone());
        index = end_of_parentheses(words, index);
    }
    if words.get(index).is_some_and(|word| word.eq_ignore_ascii_case("as")) {
        index += 1;
    }
    if let Some(alias) = words.get(index).filter(|word| is_name(word)) {
        name = alias.to_lowercase();
        index += 1;
    }
    found.insert(name, relation);
    index
}

/// The index after the parenthesis that closes the one at `start`.
fn end_of_parentheses(words: &[&str], start: usize) -> usize {
    let mut depth = 0_usize;
    for (index, word) in words.iter().enumerate().skip(start) {
        match *word {
            "(" => depth += 1,
            ")" if depth == 1 => return index + 1,
            ")" => depth -= 1,
            _ => {}
        }
    }
    words.len()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|character: char| character.is_alphabetic() || character == '_') && !is_keyword(word)
}

/// The words and signs of a text, without spaces and comments.
fn words(text: &str) -> Vec<&str> {
    SqlScanner::new(text)
        .filter(|token| !matches!(token.kind, TokenKind::Space | TokenKind::Comment))
        .map(|token| &text[token.start..token.end])
        .collect()
}

//! What could stand where the cursor is: names, keywords and arguments that start with what was typed.

#[cfg(test)]
mod tests;

use super::keywords::{BEFORE_TABLES, KEYWORDS};
use super::names::CompletionNames;
use super::scanner::{SqlScanner, TokenKind, is_word_part};
use super::sql_context::{RelationName, open_call, relations};

/// Completions of the word before the cursor, and where that word starts. What follows the cursor may name the
/// relations of the statement.
pub fn sql_candidates(names: &CompletionNames, before: &str, after: &str) -> (usize, Vec<String>) {
    let tokens: Vec<_> = SqlScanner::new(before).collect();
    let is_in_quote = tokens.last().is_some_and(|last| matches!(last.kind, TokenKind::Quote | TokenKind::Comment));
    let start = before
        .rfind(|character: char| !is_word_part(character) && character != '.')
        .map_or(0, |index| index + before[index..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    if is_in_quote || word.starts_with(|character: char| character.is_ascii_digit()) {
        return (start, vec![]);
    }
    if let Some((qualifier, prefix)) = word.rsplit_once('.') {
        let mut candidates = qualified_candidates(names, qualifier, prefix);
        candidates.extend(column_candidates(names, qualifier, prefix, &format!("{before} {after}")));
        return (start, sorted(candidates));
    }
    let arguments = argument_candidates(names, &before[..start], word);
    if word.is_empty() && !arguments.is_empty() {
        return (start, arguments);
    }
    let previous = tokens
        .iter()
        .rev()
        .filter(|token| token.end <= start && token.kind == TokenKind::Word)
        .map(|token| before[token.start..token.end].to_ascii_uppercase())
        .next();
    if previous.is_some_and(|previous| BEFORE_TABLES.contains(&previous.as_str())) {
        let mut candidates = table_candidates(names, word);
        candidates.extend(starting_with(word, names.table_functions.iter().map(String::as_str)));
        return (start, sorted(candidates));
    }
    if word.is_empty() {
        return (start, vec![]);
    }
    let mut candidates = table_candidates(names, word);
    candidates.extend(arguments);
    candidates.extend(starting_with(word, names.columns.values().flatten().map(String::as_str)));
    candidates.extend(starting_with(word, names.functions.iter().map(String::as_str)));
    let is_lower = word.chars().any(char::is_lowercase);
    candidates.extend(
        starting_with(word, KEYWORDS.iter().copied())
            .into_iter()
            .map(|keyword| if is_lower { keyword.to_ascii_lowercase() } else { keyword }),
    );
    (start, sorted(candidates))
}

/// `events_at(ti` gives the names of its arguments that are not there yet.
fn argument_candidates(names: &CompletionNames, before: &str, word: &str) -> Vec<String> {
    let Some(call) = open_call(before) else { return vec![] };
    let known = names.arguments.get(&call.function).into_iter().flatten();
    let missing = known.filter(|name| !call.given.contains(name)).map(String::as_str);
    starting_with(word, missing).into_iter().map(|name| format!("{name} => ")).collect()
}

/// `s.v` gives columns of the relation that the statement calls `s`.
fn column_candidates(names: &CompletionNames, alias: &str, prefix: &str, text: &str) -> Vec<String> {
    let relations = relations(text);
    let columns = match relations.get(&alias.to_lowercase()) {
        Some(RelationName::Table(table)) => names.columns.get(table),
        Some(RelationName::Function(function)) => names.function_columns.get(function),
        None => None,
    };
    let columns = columns.into_iter().flatten().map(String::as_str);
    starting_with(prefix, columns).into_iter().map(|name| format!("{alias}.{name}")).collect()
}

/// `lu.st` gives tables of the trace, `states.v` columns of the table.
fn qualified_candidates(names: &CompletionNames, qualifier: &str, prefix: &str) -> Vec<String> {
    let tables = names.tables.get(qualifier).into_iter().flatten();
    let table = qualifier.rsplit('.').next().unwrap_or(qualifier);
    let columns = names.columns.get(table).into_iter().flatten();
    starting_with(prefix, tables.chain(columns).map(String::as_str))
        .into_iter()
        .map(|name| format!("{qualifier}.{name}"))
        .collect()
}

/// Tables of the current schema, and schemas to go on with.
pub fn table_candidates(names: &CompletionNames, word: &str) -> Vec<String> {
    if let Some((qualifier, prefix)) = word.rsplit_once('.') {
        return qualified_candidates(names, qualifier, prefix);
    }
    let tables = names.tables.get(&names.current_schema).into_iter().flatten();
    starting_with(word, tables.chain(&names.schemas).map(String::as_str))
}

/// Those of some names that start with a prefix in any case, sorted.
pub fn starting_with<'a>(prefix: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let prefix = prefix.to_lowercase();
    let found = names.into_iter().filter(|name| name.to_lowercase().starts_with(&prefix));
    sorted(found.map(str::to_string).collect())
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

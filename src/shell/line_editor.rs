//! What the line editor asks while a user types: completions, colors, and whether Enter runs the text.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use clap::ValueEnum;
use rustyline::completion::{Completer, FilenameCompleter, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::commands::{ArgumentKind, COMMANDS, find};
use super::completion_names::CompletionNames;
use super::input::{SqlScanner, TokenKind, is_command, is_complete, is_word_part};
use super::keywords::{BEFORE_TABLES, KEYWORDS, is_keyword};
use super::sql_context::{RelationName, open_call, relations};
use ocellus_render::formats::ResultFormat;

const KEYWORD_COLOR: &str = "\x1b[1;34m";
const QUOTE_COLOR: &str = "\x1b[32m";
const NUMBER_COLOR: &str = "\x1b[36m";
const COMMENT_COLOR: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

/// Completes, colors and validates lines, with the names of the open store.
pub struct ShellHelper {
    /// The names to complete; they change when tables are made or dropped.
    pub names: CompletionNames,
    files: FilenameCompleter,
}

impl ShellHelper {
    /// A helper that completes these names.
    pub fn new(names: CompletionNames) -> ShellHelper {
        ShellHelper { names, files: FilenameCompleter::new() }
    }
}

impl Helper for ShellHelper {}

impl Hinter for ShellHelper {
    type Hint = String;
}

impl Validator for ShellHelper {
    fn validate(&self, context: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(if is_complete(context.input()) { ValidationResult::Valid(None) } else { ValidationResult::Incomplete })
    }
}

impl Highlighter for ShellHelper {
    fn highlight<'l>(&self, line: &'l str, _position: usize) -> Cow<'l, str> {
        if is_command(line) { Cow::Borrowed(line) } else { Cow::Owned(colored(line)) }
    }

    fn highlight_char(&self, _line: &str, _position: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}

impl Completer for ShellHelper {
    type Candidate = Pair;

    fn complete(&self, line: &str, position: usize, context: &Context<'_>) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before = &line[..position];
        if !is_command(before) {
            let (start, candidates) = sql_candidates(&self.names, before, &line[position..]);
            return Ok((start, pairs(candidates)));
        }
        let argument = before.split_once(char::is_whitespace).and_then(|(name, _)| find(name.trim_start()));
        if argument.is_some_and(|spec| spec.argument == ArgumentKind::File) {
            return self.files.complete(line, position, context);
        }
        let (start, candidates) = command_candidates(&self.names, before);
        Ok((start, pairs(candidates)))
    }
}

fn pairs(candidates: Vec<String>) -> Vec<Pair> {
    candidates.into_iter().map(|name| Pair { display: name.clone(), replacement: name }).collect()
}

/// Completions of a command or its argument, and where the completed word starts.
fn command_candidates(names: &CompletionNames, before: &str) -> (usize, Vec<String>) {
    let Some((name, _)) = before.split_once(char::is_whitespace) else {
        let known = COMMANDS.iter().flat_map(|spec| spec.names).copied();
        return (0, starting_with(before, known));
    };
    let start = before.rfind(char::is_whitespace).map_or(0, |index| index + 1);
    let word = &before[start..];
    let Some(spec) = find(name) else { return (start, vec![]) };
    let candidates = match spec.argument {
        ArgumentKind::Command => starting_with(word, COMMANDS.iter().flat_map(|spec| spec.names).copied()),
        ArgumentKind::Table => table_candidates(names, word),
        ArgumentKind::Trace => starting_with(word, names.schemas.iter().map(String::as_str)),
        ArgumentKind::Function => starting_with(word, names.functions.iter().map(String::as_str)),
        ArgumentKind::Format => starting_with(word, ResultFormat::value_variants().iter().map(|format| format.name())),
        ArgumentKind::Switch => starting_with(word, ["off", "on"]),
        ArgumentKind::None | ArgumentKind::File | ArgumentKind::Text => vec![],
    };
    (start, candidates)
}

/// Completions of the word before the cursor, and where that word starts. What follows the cursor may name the
/// relations of the statement.
fn sql_candidates(names: &CompletionNames, before: &str, after: &str) -> (usize, Vec<String>) {
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
fn table_candidates(names: &CompletionNames, word: &str) -> Vec<String> {
    if let Some((qualifier, prefix)) = word.rsplit_once('.') {
        return qualified_candidates(names, qualifier, prefix);
    }
    let tables = names.tables.get(&names.current_schema).into_iter().flatten();
    starting_with(word, tables.chain(&names.schemas).map(String::as_str))
}

fn starting_with<'a>(prefix: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let prefix = prefix.to_lowercase();
    let found = names.into_iter().filter(|name| name.to_lowercase().starts_with(&prefix));
    sorted(found.map(str::to_string).collect())
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}

fn colored(line: &str) -> String {
    let mut shown = String::with_capacity(line.len() * 2);
    for token in SqlScanner::new(line) {
        let text = &line[token.start..token.end];
        let color = match token.kind {
            TokenKind::Word if is_keyword(text) => KEYWORD_COLOR,
            TokenKind::Quote => QUOTE_COLOR,
            TokenKind::Number => NUMBER_COLOR,
            TokenKind::Comment => COMMENT_COLOR,
            _ => {
                shown.push_str(text);
                continue;
            }
        };
        shown.push_str(color);
        shown.push_str(text);
        shown.push_str(PLAIN);
    }
    shown
}

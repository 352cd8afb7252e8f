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
use super::input::{is_command, is_complete};
use ocellus_engine::completion::{
    CompletionNames, SqlScanner, TokenKind, is_keyword, sql_candidates, starting_with, table_candidates,
};
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

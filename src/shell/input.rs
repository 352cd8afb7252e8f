//! Input as it is typed or piped: where a statement ends, and what is a command of the shell.
//!
//! ```text
//! input     = { command | statement }
//! command   = a line that starts with "." or "\" where a statement could start
//! statement = text up to a ";" that is in no quote and no comment
//! ```

#[cfg(test)]
mod tests;

use ocellus_engine::completion::{SqlScanner, TokenKind, is_blank};

/// What the shell runs at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShellInput {
    /// A line such as `.tables`.
    Command(String),
    /// One statement, without its semicolon.
    Statement(String),
}

/// Takes lines, returns commands and statements as soon as they are whole.
#[derive(Debug, Default)]
pub struct InputSplitter {
    pending: String,
}

impl InputSplitter {
    /// Takes a line and gives what is whole now.
    pub fn line(&mut self, line: &str) -> Vec<ShellInput> {
        if is_blank(&self.pending) && is_command(line) {
            self.pending.clear();
            return vec![ShellInput::Command(line.trim().to_string())];
        }
        self.pending.push_str(line);
        self.pending.push('\n');
        let mut whole = vec![];
        while let Some(end) = statement_end(&self.pending) {
            let rest = self.pending.split_off(end + 1);
            let mut statement = std::mem::replace(&mut self.pending, rest);
            statement.truncate(end);
            if !is_blank(&statement) {
                whole.push(ShellInput::Statement(statement));
            }
        }
        whole
    }

    /// What is left at the end of the input: a last statement needs no semicolon.
    pub fn finish(&mut self) -> Option<ShellInput> {
        let rest = std::mem::take(&mut self.pending);
        (!is_blank(&rest)).then(|| ShellInput::Statement(rest.trim_end().to_string()))
    }
}

/// All commands and statements of a text.
pub fn split_input(text: &str) -> Vec<ShellInput> {
    let mut splitter = InputSplitter::default();
    let mut inputs: Vec<ShellInput> = text.lines().flat_map(|line| splitter.line(line)).collect();
    inputs.extend(splitter.finish());
    inputs
}

/// Whether a line where a statement could start is a command of the shell.
pub fn is_command(line: &str) -> bool {
    let mut characters = line.trim_start().chars();
    match characters.next() {
        Some('\\') => true,
        // `.5` is a number.
        Some('.') => characters.next().is_none_or(|next| !next.is_ascii_digit()),
        _ => false,
    }
}

/// Whether what was typed so far can run: a command, nothing, or statements up to a last semicolon.
pub fn is_complete(text: &str) -> bool {
    if is_blank(text) || is_command(text) {
        return true;
    }
    let mut rest = text;
    while let Some(end) = statement_end(rest) {
        rest = &rest[end + 1..];
        if is_blank(rest) {
            return true;
        }
    }
    false
}

/// Position of the semicolon that ends the first statement.
fn statement_end(text: &str) -> Option<usize> {
    SqlScanner::new(text).find(|token| token.kind == TokenKind::Semicolon).map(|token| token.start)
}

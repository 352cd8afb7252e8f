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
    /// Where the last token of what is pending starts: it may go on in the next line, those before it do not.
    last_token: usize,
}

impl InputSplitter {
    /// Takes a line and gives what is whole now.
    pub fn line(&mut self, line: &str) -> Vec<ShellInput> {
        if is_command(line) && is_blank(&self.pending) {
            *self = InputSplitter::default();
            return vec![ShellInput::Command(line.trim().to_string())];
        }
        self.pending.push_str(line);
        self.pending.push('\n');
        let (mut whole, mut start, mut last_token) = (vec![], 0, self.last_token);
        for token in SqlScanner::new(&self.pending[self.last_token..]) {
            last_token = self.last_token + token.start;
            if token.kind == TokenKind::Semicolon {
                let statement = &self.pending[start..last_token];
                if !is_blank(statement) {
                    whole.push(ShellInput::Statement(statement.to_string()));
                }
                start = last_token + 1;
            }
        }
        self.pending.drain(..start);
        self.last_token = last_token.saturating_sub(start);
        whole
    }

    /// What is left at the end of the input: a last statement needs no semicolon.
    pub fn finish(&mut self) -> Option<ShellInput> {
        let rest = std::mem::take(self).pending;
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

//! Where tokens stand: lines and columns, which count characters, become bytes, at which a text can be cut.

#[cfg(test)]
mod tests;

use sqlparser::tokenizer::Location;

use ocellus_trace::error::TextPosition;

/// A place in a text that moves from front to back.
pub(super) struct Position<'a> {
    text: &'a str,
    byte: usize,
    at: Location,
}

impl<'a> Position<'a> {
    /// The start of a text.
    pub(super) fn new(text: &'a str) -> Position<'a> {
        Position { text, byte: 0, at: Location::new(1, 1) }
    }

    /// Moves on to a line and column, and gives its byte. It never moves back, nor beyond the end.
    pub(super) fn advance(&mut self, to: Location) -> usize {
        for character in self.text[self.byte..].chars() {
            if self.at >= to {
                break;
            }
            self.byte += character.len_utf8();
            self.at = match character {
                '\n' => Location::new(self.at.line + 1, 1),
                _ => Location::new(self.at.line, self.at.column + 1),
            };
        }
        self.byte
    }
}

/// Which character of a text stands at a line and column, counted from 1; `None` beyond the last line.
pub(super) fn character_of(text: &str, position: TextPosition) -> Option<usize> {
    let lines_before = usize::try_from(position.line).ok()?.checked_sub(1)?;
    if lines_before > text.matches('\n').count() {
        return None;
    }
    let before: usize = text.split('\n').take(lines_before).map(|line| line.chars().count() + 1).sum();
    Some(before + usize::try_from(position.column).ok()?)
}

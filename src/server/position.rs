//! Where tokens stand: lines and columns, which count characters, become bytes, at which a text can be cut.

use sqlparser::tokenizer::Location;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_become_bytes() {
        let text = "é = 1\n\n数 ?";
        let mut position = Position::new(text);
        let mut byte = |line, column| position.advance(Location::new(line, column));
        assert_eq!([byte(1, 1), byte(1, 2), byte(1, 5)], [0, 2, 5]);
        assert_eq!([byte(2, 1), byte(3, 1), byte(3, 2), byte(3, 3)], [7, 8, 11, 12]);
        // Backwards, and beyond the end.
        assert_eq!([byte(1, 1), byte(9, 9), byte(9, 9)], [12, 13, 13]);
        assert_eq!(Position::new("").advance(Location::new(1, 1)), 0);
    }
}

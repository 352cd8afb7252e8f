//! Characters of a text with their line numbers, for the readers of resource descriptions.

use super::item::DescriptionFault;

/// A place in a text.
#[derive(Debug)]
pub(super) struct TextScanner<'a> {
    text: &'a str,
    at: usize,
    pub(super) line: usize,
}

impl<'a> TextScanner<'a> {
    pub(super) fn new(text: &'a str) -> TextScanner<'a> {
        TextScanner { text, at: 0, line: 1 }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes one character.
    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        self.line += usize::from(character == '\n');
        Some(character)
    }

    /// Takes a text if it comes next.
    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let is_there = self.rest().starts_with(wanted);
        if is_there {
            for _ in wanted.chars() {
                self.next();
            }
        }
        is_there
    }

    /// Takes characters as long as they are accepted.
    pub(super) fn take_while(&mut self, accepts: impl Fn(char) -> bool) -> &'a str {
        let start = self.at;
        while self.peek().is_some_and(&accepts) {
            self.next();
        }
        &self.text[start..self.at]
    }

    /// Skips white space, `// …` and `/* … */`, and lines that start with `#` where `#` starts a comment.
    pub(super) fn skip(&mut self, line_comment: Option<char>) -> Result<(), DescriptionFault> {
        loop {
            self.take_while(char::is_whitespace);
            if self.rest().starts_with("//") || (line_comment.is_some() && self.peek() == line_comment) {
                self.take_while(|character| character != '\n');
            } else if self.rest().starts_with("/*") {
                let line = self.line;
                self.take("/*");
                while !self.take("*/") {
                    if self.next().is_none() {
                        return Err(DescriptionFault::at(line, "a comment /* has no end */"));
                    }
                }
            } else {
                return Ok(());
            }
        }
    }

    /// The text between quotes, whose first has been taken; a backslash takes the next character as it is.
    pub(super) fn quoted(&mut self, quote: char) -> Result<String, DescriptionFault> {
        let line = self.line;
        let mut text = String::new();
        loop {
            match self.next() {
                None => return Err(DescriptionFault::at(line, "a quoted text has no closing quote")),
                Some(character) if character == quote => return Ok(text),
                Some('\\') => match self.next() {
                    Some('n') => text.push('\n'),
                    Some('u') => text.push(self.code_point()?),
                    Some('t') => text.push('\t'),
                    // A line that goes on.
                    Some('\n') | None => {}
                    Some(character) => text.push(character),
                },
                Some(character) => text.push(character),
            }
        }
    }

    /// The character of four hexadecimal digits.
    fn code_point(&mut self) -> Result<char, DescriptionFault> {
        let digits: String = self.rest().chars().take(4).collect();
        let character = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4).and_then(char::from_u32);
        match character {
            Some(character) => {
                self.take(&digits);
                Ok(character)
            }
            None => Err(DescriptionFault::at(self.line, format!("\\u{digits} is no character"))),
        }
    }

    /// What comes next, for messages.
    pub(super) fn shown(&self) -> String {
        match self.peek() {
            None => "the end of the file".to_string(),
            Some(_) => {
                let word: String = self.rest().chars().take_while(|c| !c.is_whitespace()).take(20).collect();
                format!("'{word}'")
            }
        }
    }
}

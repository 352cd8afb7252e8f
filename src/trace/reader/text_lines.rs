//! The lines of a text, with their places.

use super::TraceInput;
use super::input::InputWindow;
use crate::error::Result;

/// Reads a text line by line; memory holds one window of it.
pub(super) struct TextLines {
    input: TraceInput,
    window: Option<InputWindow>,
    at: usize,
}

/// A line without its end.
pub(super) struct WindowLine<'a> {
    /// Its offset.
    pub byte: u64,
    pub text: &'a [u8],
    /// It is the beginning of a line that is too long, whose rest was skipped.
    pub is_cut: bool,
    /// It has no end: the text may have been cut.
    pub is_unfinished: bool,
}

impl TextLines {
    pub fn new(input: TraceInput) -> TextLines {
        TextLines { input, window: None, at: 0 }
    }

    /// Offset of the next line.
    pub fn byte(&self) -> u64 {
        self.window.as_ref().map_or(self.input.offset(), |window| window.offset + self.at as u64)
    }

    /// Why a compressed stream ended too early.
    pub fn damage(&self) -> Option<&str> {
        self.input.damage.as_deref()
    }

    /// Makes sure that a line is there.
    fn fill(&mut self) -> Result<bool> {
        while self.window.as_ref().is_none_or(|window| self.at >= window.bytes().len()) {
            self.window = self.input.next_window()?;
            self.at = 0;
            if self.window.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The next line without its end, and without taking it.
    pub fn peek(&mut self) -> Result<Option<&[u8]>> {
        if !self.fill()? {
            return Ok(None);
        }
        let Some(window) = &self.window else { return Ok(None) };
        let rest = &window.bytes()[self.at..];
        let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        Ok(Some(line.strip_suffix(b"\r").unwrap_or(line)))
    }

    /// The next line without its end, and its offset.
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>> {
        Ok(self.line()?.map(|line| (line.byte, line.text)))
    }

    /// The next line.
    pub fn line(&mut self) -> Result<Option<WindowLine<'_>>> {
        if !self.fill()? {
            return Ok(None);
        }
        let byte = self.byte();
        let Some(window) = &self.window else { return Ok(None) };
        let rest = &window.bytes()[self.at..];
        let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        let text = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        Ok(Some(WindowLine { byte, text, is_cut: window.is_cut, is_unfinished: end == rest.len() && !window.is_cut }))
    }
}

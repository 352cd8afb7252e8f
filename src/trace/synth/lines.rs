//! Formats trace lines into a buffer by hand: no allocation and no `fmt` per line.
//!
//! In: the pieces of a line. Out: blocks of text in the writer.

#[cfg(test)]
mod tests;

use std::io::Write;

use crate::error::{Error, Result};

/// The buffer is written out when it is longer than this.
const BLOCK: usize = 1 << 16;
const DIGIT_PAIRS: [[u8; 2]; 100] = digit_pairs();

/// A line writer.
pub(super) struct TraceLines<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
}

impl<'a> TraceLines<'a> {
    pub(super) fn new(out: &'a mut dyn Write) -> TraceLines<'a> {
        TraceLines { out, buffer: Vec::with_capacity(BLOCK + 4096) }
    }

    /// Adds text as it is; the caller takes care of separators.
    #[inline]
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        self.buffer.extend_from_slice(text.as_bytes());
        self
    }

    /// Adds a whole number.
    #[inline]
    pub(super) fn number(&mut self, mut value: u64) -> &mut Self {
        let mut digits = [0_u8; 20];
        let mut start = digits.len();
        while value >= 100 {
            start -= 2;
            digits[start..start + 2].copy_from_slice(&DIGIT_PAIRS[(value % 100) as usize]);
            value /= 100;
        }
        if value >= 10 {
            start -= 2;
            digits[start..start + 2].copy_from_slice(&DIGIT_PAIRS[value as usize]);
        } else {
            start -= 1;
            digits[start] = b'0' + value as u8;
        }
        self.buffer.extend_from_slice(&digits[start..]);
        self
    }

    /// Adds nanoseconds as seconds with nine decimals.
    #[inline]
    pub(super) fn seconds(&mut self, nanoseconds: u64) -> &mut Self {
        self.number(nanoseconds / 1_000_000_000);
        let mut rest = (nanoseconds % 1_000_000_000) as u32;
        let mut digits = *b".000000000";
        for start in [8, 6, 4, 2] {
            digits[start..start + 2].copy_from_slice(&DIGIT_PAIRS[(rest % 100) as usize]);
            rest /= 100;
        }
        digits[1] = b'0' + rest as u8;
        self.buffer.extend_from_slice(&digits);
        self
    }

    /// Ends a line.
    #[inline]
    pub(super) fn end(&mut self) -> Result<()> {
        self.buffer.push(b'\n');
        if self.buffer.len() >= BLOCK {
            return self.flush();
        }
        Ok(())
    }

    /// Writes out what is left in the buffer.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.out
            .write_all(&self.buffer)
            .map_err(|source| Error::Io { context: "cannot write the generated trace".to_string(), source })?;
        self.buffer.clear();
        Ok(())
    }
}

const fn digit_pairs() -> [[u8; 2]; 100] {
    let mut pairs = [[0; 2]; 100];
    let mut value = 0;
    while value < 100 {
        pairs[value] = [b'0' + (value / 10) as u8, b'0' + (value % 10) as u8];
        value += 1;
    }
    pairs
}

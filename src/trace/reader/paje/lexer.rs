//! Splits a line into fields. No allocation, no I/O.
//!
//! ```text
//! line    = { blank } [ field { blank { blank } field } ] [ comment ] ( LF | end )
//! blank   = space | tab | CR
//! field   = quoted | word
//! quoted  = '"' { any but '"' and LF } ( '"' | end of line )       no escapes
//! word    = { any but blank and LF }                               must not start with '"' or '#'
//! comment = '#' { any but LF }                                     at the start of a line or after a blank
//! ```
//! Words are found eight bytes at a time.

#[cfg(test)]
mod tests;

/// Words of up to this many bytes are their own hash key.
pub(super) const PACKED_BYTES: usize = 7;

/// A field of a line. Small enough for two registers: copies through memory were a quarter of the
/// time of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LineField {
    /// For plain words of up to seven bytes: the bytes, none of which is 0. Else 0.
    pub packed: u64,
    /// Start in the lower half, end in the upper.
    span: u64,
}

impl LineField {
    /// What stands after the last field of a line.
    pub const END: LineField = LineField { packed: 0, span: u64::MAX };

    #[inline(always)]
    pub fn new(start: usize, end: usize, packed: u64) -> LineField {
        LineField { packed, span: start as u64 | (end as u64) << 32 }
    }

    /// Whether the line has no extra field.
    #[inline(always)]
    pub fn is_end(self) -> bool {
        self.span == u64::MAX
    }

    /// Where the field is in the text.
    #[inline(always)]
    pub fn range(self) -> std::ops::Range<usize> {
        self.span as u32 as usize..(self.span >> 32) as usize
    }
}

/// How a field was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum FieldForm {
    #[default]
    Word,
    Quoted,
    /// A quoted field whose closing quote is missing.
    Unterminated,
    /// A word with control characters in it, among them perhaps NUL.
    Strange,
}

/// Reads fields from a piece of text, line by line.
pub(super) struct Lexer<'a> {
    pub text: &'a [u8],
    pub at: usize,
    /// How the last field was written, if it was not a short plain word; those have `packed` set.
    pub form: FieldForm,
}

const ONES: u64 = 0x0101_0101_0101_0101;
/// The blanks and the line end, by their codes.
const BLANKS: u64 = 1 << b' ' | 1 << b'\t' | 1 << b'\r' | 1 << b'\n';
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Marks, in the high bit of each byte, the bytes up to and including a space. The lowest mark is
/// right; those above it may be wrong.
#[inline(always)]
fn mark_blanks(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x21) & !word & HIGHS
}

#[inline(always)]
fn load(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes)
}

/// Packs up to seven bytes; gives 0 for what does not fit.
pub(super) fn pack(text: &[u8]) -> u64 {
    if text.len() > PACKED_BYTES || text.contains(&0) {
        return 0;
    }
    let mut bytes = [0; 8];
    bytes[..text.len()].copy_from_slice(text);
    u64::from_le_bytes(bytes)
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer { text, at: 0, form: FieldForm::Word }
    }

    /// The next field of the line, or the end; the line end itself is not consumed.
    #[inline(always)]
    pub fn next_field(&mut self) -> LineField {
        match self.quick_word() {
            Some(field) => field,
            None => self.any_field(),
        }
    }

    /// The first field of a line: a word at its very start, as a rule.
    #[inline(always)]
    pub fn first_field(&mut self) -> LineField {
        match self.text.get(self.at) {
            Some(byte) if byte.is_ascii_digit() => self.word(),
            _ => self.any_field(),
        }
    }

    /// Whether the line ends right here.
    #[inline(always)]
    pub fn is_at_line_end(&self) -> bool {
        self.text.get(self.at) == Some(&b'\n')
    }

    /// One space and then a short plain word: the usual case, with a single look at the text.
    #[inline(always)]
    fn quick_word(&mut self) -> Option<LineField> {
        let word = load(self.text, self.at + 1)?;
        let blank = self.text[self.at];
        let marks = mark_blanks(word);
        let bits = marks.trailing_zeros() & 0x38;
        let ends_well = BLANKS >> ((word >> bits) & 0x3f) & 1 == 1;
        let starts_well = !matches!(word as u8, b'"' | b'#');
        if blank != b' ' || marks == 0 || bits == 0 || !ends_well || !starts_well {
            return None;
        }
        let len = (bits / 8) as usize;
        let start = self.at + 1;
        self.at = start + len;
        Some(LineField::new(start, start + len, word & !(u64::MAX << bits)))
    }

    fn any_field(&mut self) -> LineField {
        loop {
            let Some(byte) = self.text.get(self.at) else {
                return LineField::END;
            };
            match *byte {
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\n' => return LineField::END,
                b'"' => return self.quoted(),
                b'#' => {
                    self.skip_to_line_end();
                    return LineField::END;
                }
                _ => return self.word(),
            }
        }
    }

    /// Moves to the LF that ends the line, or to the end of the text.
    #[inline]
    pub fn skip_to_line_end(&mut self) {
        let rest = &self.text[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    #[inline(always)]
    fn word(&mut self) -> LineField {
        let start = self.at;
        let mut at = start;
        while let Some(word) = load(self.text, at) {
            let marks = mark_blanks(word);
            if marks == 0 {
                at += 8;
                continue;
            }
            let len = (marks.trailing_zeros() / 8) as usize;
            if !is_blank(self.text[at + len]) {
                break;
            }
            let end = at + len;
            self.at = end;
            if at == start {
                let packed = word & !(u64::MAX << (8 * len));
                return LineField::new(start, end, packed);
            }
            self.form = FieldForm::Word;
            return LineField::new(start, end, 0);
        }
        self.slow_word(start)
    }

    /// Words near the end of the text, and words with control characters in them.
    #[cold]
    fn slow_word(&mut self, start: usize) -> LineField {
        let mut end = start;
        self.form = FieldForm::Word;
        while let Some(byte) = self.text.get(end).filter(|byte| !is_blank(**byte)) {
            if *byte < b' ' {
                self.form = FieldForm::Strange;
            }
            end += 1;
        }
        self.at = end;
        match self.form {
            FieldForm::Word => LineField::new(start, end, pack(&self.text[start..end])),
            _ => LineField::new(start, end, 0),
        }
    }

    fn quoted(&mut self) -> LineField {
        let start = self.at + 1;
        let rest = &self.text[start..];
        let (len, form) = match memchr::memchr2(b'"', b'\n', rest) {
            Some(len) if rest[len] == b'"' => (len, FieldForm::Quoted),
            Some(len) => (len, FieldForm::Unterminated),
            None => (rest.len(), FieldForm::Unterminated),
        };
        let mut end = start + len;
        self.at = end + usize::from(form == FieldForm::Quoted);
        if form == FieldForm::Unterminated && end > start && self.text[end - 1] == b'\r' {
            end -= 1;
        }
        self.form = form;
        LineField::new(start, end, 0)
    }
}

#[inline(always)]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

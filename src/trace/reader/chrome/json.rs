//! Walks through JSON text without building a tree.
//!
//! Values are pieces of the text. A piece that is not all there yet is [`JsonStop::Short`]; the caller reads
//! more and starts again.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// Why the text cannot be walked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JsonStop {
    /// The text ends before the value does.
    Short,
    /// This is no JSON; the place of the byte that cannot be.
    Bad(usize),
}

pub(super) type WalkResult<T> = Result<T, JsonStop>;

/// How deep values may be nested.
const DEEPEST: usize = 512;

/// A place in a text.
#[derive(Debug, Clone)]
pub(super) struct JsonWalker<'a> {
    text: &'a [u8],
    pub at: usize,
}

impl<'a> JsonWalker<'a> {
    pub fn new(text: &'a [u8], at: usize) -> JsonWalker<'a> {
        JsonWalker { text, at }
    }

    /// The next byte that is no white space, without taking it.
    #[inline]
    pub fn peek(&mut self) -> WalkResult<u8> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(JsonStop::Short),
            }
        }
    }

    #[inline]
    pub fn expect(&mut self, byte: u8) -> WalkResult<()> {
        if self.peek()? == byte {
            self.at += 1;
            return Ok(());
        }
        Err(JsonStop::Bad(self.at))
    }

    /// A string, without its quotes, escapes as they stand.
    #[inline]
    pub fn string(&mut self) -> WalkResult<&'a [u8]> {
        self.expect(b'"')?;
        let start = self.at;
        let mut at = start;
        loop {
            let found = memchr::memchr2(b'"', b'\\', self.text.get(at..).unwrap_or(&[])).ok_or(JsonStop::Short)?;
            at += found;
            if self.text[at] == b'"' {
                self.at = at + 1;
                return Ok(&self.text[start..at]);
            }
            at += 2;
        }
    }

    /// Any value, as it stands.
    #[inline]
    pub fn value(&mut self) -> WalkResult<&'a [u8]> {
        let first = self.peek()?;
        let start = self.at;
        match first {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => self.nested()?,
            b'-' | b'+' | b'.' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => self.scalar()?,
            _ => return Err(JsonStop::Bad(start)),
        }
        Ok(&self.text[start..self.at])
    }

    /// A number, `true`, `false` or `null`, and what writers make of infinity.
    fn scalar(&mut self) -> WalkResult<()> {
        let rest = &self.text[self.at..];
        let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
        let len = rest.iter().position(|byte| !is_inside(byte)).ok_or(JsonStop::Short)?;
        self.at += len;
        Ok(())
    }

    /// An object or array: strings are stepped over, brackets counted. What stands between them is not
    /// looked at.
    fn nested(&mut self) -> WalkResult<()> {
        let mut depth = 0;
        while let Some(byte) = self.text.get(self.at) {
            match byte {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' if depth == DEEPEST => return Err(JsonStop::Bad(self.at)),
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth == 1 => {
                    self.at += 1;
                    return Ok(());
                }
                b'}' | b']' => depth -= 1,
                _ => (),
            }
            self.at += 1;
        }
        Err(JsonStop::Short)
    }

    /// Walks over the members of an object.
    #[inline]
    pub fn members(&mut self, mut take: impl FnMut(&'a [u8], &'a [u8])) -> WalkResult<()> {
        self.expect(b'{')?;
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(());
        }
        loop {
            let key = self.string()?;
            self.expect(b':')?;
            take(key, self.value()?);
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return Err(JsonStop::Bad(self.at)),
            }
            // Some writers leave a comma behind the last member.
            if self.peek()? == b'}' {
                self.at += 1;
                return Ok(());
            }
        }
    }
}

/// The text of a string whose escapes still stand.
pub(super) fn unescape(raw: &[u8]) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw).is_none() {
        return String::from_utf8_lossy(raw);
    }
    let mut bytes = Vec::with_capacity(raw.len());
    let mut at = 0;
    while at < raw.len() {
        if raw[at] != b'\\' {
            bytes.push(raw[at]);
            at += 1;
            continue;
        }
        let escaped = raw.get(at + 1).copied().unwrap_or(b'\\');
        at += 2;
        match escaped {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'b' => bytes.push(8),
            b'f' => bytes.push(12),
            b'u' => {
                let (character, len) = unicode(&raw[at.min(raw.len())..]);
                bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                at += len;
            }
            other => bytes.push(other),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

/// The character of four hex digits, or of the pair `d83d\ude00`, and how many bytes that took.
fn unicode(raw: &[u8]) -> (char, usize) {
    let unit = |at: usize| {
        let digits = std::str::from_utf8(raw.get(at..at + 4)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    let Some(first) = unit(0) else { return (char::REPLACEMENT_CHARACTER, 0) };
    if let Some(character) = char::from_u32(first) {
        return (character, 4);
    }
    let second = if raw.get(4..6) == Some(b"\\u") { unit(6) } else { None };
    match second {
        Some(second @ 0xdc00..=0xdfff) if first < 0xdc00 => {
            let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            (char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), 10)
        }
        _ => (char::REPLACEMENT_CHARACTER, 4),
    }
}

/// The text of a string value, or any other value as it stands.
pub(super) fn text(value: &[u8]) -> Cow<'_, str> {
    match value {
        [b'"', inner @ .., b'"'] => unescape(inner),
        other => String::from_utf8_lossy(other),
    }
}

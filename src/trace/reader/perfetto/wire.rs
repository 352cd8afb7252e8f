//! The wire format of protocol buffers: fields of a message, one after the other.
//!
//! ```text
//! message = (tag value)*          tag = varint: number << 3 | kind
//! value   = varint | 8 bytes | length bytes | 4 bytes
//! ```
//! In: the bytes of a message. Out: numbers and values of its fields, or that they cannot be read.

#[cfg(test)]
mod tests;

/// The bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadMessage;

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireValue<'a> {
    Varint(u64),
    Fixed64(u64),
    Bytes(&'a [u8]),
    Fixed32(u32),
}

impl<'a> WireValue<'a> {
    /// The value as a whole number; 0 for bytes.
    pub fn number(self) -> u64 {
        match self {
            WireValue::Varint(number) | WireValue::Fixed64(number) => number,
            WireValue::Fixed32(number) => u64::from(number),
            WireValue::Bytes(_) => 0,
        }
    }

    /// The value as a signed number.
    pub fn signed(self) -> i64 {
        self.number() as i64
    }

    /// The bytes of a string or message; none for numbers.
    pub fn bytes(self) -> &'a [u8] {
        match self {
            WireValue::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The value as a floating point number.
    pub fn double(self) -> f64 {
        match self {
            WireValue::Fixed64(bits) => f64::from_bits(bits),
            WireValue::Fixed32(bits) => f64::from(f32::from_bits(bits)),
            other => other.number() as f64,
        }
    }

    /// The text of a string; bytes that are not UTF-8 are replaced.
    pub fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// Adds the numbers of a repeated field: one, or several that are packed as varints.
    pub fn add_varints(self, into: &mut impl Extend<u64>) -> Result<(), BadMessage> {
        match self {
            WireValue::Bytes(mut bytes) => {
                while !bytes.is_empty() {
                    into.extend([varint(&mut bytes).ok_or(BadMessage)?]);
                }
            }
            other => into.extend([other.number()]),
        }
        Ok(())
    }

    /// Adds the numbers of a repeated field: one, or several that are packed as eight bytes each.
    pub fn add_fixed64(self, into: &mut impl Extend<u64>) {
        match self {
            WireValue::Bytes(bytes) => into.extend(bytes.as_chunks().0.iter().map(|chunk| u64::from_le_bytes(*chunk))),
            other => into.extend([other.number()]),
        }
    }
}

/// Takes a varint from the front; `None` when there is no whole one.
#[inline(always)]
pub(super) fn varint(bytes: &mut &[u8]) -> Option<u64> {
    match **bytes {
        // Most have one byte.
        [byte @ 0..0x80, ref rest @ ..] => {
            *bytes = rest;
            Some(u64::from(byte))
        }
        [a, b, c, d, e, f, g, h, ..] => {
            let eight = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
            let ends = !eight & 0x8080_8080_8080_8080;
            if ends == 0 {
                return longest_varint(bytes);
            }
            let len = ends.trailing_zeros() / 8 + 1;
            *bytes = &bytes[len as usize..];
            Some(joined_sevens(eight & u64::MAX >> (64 - 8 * len)))
        }
        _ => longest_varint(bytes),
    }
}

/// The lowest seven bits of each of eight bytes as one number: neighbors are joined to pairs, to fours, to eight.
#[inline(always)]
fn joined_sevens(eight: u64) -> u64 {
    let pairs = eight & 0x007f_007f_007f_007f | (eight & 0x7f00_7f00_7f00_7f00) >> 1;
    let fours = pairs & 0x0000_3fff_0000_3fff | (pairs & 0x3fff_0000_3fff_0000) >> 2;
    fours & 0x0000_0000_0fff_ffff | (fours & 0x0fff_ffff_0000_0000) >> 4
}

/// As [`varint`], byte by byte: those of nine or ten bytes, and those near the end.
#[inline(never)]
fn longest_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            *bytes = &bytes[place + 1..];
            return Some(number);
        }
    }
    None
}

/// Takes a length and so many bytes from the front.
#[inline(always)]
pub(super) fn counted<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = usize::try_from(varint(bytes)?).ok()?;
    let (taken, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(taken)
}

/// The byte before a number that is a field of a message, when the field has a low number.
pub(super) const fn varint_tag(field: u8) -> u8 {
    field << 3
}

/// The byte before the bytes that are a field of a message, when the field has a low number.
pub(super) const fn bytes_tag(field: u8) -> u8 {
    field << 3 | 2
}

/// The fields of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct WireFields<'a> {
    rest: &'a [u8],
}

impl<'a> WireFields<'a> {
    pub fn new(message: &'a [u8]) -> WireFields<'a> {
        WireFields { rest: message }
    }

    /// Hands over number and value of each field, in their order.
    #[inline]
    pub fn each(
        message: &'a [u8],
        mut take: impl FnMut(u32, WireValue<'a>) -> Result<(), BadMessage>,
    ) -> Result<(), BadMessage> {
        for field in WireFields::new(message) {
            let (number, value) = field?;
            take(number, value)?;
        }
        Ok(())
    }

    /// What follows the fields that were taken.
    #[inline(always)]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline(always)]
    fn field(&mut self) -> Option<(u32, WireValue<'a>)> {
        let tag = varint(&mut self.rest)?;
        let number = u32::try_from(tag >> 3).ok().filter(|number| *number > 0)?;
        let value = match tag & 7 {
            0 => WireValue::Varint(varint(&mut self.rest)?),
            1 => {
                let (bytes, rest) = self.rest.split_first_chunk()?;
                self.rest = rest;
                WireValue::Fixed64(u64::from_le_bytes(*bytes))
            }
            2 => WireValue::Bytes(counted(&mut self.rest)?),
            5 => {
                let (bytes, rest) = self.rest.split_first_chunk()?;
                self.rest = rest;
                WireValue::Fixed32(u32::from_le_bytes(*bytes))
            }
            _ => return None,
        };
        Some((number, value))
    }
}

impl<'a> Iterator for WireFields<'a> {
    type Item = Result<(u32, WireValue<'a>), BadMessage>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.rest = &[];
        }
        Some(field.ok_or(BadMessage))
    }
}

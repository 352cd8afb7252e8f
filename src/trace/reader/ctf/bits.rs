//! Bits of a packet: numbers of any length, at any bit, in both orders of bytes.
//!
//! ```text
//! little   byte 0 [7 6 5 4 3|2 1 0]      a field of 3 bits takes the lowest, the next one those above
//! big      byte 0 [7 6 5|4 3 2 1 0]      a field of 3 bits takes the highest, the next one those below
//! ```

#[cfg(test)]
mod tests;

use super::classes::BytesOrder;

/// The packet ends before the field does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BeyondEnd;

/// A place in a packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits from the start of the packet.
    pub at: u64,
    /// Where its content ends.
    pub end: u64,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8], at: u64, end: u64) -> BitReader<'a> {
        BitReader { bytes, at, end: end.min(bytes.len() as u64 * 8) }
    }

    /// Goes to the next multiple of a number of bits.
    #[inline]
    pub fn align(&mut self, bits: u32) {
        // Nearly all are powers of two, which need no division.
        self.at = match u64::from(bits.max(1)) {
            bits if bits.is_power_of_two() => (self.at + (bits - 1)) & !(bits - 1),
            bits => self.at.next_multiple_of(bits),
        };
    }

    #[inline(always)]
    fn take(&mut self, bits: u64) -> Result<u64, BeyondEnd> {
        let start = self.at;
        let end = start.checked_add(bits).filter(|end| *end <= self.end).ok_or(BeyondEnd)?;
        self.at = end;
        Ok(start)
    }

    /// A number of 1 to 64 bits, without its sign.
    #[inline(always)]
    pub fn number(&mut self, bits: u32, order: BytesOrder) -> Result<u64, BeyondEnd> {
        let start = self.take(u64::from(bits))?;
        let from = (start / 8) as usize;
        if start.is_multiple_of(8)
            && let Some(number) = whole(&self.bytes[from..], bits, order)
        {
            return Ok(number);
        }
        Ok(self.odd_number(start, bits, order))
    }

    /// A number that is not made of whole bytes.
    #[inline(never)]
    fn odd_number(&self, start: u64, bits: u32, order: BytesOrder) -> u64 {
        let from = (start / 8) as usize;
        let offset = (start % 8) as u32;
        let count = (offset + bits).div_ceil(8) as usize;
        let touched = &self.bytes[from..from + count];
        // At most nine bytes are touched.
        let mask = if bits == 64 { u128::from(u64::MAX) } else { (1 << bits) - 1 };
        let number = match order {
            BytesOrder::Little => {
                let all = touched.iter().rev().fold(0_u128, |all, byte| all << 8 | u128::from(*byte));
                all >> offset & mask
            }
            BytesOrder::Big => {
                let all = touched.iter().fold(0_u128, |all, byte| all << 8 | u128::from(*byte));
                all >> (count as u32 * 8 - offset - bits) & mask
            }
        };
        number as u64
    }

    /// A number in base 128, the lowest digits first, and how many bits it was written with.
    pub fn variable(&mut self) -> Result<(u64, u32), BeyondEnd> {
        let (mut number, mut bits) = (0_u64, 0_u32);
        loop {
            let byte = self.number(8, BytesOrder::Little)?;
            if bits < 64 {
                number |= (byte & 0x7f) << bits;
            }
            bits = bits.saturating_add(7);
            if byte & 0x80 == 0 {
                return Ok((number, bits.min(64)));
            }
        }
    }

    /// Whole bytes; the place is at one.
    pub fn bytes(&mut self, count: u64) -> Result<&'a [u8], BeyondEnd> {
        let start = self.take(count.checked_mul(8).ok_or(BeyondEnd)?)?;
        let from = (start / 8) as usize;
        Ok(&self.bytes[from..from + count as usize])
    }

    /// Whole bytes, with all that follow them; the place is at one, and goes behind those that were asked for.
    #[inline(always)]
    pub fn bytes_and_rest(&mut self, count: u64) -> Result<&'a [u8], BeyondEnd> {
        let start = self.take(count.checked_mul(8).ok_or(BeyondEnd)?)?;
        Ok(&self.bytes[(start / 8) as usize..])
    }

    /// Bytes up to a zero, which is taken too.
    pub fn text(&mut self) -> Result<&'a [u8], BeyondEnd> {
        let (from, end) = ((self.at / 8) as usize, (self.end / 8) as usize);
        let rest = self.bytes.get(from..end).ok_or(BeyondEnd)?;
        let len = memchr::memchr(0, rest).ok_or(BeyondEnd)?;
        self.at = (from + len + 1) as u64 * 8;
        Ok(&rest[..len])
    }
}

/// A number of whole bytes at a byte.
#[inline(always)]
fn whole(bytes: &[u8], bits: u32, order: BytesOrder) -> Option<u64> {
    Some(match (bits, order) {
        (8, _) => u64::from(*bytes.first()?),
        (16, BytesOrder::Little) => u64::from(u16::from_le_bytes(*bytes.first_chunk()?)),
        (16, BytesOrder::Big) => u64::from(u16::from_be_bytes(*bytes.first_chunk()?)),
        (32, BytesOrder::Little) => u64::from(u32::from_le_bytes(*bytes.first_chunk()?)),
        (32, BytesOrder::Big) => u64::from(u32::from_be_bytes(*bytes.first_chunk()?)),
        (64, BytesOrder::Little) => u64::from_le_bytes(*bytes.first_chunk()?),
        (64, BytesOrder::Big) => u64::from_be_bytes(*bytes.first_chunk()?),
        _ => return None,
    })
}

/// A number with its sign, which is its highest bit.
pub(super) fn signed(number: u64, bits: u32) -> i64 {
    let shift = 64 - bits.clamp(1, 64);
    (number << shift) as i64 >> shift
}

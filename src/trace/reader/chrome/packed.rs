//! Eight bytes of text at a time, as a number: its first byte is the lowest.
//!
//! A mark is the highest bit of a byte. Where several bytes are looked for, the lowest mark is exact; those above it
//! need not be.

const ONES: u64 = u64::from_le_bytes([0x01; 8]);
const HIGHS: u64 = u64::from_le_bytes([0x80; 8]);

/// The eight bytes at a place; `None` near the end of the text.
#[inline(always)]
pub(super) fn eight_at(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// Marks the bytes that are equal to one.
#[inline(always)]
pub(super) fn marks_of(eight: u64, byte: u8) -> u64 {
    let differences = eight ^ (ONES * byte as u64);
    differences.wrapping_sub(ONES) & !differences & HIGHS
}

/// Marks `{` and `[`.
#[inline(always)]
pub(super) fn marks_of_openings(eight: u64) -> u64 {
    marks_of(eight | (ONES * 0x20), b'{')
}

/// Marks `}` and `]`.
#[inline(always)]
pub(super) fn marks_of_closings(eight: u64) -> u64 {
    marks_of(eight | (ONES * 0x20), b'}')
}

/// How many bytes stand before the lowest mark; 8 when there is none.
#[inline(always)]
pub(super) fn before_mark(marks: u64) -> usize {
    (marks.trailing_zeros() / 8) as usize
}

/// The first `count` bytes, at most 7, with their number in the highest byte: texts that differ give numbers that do.
#[inline(always)]
pub(super) const fn short_word(eight: u64, count: usize) -> u64 {
    eight & !(u64::MAX << (8 * count)) | (count as u64) << 56
}

/// The [`short_word`] of a text of at most 7 bytes.
pub(super) const fn short_word_of(text: &[u8]) -> u64 {
    let mut eight = 0;
    let mut place = 0;
    while place < text.len() {
        eight |= (text[place] as u64) << (8 * place);
        place += 1;
    }
    short_word(eight, text.len())
}

/// The digits at the start: how many there are, and their number.
#[inline(always)]
pub(super) fn leading_digits(eight: u64) -> (usize, u64) {
    let values = eight ^ (ONES * 0x30);
    // Only 0 to 9 stay below 0x80 when 0x76 is added.
    let others = (((values & !HIGHS) + ONES * 0x76) | values) & HIGHS;
    let count = before_mark(others);
    if count == 0 {
        return (0, 0);
    }
    // Missing digits become zeros in front; then neighbors are joined to pairs, to fours, to eight.
    let digits = values << (64 - 8 * count);
    let pairs = ((digits & (ONES * 0x0f)).wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    (count, fours.wrapping_mul(10_000 << 32 | 1) >> 32)
}

#[cfg(test)]
mod tests;

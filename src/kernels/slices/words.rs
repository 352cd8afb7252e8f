//! Count and time of a slice in one word: `count · 2^bits + time`.

use super::{SliceCell, take};

/// Count and time of a slice: `count · 2^bits + time`. See [`WordPacking`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct SliceWord(pub(super) i64);

impl SliceCell for SliceWord {
    #[inline]
    fn join(&mut self, other: SliceWord) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.0.to_le_bytes());
    }

    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<SliceWord> {
        Some(SliceWord(i64::from_le_bytes(take(bytes)?)))
    }

    #[inline]
    fn write_all(words: &[SliceWord], bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.resize(begin + size_of_val(words), 0);
        let (places, _) = bytes[begin..].as_chunks_mut();
        places.iter_mut().zip(words).for_each(|(place, word)| *place = word.0.to_le_bytes());
    }

    #[inline]
    fn read_all(bytes: &mut &[u8], count: usize, words: &mut Vec<SliceWord>) -> Option<()> {
        let (front, rest) = bytes.split_at_checked(count * size_of::<SliceWord>())?;
        words.extend(front.as_chunks().0.iter().map(|place| SliceWord(i64::from_le_bytes(*place))));
        *bytes = rest;
        Some(())
    }
}

/// How count and time share a word.
///
/// A word is roomy when `-2^(bits-2) <= time < 2^(bits-2)` and the count is within a quarter of its
/// range too: then another update, or another roomy word, can be added without harm.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordPacking {
    pub(super) bits: u32,
    /// Added to a roomy word, this makes both parts positive ...
    bias: i64,
    /// ... so that these bits are 0.
    mask: i64,
}

/// The longest window whose times fit a word.
pub(super) const LONGEST: i64 = 1 << 58;

impl WordPacking {
    /// Leaves room for time first: one update adds up to `length` to a roomy word.
    pub(super) fn new(length: i64) -> WordPacking {
        let bits = (64 - length.leading_zeros() + 2).clamp(48, 61);
        let mask = i64::MIN | 1 << (bits - 1);
        WordPacking { bits, bias: 1 << 62 | 1 << (bits - 2), mask }
    }

    #[inline]
    pub(super) fn is_roomy(&self, word: SliceWord) -> bool {
        word.0.wrapping_add(self.bias) & self.mask == 0
    }

    /// What a start adds: one to the count, and some time. An end takes the same.
    #[inline]
    pub(super) fn start(&self, time: i64) -> i64 {
        (1_i64 << self.bits).wrapping_add(time)
    }

    #[inline]
    pub(super) fn count_and_time(&self, word: SliceWord) -> (i64, i64) {
        let time = word.0 << (64 - self.bits) >> (64 - self.bits);
        (word.0.wrapping_sub(time) >> self.bits, time)
    }
}

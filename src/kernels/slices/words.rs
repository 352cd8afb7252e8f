//! Count and time of a slice in one word: `count · 2^bits + time`.

use super::{Cell, take};

/// Count and time of a slice: `count · 2^bits + time`. See [`Packing`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Word(pub(super) i64);

impl Cell for Word {
    #[inline]
    fn join(&mut self, other: Word) {
        self.0 = self.0.wrapping_add(other.0);
    }

    #[inline]
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.0.to_le_bytes());
    }

    #[inline]
    fn read(bytes: &mut &[u8]) -> Option<Word> {
        Some(Word(i64::from_le_bytes(take(bytes)?)))
    }

    #[inline]
    fn write_all(words: &[Word], bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        bytes.resize(begin + size_of_val(words), 0);
        let (places, _) = bytes[begin..].as_chunks_mut();
        places.iter_mut().zip(words).for_each(|(place, word)| *place = word.0.to_le_bytes());
    }

    #[inline]
    fn read_all(bytes: &mut &[u8], count: usize, words: &mut Vec<Word>) -> Option<()> {
        let (front, rest) = bytes.split_at_checked(count * size_of::<Word>())?;
        words.extend(front.as_chunks().0.iter().map(|place| Word(i64::from_le_bytes(*place))));
        *bytes = rest;
        Some(())
    }
}

/// How count and time share a word.
///
/// A word is roomy when `-2^(bits-2) <= time < 2^(bits-2)` and the count is within a quarter of its
/// range too: then another update, or another roomy word, can be added without harm.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packing {
    pub(super) bits: u32,
    /// Added to a roomy word, this makes both parts positive ...
    bias: i64,
    /// ... so that these bits are 0.
    mask: i64,
}

/// The longest window whose times fit a word.
pub(super) const LONGEST: i64 = 1 << 58;

impl Packing {
    /// Leaves room for time first: one update adds up to `length` to a roomy word.
    pub(super) fn new(length: i64) -> Packing {
        let bits = (64 - length.leading_zeros() + 2).clamp(48, 61);
        let mask = i64::MIN | 1 << (bits - 1);
        Packing { bits, bias: 1 << 62 | 1 << (bits - 2), mask }
    }

    #[inline]
    pub(super) fn is_roomy(&self, word: Word) -> bool {
        word.0.wrapping_add(self.bias) & self.mask == 0
    }

    /// What a start adds: one to the count, and some time. An end takes the same.
    #[inline]
    pub(super) fn start(&self, time: i64) -> i64 {
        (1_i64 << self.bits).wrapping_add(time)
    }

    #[inline]
    pub(super) fn count_and_time(&self, word: Word) -> (i64, i64) {
        let time = word.0 << (64 - self.bits) >> (64 - self.bits);
        (word.0.wrapping_sub(time) >> self.bits, time)
    }
}

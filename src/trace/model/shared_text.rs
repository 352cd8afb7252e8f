//! The text of extra fields, which rows that have the same share.

#[cfg(test)]
mod tests;

use std::ops::Deref;
use std::sync::Arc;

/// Texts that are remembered.
const REMEMBERED: usize = 1024;
/// Longer texts are not remembered: they seldom repeat.
const LONGEST: usize = 64;

/// A text whose copies share its memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedText(Arc<str>);

impl SharedText {
    /// Copies a text.
    pub fn new(text: &str) -> SharedText {
        SharedText(text.into())
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Texts that came a moment ago.
#[derive(Debug, Default)]
pub struct RecentTexts {
    /// By a cheap hash.
    texts: Vec<Option<SharedText>>,
}

impl RecentTexts {
    /// The text of bytes; empty when they are no text.
    #[inline]
    pub fn share(&mut self, bytes: &[u8]) -> SharedText {
        if bytes.len() > LONGEST {
            return SharedText::new(std::str::from_utf8(bytes).unwrap_or_default());
        }
        let place = cheap_hash(bytes) as usize % REMEMBERED;
        if let Some(Some(known)) = self.texts.get(place)
            && is_same_text(known.as_bytes(), bytes)
        {
            return known.clone();
        }
        let text = SharedText::new(std::str::from_utf8(bytes).unwrap_or_default());
        self.texts.resize(REMEMBERED, None);
        self.texts[place] = Some(text.clone());
        text
    }
}

/// A cheap hash of a text, of its length and of up to sixteen bytes at its ends: for caches that compare the text. All of its
/// bits depend on all of these.
#[inline(always)]
pub fn cheap_hash(text: &[u8]) -> u32 {
    let (first, last) = match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) => (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))),
            _ => (text.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)), 0),
        },
    };
    let mixed = (first ^ last.rotate_left(29) ^ text.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    // The upper half of a product depends on all bits of its factors, the lower on the lower ones only.
    ((mixed ^ mixed >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// Whether two texts are equal: as `==`, without a call for the short ones that names and keys are.
#[inline(always)]
pub fn is_same_text(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        8..=16 => has_same_ends::<8>(one, other),
        4..8 => has_same_ends::<4>(one, other),
        0..4 => one.iter().zip(other).all(|(one, other)| one == other),
        _ => one == other,
    }
}

/// Whether the first and the last bytes are equal.
#[inline(always)]
fn has_same_ends<const N: usize>(one: &[u8], other: &[u8]) -> bool {
    one.first_chunk::<N>() == other.first_chunk::<N>() && one.last_chunk::<N>() == other.last_chunk::<N>()
}

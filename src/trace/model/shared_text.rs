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
            && known.as_bytes() == bytes
        {
            return known.clone();
        }
        let text = SharedText::new(std::str::from_utf8(bytes).unwrap_or_default());
        self.texts.resize(REMEMBERED, None);
        self.texts[place] = Some(text.clone());
        text
    }
}

/// A cheap hash of a text, of its length and of up to sixteen bytes at its ends: for caches that compare the text.
#[inline(always)]
pub fn cheap_hash(text: &[u8]) -> u64 {
    let (first, last) = match (text.first_chunk(), text.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (text.first_chunk(), text.last_chunk()) {
            (Some(first), Some(last)) => (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))),
            _ => (text.iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte)), 0),
        },
    };
    let mixed = (first ^ last.rotate_left(29) ^ text.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ mixed >> 32
}

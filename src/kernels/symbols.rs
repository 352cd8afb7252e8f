//! Texts become small numbers.
//!
//! Texts of a column repeat, and columnar formats hand them out as 16-byte views: texts of up to 12
//! bytes lie in the view itself, longer ones are a place in a buffer. Two equal views of one batch are
//! equal texts; across batches that holds for short texts only. So a small table remembers views, and
//! forgets the long ones when a batch begins; only what it does not know is hashed.

use hashbrown::hash_table::{Entry, HashTable};

/// Longest text that lies in its view.
const INLINE: u32 = 12;
const REMEMBERED: usize = 256;

/// The number of NULL.
pub const NONE: u32 = 0;

/// Numbers of texts: 0 is NULL, the rest count from 1.
#[derive(Debug)]
pub struct Symbols {
    texts: Vec<Box<str>>,
    numbers: HashTable<u32>,
    bytes: usize,
    /// Views that were seen lately. No view of a text is all ones: lengths are below 2^31.
    recent: Vec<(u128, u32)>,
    has_long: bool,
}

impl Default for Symbols {
    fn default() -> Symbols {
        let recent = vec![(u128::MAX, NONE); REMEMBERED];
        Symbols { texts: vec![], numbers: HashTable::new(), bytes: 0, recent, has_long: false }
    }
}

impl Symbols {
    /// Forgets what holds within one batch only.
    pub fn begin_batch(&mut self) {
        if self.has_long {
            self.recent.fill((u128::MAX, NONE));
            self.has_long = false;
        }
    }

    /// The number of a text, given with its view.
    pub fn of_view<'a>(&mut self, view: u128, text: impl FnOnce() -> &'a str) -> u32 {
        let place = place(view);
        let (known, number) = self.recent[place];
        if known == view {
            return number;
        }
        let number = self.of_text(text());
        self.recent[place] = (view, number);
        self.has_long |= view as u32 > INLINE;
        number
    }

    /// The number of a text.
    pub fn of_text(&mut self, text: &str) -> u32 {
        let texts = &mut self.texts;
        let text_of = |number: u32| &*texts[number as usize - 1];
        let entry = self.numbers.entry(hash(text), |number| text_of(*number) == text, |number| hash(text_of(*number)));
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = texts.len() as u32 + 1;
                entry.insert(number);
                self.bytes += text.len();
                texts.push(text.into());
                number
            }
        }
    }

    /// The text of a number; `None` for that of NULL.
    pub fn text(&self, number: u32) -> Option<&str> {
        self.texts.get((number as usize).checked_sub(1)?).map(|text| &**text)
    }

    /// How many numbers there are, that of NULL included.
    pub fn count(&self) -> usize {
        self.texts.len() + 1
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.bytes
            + self.texts.capacity() * size_of::<Box<str>>()
            + self.numbers.allocation_size()
            + self.recent.capacity() * size_of::<(u128, u32)>()
    }
}

fn place(view: u128) -> usize {
    let folded = (view as u64) ^ ((view >> 64) as u64);
    (folded.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as usize
}

fn hash(text: &str) -> u64 {
    twox_hash::XxHash3_64::oneshot(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The view of a text as columnar formats write it, at a place of a buffer.
    fn view(text: &str, place: u32) -> u128 {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        if text.len() <= 12 {
            bytes[4..4 + text.len()].copy_from_slice(text.as_bytes());
        } else {
            bytes[4..8].copy_from_slice(&text.as_bytes()[..4]);
            bytes[12..].copy_from_slice(&place.to_le_bytes());
        }
        u128::from_le_bytes(bytes)
    }

    #[test]
    fn equal_texts_have_equal_numbers() {
        let mut symbols = Symbols::default();
        let texts = ["run", "", "wait", "run", "a text that is longer than a view", "wait"];
        let numbers: Vec<u32> = texts.iter().map(|text| symbols.of_view(view(text, 0), || text)).collect();
        assert_eq!(numbers, [1, 2, 3, 1, 4, 3]);
        for (text, number) in texts.iter().zip(numbers) {
            assert_eq!(symbols.text(number), Some(*text));
            assert_eq!(symbols.of_text(text), number);
        }
        assert_eq!(symbols.text(NONE), None);
        assert_eq!(symbols.count(), 5);
    }

    #[test]
    fn a_place_in_a_buffer_holds_for_one_batch() {
        let mut symbols = Symbols::default();
        let (one, other) = ("same beginning: one", "same beginning: two");
        assert_eq!(view(one, 7), view(other, 7));
        let first = symbols.of_view(view(one, 7), || one);
        symbols.begin_batch();
        let second = symbols.of_view(view(other, 7), || other);
        assert_ne!(first, second);
    }

    #[test]
    fn many_texts_keep_their_numbers() {
        let mut symbols = Symbols::default();
        let texts: Vec<String> = (0..5000).map(|number| format!("value {number}")).collect();
        for _ in 0..2 {
            for (number, text) in (1..).zip(&texts) {
                assert_eq!(symbols.of_view(view(text, 0), || text), number);
            }
        }
        assert!(symbols.size() > 5000 * 10);
    }
}

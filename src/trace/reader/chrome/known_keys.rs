//! Keys of the event before, by their place: events of a file mostly have the same keys in the same order.
//!
//! What stands between two values (a comma, blanks, the key, a colon) is compared as a whole, and not looked into again.

use super::packed::eight_at;

/// Words of eight bytes that are compared; what is longer is not known.
const WORDS: usize = 3;
/// Places that are known.
const MOST: usize = 32;

/// What stands between two values, and what its key is for.
#[derive(Debug, Clone, Copy)]
struct KnownKey<F> {
    words: [u64; WORDS],
    /// Which bits of the words belong to it.
    masks: [u64; WORDS],
    len: usize,
    field: F,
}

impl<F> KnownKey<F> {
    /// `None` for what is too long.
    fn of(text: &[u8], field: F) -> Option<KnownKey<F>> {
        let (mut words, mut masks) = ([0; 8 * WORDS], [0; 8 * WORDS]);
        words.get_mut(..text.len())?.copy_from_slice(text);
        masks[..text.len()].fill(u8::MAX);
        let word = |bytes: &[u8], place: usize| eight_at(bytes, 8 * place).unwrap_or(0);
        Some(KnownKey {
            words: std::array::from_fn(|place| word(&words, place)),
            masks: std::array::from_fn(|place| word(&masks, place)),
            len: text.len(),
            field,
        })
    }
}

/// What stands before the values of an object, by the number of the value.
#[derive(Debug)]
pub(super) struct KnownKeys<F>(Vec<Option<KnownKey<F>>>);

impl<F> Default for KnownKeys<F> {
    fn default() -> KnownKeys<F> {
        KnownKeys(vec![])
    }
}

impl<F: Copy> KnownKeys<F> {
    /// What the key is for, and the place behind its colon, when the text goes on as it did before this value the last time.
    #[inline(always)]
    pub fn find(&self, number: usize, text: &[u8], at: usize) -> Option<(F, usize)> {
        let known = self.0.get(number)?.as_ref()?;
        let ahead: &[u8; 8 * WORDS] = text.get(at..)?.first_chunk()?;
        let mut differences = 0;
        for (place, (word, mask)) in known.words.iter().zip(known.masks).enumerate() {
            differences |= (eight_at(ahead, 8 * place)? ^ word) & mask;
        }
        (differences == 0).then_some((known.field, at + known.len))
    }

    /// Notes what stands before a value.
    pub fn note(&mut self, number: usize, text: &[u8], field: F) {
        if number >= MOST {
            return;
        }
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number] = KnownKey::of(text, field);
    }
}

//! Texts, and pairs of texts, become small numbers.
//!
//! Texts of a column repeat, and columnar formats hand them out as 16-byte views: texts of up to 12
//! bytes lie in the view itself, longer ones are a place in a buffer. Two equal views of one batch are
//! equal texts; across batches that holds for short texts only. So a small table remembers views, and
//! forgets the long ones when a batch begins; only what it does not know is hashed.

use hashbrown::HashMap;
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
    #[inline]
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

/// The view of NULL: no text is that long.
pub const NO_VIEW: u128 = u128::MAX - 1;

/// Numbers of pairs of texts, counted from 0.
#[derive(Debug)]
pub struct Pairs {
    symbols: Symbols,
    pairs: Vec<[u32; 2]>,
    numbers: HashMap<[u32; 2], u32>,
    /// The first text that was seen last.
    first: (u128, u32),
    /// Second texts that were seen lately, each with the number of the first text, and that of the pair.
    recent: Vec<(u128, u32, u32)>,
}

const NO_PAIR: (u128, u32, u32) = (u128::MAX, NONE, NONE);

impl Default for Pairs {
    fn default() -> Pairs {
        let recent = vec![NO_PAIR; REMEMBERED];
        Pairs { symbols: Symbols::default(), pairs: vec![], numbers: HashMap::new(), first: (u128::MAX, NONE), recent }
    }
}

impl Pairs {
    /// Forgets what holds within one batch only.
    pub fn begin_batch(&mut self) {
        if self.symbols.has_long {
            self.recent.fill(NO_PAIR);
            self.first = (u128::MAX, NONE);
        }
        self.symbols.begin_batch();
    }

    /// The number of a pair, given as views; `text` gives the texts.
    #[inline]
    pub fn of_views<'a>(&mut self, views: [u128; 2], text: impl Fn(usize) -> Option<&'a str>) -> u32 {
        if self.first.0 != views[0] {
            self.first = (views[0], self.symbol(views[0], || text(0)));
        }
        let first = self.first.1;
        let place = place(views[1]) ^ (first as usize % REMEMBERED);
        let (known, known_first, pair) = self.recent[place];
        if known == views[1] && known_first == first {
            return pair;
        }
        let second = self.symbol(views[1], || text(1));
        let pair = self.of_symbols([first, second]);
        self.recent[place] = (views[1], first, pair);
        pair
    }

    fn symbol<'a>(&mut self, view: u128, text: impl Fn() -> Option<&'a str>) -> u32 {
        match text() {
            Some(text) => self.symbols.of_view(view, || text),
            None => NONE,
        }
    }

    fn of_symbols(&mut self, pair: [u32; 2]) -> u32 {
        *self.numbers.entry(pair).or_insert_with(|| {
            self.pairs.push(pair);
            self.pairs.len() as u32 - 1
        })
    }

    /// The number of a pair of texts.
    pub fn of_texts(&mut self, texts: [Option<&str>; 2]) -> u32 {
        let pair = texts.map(|text| text.map_or(NONE, |text| self.symbols.of_text(text)));
        self.of_symbols(pair)
    }

    /// The texts, as numbers of [`Pairs::symbols`].
    pub fn pair(&self, number: u32) -> [u32; 2] {
        self.pairs[number as usize]
    }

    /// How many pairs there are.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.symbols.size()
            + self.pairs.capacity() * size_of::<[u32; 2]>()
            + self.numbers.allocation_size()
            + self.recent.capacity() * size_of::<(u128, u32, u32)>()
    }
}

#[inline]
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
    fn pairs_have_numbers_too() {
        let mut pairs = Pairs::default();
        let long = "a text that is longer than a view";
        let rows = [
            [Some("State"), Some("run")],
            [Some("State"), Some(long)],
            [None, Some("run")],
            [Some("State"), None],
            [Some("State"), Some("run")],
            [None, None],
            [Some("run"), Some("State")],
            [Some("State"), Some(long)],
        ];
        let mut numbers = vec![];
        for row in rows {
            let views = row.map(|text| text.map_or(NO_VIEW, |text| view(text, 3)));
            numbers.push(pairs.of_views(views, |place| row[place]));
        }
        assert_eq!(numbers, [0, 1, 2, 3, 0, 4, 5, 1]);
        pairs.begin_batch();
        for (row, number) in rows.into_iter().zip(numbers) {
            assert_eq!(pairs.of_texts(row), number);
            assert_eq!(pairs.pair(number).map(|symbol| pairs.symbols().text(symbol)), row);
        }
        // The same place in another buffer.
        let other = "a text with another end";
        let views = [view("State", 0), view(other, 3)];
        assert_eq!(pairs.of_views(views, |place| [Some("State"), Some(other)][place]), 6);
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

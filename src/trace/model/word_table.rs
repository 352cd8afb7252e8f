//! Texts that are numbered by their first appearance: names, keys of arguments, texts of a row group.

#[cfg(test)]
mod tests;

use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::{cheap_hash, is_same_text};

/// Texts in use, by their cheap hash.
const CACHE: usize = 1024;

/// Numbers texts. Most of them were seen a moment ago: a small cache is asked first.
#[derive(Debug)]
pub struct WordTable {
    words: Words,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    cache: Box<[u32; CACHE]>,
}

/// Texts one after the other, with the end of each.
#[derive(Debug, Default)]
struct Words {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Words {
    #[inline(always)]
    fn get(&self, number: u32) -> Option<&[u8]> {
        let number = number as usize;
        let end = *self.ends.get(number)?;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        Some(&self.bytes[start..end])
    }
}

impl Default for WordTable {
    fn default() -> WordTable {
        WordTable {
            words: Words::default(),
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            cache: Box::new([u32::MAX; CACHE]),
        }
    }
}

impl WordTable {
    /// How many texts there are; the number of the next new one.
    pub fn len(&self) -> usize {
        self.words.ends.len()
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of all texts.
    pub fn size(&self) -> usize {
        self.words.bytes.len()
    }

    /// A text; empty for a number that was not given.
    #[inline]
    pub fn text(&self, number: u32) -> &[u8] {
        self.words.get(number).unwrap_or_default()
    }

    /// Forgets all texts and keeps the memory.
    pub fn clear(&mut self) {
        if !self.is_empty() {
            self.words.bytes.clear();
            self.words.ends.clear();
            self.table.clear();
            self.cache.fill(u32::MAX);
        }
    }

    /// The number of a text.
    #[inline]
    pub fn number(&mut self, text: &[u8]) -> u32 {
        let place = cheap_hash(text) as usize % CACHE;
        let number = self.cache[place];
        if self.words.get(number).is_some_and(|known| is_same_text(known, text)) {
            return number;
        }
        let number = self.find(text);
        self.cache[place] = number;
        number
    }

    fn find(&mut self, text: &[u8]) -> u32 {
        let (words, hasher) = (&mut self.words, &self.hasher);
        let hash = hasher.hash_one(text);
        let entry = self.table.entry(
            hash,
            |number| words.get(*number) == Some(text),
            |number| hasher.hash_one(words.get(*number).unwrap_or_default()),
        );
        match entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(free) => {
                let number = words.ends.len() as u32;
                free.insert(number);
                words.bytes.extend_from_slice(text);
                words.ends.push(words.bytes.len());
                number
            }
        }
    }
}

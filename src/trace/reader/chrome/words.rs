//! Texts of the file that are numbered by their first appearance: names, and keys of arguments.

#[cfg(test)]
mod tests;

use std::hash::BuildHasher;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use crate::model::cheap_hash;

/// Texts in use, by their cheap hash.
const CACHE: usize = 1024;

/// Numbers texts. Most of them were seen a moment ago: a small cache is asked first.
#[derive(Debug)]
pub(in crate::reader) struct WordTable {
    texts: Vec<Vec<u8>>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
    cache: Box<[u32; CACHE]>,
}

impl Default for WordTable {
    fn default() -> WordTable {
        WordTable {
            texts: vec![],
            table: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            cache: Box::new([u32::MAX; CACHE]),
        }
    }
}

impl WordTable {
    /// How many texts there are; the number of the next new one.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// A text.
    pub fn text(&self, number: u32) -> &[u8] {
        &self.texts[number as usize]
    }

    /// The number of a text.
    #[inline]
    pub fn number(&mut self, text: &[u8]) -> u32 {
        let place = cheap_hash(text) as usize % CACHE;
        let number = self.cache[place];
        if self.texts.get(number as usize).is_some_and(|known| known == text) {
            return number;
        }
        let number = self.find(text);
        self.cache[place] = number;
        number
    }

    fn find(&mut self, text: &[u8]) -> u32 {
        let (texts, hasher) = (&mut self.texts, &self.hasher);
        let hash = hasher.hash_one(text);
        let entry = self.table.entry(
            hash,
            |number| texts[*number as usize] == text,
            |number| hasher.hash_one(texts[*number as usize].as_slice()),
        );
        match entry {
            Entry::Occupied(found) => *found.get(),
            Entry::Vacant(free) => {
                let number = texts.len() as u32;
                free.insert(number);
                texts.push(text.to_vec());
                number
            }
        }
    }
}

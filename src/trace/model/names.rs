//! The words of a whole trace, each stored once.

#[cfg(test)]
mod tests;

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

/// A word of the trace, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(pub u32);

/// An interner: equal words get equal numbers.
#[derive(Debug, Default)]
pub struct NameInterner {
    text: String,
    /// End of each word in `text`.
    ends: Vec<usize>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl NameInterner {
    /// The number of a word; a new one for a new word.
    pub fn intern(&mut self, word: &str) -> NameId {
        let hash = self.hasher.hash_one(word);
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        let entry =
            self.table.entry(hash, |id| slice(text, ends, *id) == word, |id| hasher.hash_one(slice(text, ends, *id)));
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => NameId(*found.get()),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let id = self.ends.len() as u32;
                free.insert(id);
                self.text.push_str(word);
                self.ends.push(self.text.len());
                NameId(id)
            }
        }
    }

    /// The number of a word that is known.
    pub fn get(&self, word: &str) -> Option<NameId> {
        let hash = self.hasher.hash_one(word);
        self.table.find(hash, |id| slice(&self.text, &self.ends, *id) == word).map(|id| NameId(*id))
    }

    /// The text of a word.
    pub fn text(&self, id: NameId) -> &str {
        slice(&self.text, &self.ends, id.0)
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

fn slice<'a>(text: &'a str, ends: &[usize], id: u32) -> &'a str {
    let index = id as usize;
    let start = if index == 0 { 0 } else { ends[index - 1] };
    &text[start..ends[index]]
}

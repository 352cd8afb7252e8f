//! Pairs of numbers become single numbers, counted from 0.
//!
//! Rows that follow one another mostly have a pair that was seen a moment ago: a small table remembers
//! these, and only what it does not know is looked up in the hash table.

use hashbrown::hash_table::{Entry, HashTable};

const REMEMBERED: usize = 1024;

/// No pair: the largest number is never one of a pair.
const NOBODY: u64 = u64::MAX;

/// Numbers of pairs, in the order in which they were first seen.
#[derive(Debug)]
pub struct Pairs {
    pairs: Vec<u64>,
    numbers: HashTable<u32>,
    recent: Vec<(u64, u32)>,
}

impl Default for Pairs {
    fn default() -> Pairs {
        Pairs { pairs: vec![], numbers: HashTable::new(), recent: vec![(NOBODY, 0); REMEMBERED] }
    }
}

impl Pairs {
    /// The number of a pair; the next one when it is new.
    #[inline]
    pub fn number(&mut self, one: u32, other: u32) -> u32 {
        let pair = u64::from(one) << 32 | u64::from(other);
        let hash = hash(pair);
        let place = (hash >> 54) as usize;
        let (known, number) = self.recent[place];
        if known == pair {
            return number;
        }
        let number = self.find(pair, hash);
        self.recent[place] = (pair, number);
        number
    }

    #[inline(never)]
    fn find(&mut self, pair: u64, code: u64) -> u32 {
        let pairs = &mut self.pairs;
        match self.numbers.entry(code, |number| pairs[*number as usize] == pair, |number| hash(pairs[*number as usize])) {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = pairs.len() as u32;
                entry.insert(number);
                pairs.push(pair);
                number
            }
        }
    }

    /// The pair of a number that was given out.
    pub fn pair(&self, number: u32) -> (u32, u32) {
        let pair = self.pairs[number as usize];
        ((pair >> 32) as u32, pair as u32)
    }

    /// How many pairs there are.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.pairs.capacity() * size_of::<u64>()
            + self.numbers.allocation_size()
            + self.recent.capacity() * size_of::<(u64, u32)>()
    }
}

/// Its upper bits choose a place among the remembered: all bits of the pair must reach them.
#[inline]
fn hash(pair: u64) -> u64 {
    let folded = (pair ^ (pair >> 32)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (folded ^ (folded >> 29)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn pairs_are_numbered_as_a_list_of_them_would(
            pairs in proptest::collection::vec((0..50_u32, 0..50_u32), 0..3000),
            lift in 0..=u32::MAX - 50,
        ) {
            let mut numbers = Pairs::default();
            let mut seen: Vec<(u32, u32)> = vec![];
            for (one, other) in pairs {
                let pair = (one + lift, other);
                let expected = seen.iter().position(|known| *known == pair).unwrap_or_else(|| {
                    seen.push(pair);
                    seen.len() - 1
                });
                proptest::prop_assert_eq!(numbers.number(pair.0, pair.1) as usize, expected);
            }
            proptest::prop_assert_eq!(numbers.count(), seen.len());
            for (number, pair) in (0..).zip(seen) {
                proptest::prop_assert_eq!(numbers.pair(number), pair);
            }
        }
    }
}

//! Pairs of numbers become single numbers, counted from 0.
//!
//! While most pairs of small numbers occur, a matrix finds them with one look:
//!
//! ```text
//!            other: 0  1  2  3
//!  one: 0           1  2  .  .        what is kept is the number plus one; 0 (.) is nothing
//!       1           3  .  .  4        one row per first number, rows as long as a power of two
//! ```
//! When it would be nearly empty, a hash table takes its place.

#[cfg(test)]
mod tests;

use hashbrown::hash_table::{Entry, HashTable};

/// Most places of a matrix, and most per pair, before it counts as nearly empty.
const FREE_PLACES: usize = 1 << 16;
const PLACES_PER_PAIR: usize = 16;

/// No number of a pair.
pub const NO_NUMBER: u32 = u32::MAX;

/// Numbers of pairs, in the order in which they were first seen.
#[derive(Debug, Default)]
pub struct Pairs {
    pairs: Vec<(u32, u32)>,
    /// Empty when the table is used.
    matrix: Vec<u32>,
    /// Length of a row of the matrix, as a power of two.
    bits: u32,
    table: Option<HashTable<u32>>,
}

impl Pairs {
    /// The number of a pair; the next one when it is new.
    #[inline]
    pub fn number(&mut self, one: u32, other: u32) -> u32 {
        if other >> self.bits == 0
            && let Some(&known) = self.matrix.get(place(one, other, self.bits))
            && known != 0
        {
            return known - 1;
        }
        self.find(one, other)
    }

    /// Replaces each second number by the number of its pair; where there is [`NO_NUMBER`] it stays.
    pub fn combine(&mut self, ones: &[usize], others: &mut [u32]) {
        for (&one, other) in ones.iter().zip(others) {
            if *other != NO_NUMBER {
                *other = self.number(one as u32, *other);
            }
        }
    }

    #[inline(never)]
    fn find(&mut self, one: u32, other: u32) -> u32 {
        if self.table.is_none() && !self.make_room(one, other) {
            self.leave_matrix();
        }
        let next = self.pairs.len() as u32;
        match &mut self.table {
            None => self.matrix[place(one, other, self.bits)] = next + 1,
            Some(table) => {
                let pairs = &self.pairs;
                let is_same = |number: &u32| pairs[*number as usize] == (one, other);
                match table.entry(hash((one, other)), is_same, |number| hash(pairs[*number as usize])) {
                    Entry::Occupied(entry) => return *entry.get(),
                    Entry::Vacant(entry) => entry.insert(next),
                };
            }
        }
        self.pairs.push((one, other));
        next
    }

    /// Lets the matrix hold a pair; false when it would be nearly empty.
    fn make_room(&mut self, one: u32, other: u32) -> bool {
        let bits = self.bits.max(u32::BITS - other.leading_zeros());
        let rows = (one as usize + 1).next_power_of_two().max(self.matrix.len() >> self.bits);
        let most = FREE_PLACES + PLACES_PER_PAIR * self.pairs.len();
        if bits >= u32::BITS || rows > most >> bits {
            return false;
        }
        if bits == self.bits {
            self.matrix.resize(rows << bits, 0);
            return true;
        }
        self.bits = bits;
        self.matrix = vec![0; rows << bits];
        for (number, (one, other)) in (1..).zip(&self.pairs) {
            self.matrix[place(*one, *other, bits)] = number;
        }
        true
    }

    fn leave_matrix(&mut self) {
        self.matrix = vec![];
        let mut table = HashTable::with_capacity(2 * self.pairs.len());
        for (number, pair) in (0..).zip(&self.pairs) {
            table.insert_unique(hash(*pair), number, |number| hash(self.pairs[*number as usize]));
        }
        self.table = Some(table);
    }

    /// The pair of a number that was given out.
    pub fn pair(&self, number: u32) -> (u32, u32) {
        self.pairs[number as usize]
    }

    /// How many pairs there are.
    pub fn count(&self) -> usize {
        self.pairs.len()
    }

    /// Bytes that are held.
    pub fn size(&self) -> usize {
        self.pairs.capacity() * size_of::<(u32, u32)>()
            + self.matrix.capacity() * size_of::<u32>()
            + self.table.as_ref().map_or(0, HashTable::allocation_size)
    }
}

#[inline]
fn place(one: u32, other: u32, bits: u32) -> usize {
    (one as usize) << bits | other as usize
}

fn hash((one, other): (u32, u32)) -> u64 {
    let folded = (u64::from(one) << 32 | u64::from(other)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (folded ^ (folded >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

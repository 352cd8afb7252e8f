//! Finds the slot of a pair of ids: a hash map behind a small cache for the pairs in use.

use hashbrown::HashMap;

const CACHE: usize = 4096;

/// A map from pairs of ids to slot numbers.
#[derive(Debug)]
pub(super) struct Slots {
    cache: Box<[(u64, u32); CACHE]>,
    map: HashMap<u64, u32>,
}

impl Default for Slots {
    fn default() -> Slots {
        // No pair has the key of the empty cache: the second id is never u32::MAX.
        Slots { cache: Box::new([(u64::MAX, 0); CACHE]), map: HashMap::new() }
    }
}

#[inline(always)]
fn key(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

#[inline(always)]
fn place(key: u64) -> usize {
    (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

impl Slots {
    /// The slot of a pair, if it has one.
    #[inline(always)]
    pub fn get(&mut self, first: u32, second: u32) -> Option<u32> {
        let key = key(first, second);
        let (cached, slot) = self.cache[place(key)];
        if cached == key {
            return Some(slot);
        }
        let slot = *self.map.get(&key)?;
        self.cache[place(key)] = (key, slot);
        Some(slot)
    }

    /// Gives a pair a slot, replacing the one it had.
    pub fn insert(&mut self, first: u32, second: u32, slot: u32) {
        let key = key(first, second);
        self.map.insert(key, slot);
        self.cache[place(key)] = (key, slot);
    }
}

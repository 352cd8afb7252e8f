//! Numbers the words of one batch.
//!
//! An open-addressing table keyed by the packed bytes of short words; long words are hashed and then
//! compared. Emptied for every batch by counting up an epoch, not by writing to the table.

#[cfg(test)]
mod tests;

use crate::model::{EventBatch, Symbol};

#[derive(Debug, Clone, Copy, Default)]
struct SymbolSlot {
    key: u64,
    epoch: u32,
    symbol: u32,
}

/// How many short words are found at the first look.
const QUICK: usize = 1024;
/// No packed word has this key.
const NO_WORD: (u64, u32) = (u64::MAX, 0);

/// The words seen in a batch.
#[derive(Debug)]
pub(super) struct Symbols {
    /// Short words and their symbols: the last one that was looked for in each place.
    quick: Box<[(u64, u32); QUICK]>,
    slots: Vec<SymbolSlot>,
    epoch: u32,
    used: usize,
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols { quick: Box::new([NO_WORD; QUICK]), slots: vec![SymbolSlot::default(); 1 << 11], epoch: 0, used: 0 }
    }
}

/// Whether a word was seen before in the batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Novelty {
    Known,
    New,
}

impl Symbols {
    /// Forgets all words.
    pub fn clear(&mut self) {
        if self.epoch == u32::MAX {
            self.slots.fill(SymbolSlot::default());
            self.epoch = 0;
        }
        self.epoch += 1;
        self.used = 0;
        self.quick.fill(NO_WORD);
    }

    /// The symbol of a packed word, if it is where one looks first: nearly always.
    #[inline(always)]
    pub fn known(&self, packed: u64) -> Option<Symbol> {
        let (key, symbol) = self.quick[quick_place(packed)];
        (key == packed).then_some(Symbol(symbol))
    }

    /// The symbol of a word, given with its packed bytes or 0; new words are added to the batch.
    #[inline(never)]
    pub fn intern(&mut self, word: &[u8], packed: u64, batch: &mut EventBatch) -> (Symbol, Novelty) {
        let (symbol, novelty) = self.find_or_add(word, packed, batch);
        if packed != 0 {
            self.quick[quick_place(packed)] = (packed, symbol.0);
        }
        (symbol, novelty)
    }

    fn find_or_add(&mut self, word: &[u8], packed: u64, batch: &mut EventBatch) -> (Symbol, Novelty) {
        let is_packed = packed != 0;
        let key = if is_packed { packed } else { hash(word) };
        let mask = self.slots.len() - 1;
        let mut index = spread(key) & mask;
        loop {
            let slot = self.slots[index];
            if slot.epoch != self.epoch {
                return (self.add(key, index, word, batch), Novelty::New);
            }
            if slot.key == key {
                let symbol = Symbol(slot.symbol);
                if is_packed || batch.symbol(symbol) == word {
                    return (symbol, Novelty::Known);
                }
            }
            index = (index + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, key: u64, index: usize, word: &[u8], batch: &mut EventBatch) -> Symbol {
        let symbol = batch.push_symbol(word);
        self.slots[index] = SymbolSlot { key, epoch: self.epoch, symbol: symbol.0 };
        self.used += 1;
        if self.used * 2 > self.slots.len() {
            self.grow();
        }
        symbol
    }

    fn grow(&mut self) {
        let old = std::mem::take(&mut self.slots);
        self.slots = vec![SymbolSlot::default(); old.len() * 2];
        let mask = self.slots.len() - 1;
        for slot in old.into_iter().filter(|slot| slot.epoch == self.epoch) {
            let mut index = spread(slot.key) & mask;
            while self.slots[index].epoch == self.epoch {
                index = (index + 1) & mask;
            }
            self.slots[index] = slot;
        }
    }
}

/// A key for a word that is not packed; its highest byte distinguishes it from packed words.
fn hash(word: &[u8]) -> u64 {
    let mut state = word.len() as u64;
    for chunk in word.chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(bytes)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        state ^= state >> 29;
    }
    state | 0xff << 56
}

#[inline(always)]
fn quick_place(packed: u64) -> usize {
    (packed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize
}

#[inline(always)]
fn spread(key: u64) -> usize {
    // Only the highest bits of a product depend on all bits of the key: bring them down.
    key.wrapping_mul(0x9e37_79b9_7f4a_7c15).swap_bytes() as usize
}

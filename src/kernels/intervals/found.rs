//! What a join of intervals is asked for, and what it finds.

/// The row of nothing, beside a row that has no partner.
pub const NO_ROW: u32 = u32::MAX;

/// Which rows are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Every pair.
    Pairs,
    /// Every pair, and each asking row without a partner beside [`NO_ROW`].
    PairsAndLonely,
    /// Each asking row that has a partner, once.
    Partnered,
    /// Each asking row that has none.
    Lonely,
}

/// What was found: the number of a row that asks, and a place in the index. It is filled again and again
/// without asking for memory.
#[derive(Debug, Default)]
pub struct FoundPairs {
    pairs: Vec<(u32, u32)>,
    count: usize,
}

impl FoundPairs {
    /// An empty list with room for a number of pairs.
    pub fn new(limit: usize) -> FoundPairs {
        FoundPairs { pairs: vec![(0, 0); limit], count: 0 }
    }

    pub(super) fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs[..self.count]
    }

    /// Numbers of the rows that ask, in their order.
    pub fn asking(&self) -> impl ExactSizeIterator<Item = u32> {
        self.pairs().iter().map(|pair| pair.0)
    }

    /// Places in the index, or [`NO_ROW`]. They mean nothing when only asking rows were wanted.
    pub fn places(&self) -> impl ExactSizeIterator<Item = u32> {
        self.pairs().iter().map(|pair| pair.1)
    }

    /// How many pairs were found.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether no pair was found.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a pair; false when there is no room for it.
    #[inline]
    pub(super) fn push(&mut self, asking: usize, place: u32) -> bool {
        let Some(next) = self.pairs.get_mut(self.count) else {
            return false;
        };
        *next = (asking as u32, place);
        self.count += 1;
        true
    }
}

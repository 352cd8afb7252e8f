//! A small random number generator of our own (splitmix64), so that a seed means the same for ever.

#[cfg(test)]
mod tests;

/// The state of the generator.
#[derive(Debug, Clone)]
pub(super) struct RandomSource {
    state: u64,
}

impl RandomSource {
    pub(super) fn new(seed: u64) -> RandomSource {
        RandomSource { state: seed }
    }

    /// The next 64 random bits.
    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// A number in `0..limit`.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// Whether an event of that many percent happens.
    pub(super) fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}

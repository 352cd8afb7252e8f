//! Noise that depends on where it is asked for and not on when: a run with a fault has the noise of the clean one.
//!
//! In: a seed, a strength and a place such as (rank, iteration, slot). Out: a factor around 1, log-normal, in whole numbers:
//! the sum of twelve even numbers less six is close to normal, and the exponential is a series.

#[cfg(test)]
mod tests;

use super::super::random::RandomSource;

/// Binary places of numbers here.
const PLACES: u32 = 32;
const ONE: i128 = 1 << PLACES;

/// A source of factors.
#[derive(Debug, Clone, Copy)]
pub(super) struct NoiseField {
    seed: u64,
    /// Standard deviation of the logarithm, in millionths.
    deviation: u64,
}

impl NoiseField {
    pub(super) fn new(seed: u64, deviation: u64) -> NoiseField {
        NoiseField { seed, deviation }
    }

    /// The same length, as noise has it at that place.
    pub(super) fn disturb(&self, length: u64, place: [u64; 3]) -> u64 {
        let exponent = normal(&mut self.random(place)) * i128::from(self.deviation) / 1_000_000;
        ((i128::from(length) * exponential(exponent)) >> PLACES) as u64
    }

    /// Random numbers of that place.
    pub(super) fn random(&self, place: [u64; 3]) -> RandomSource {
        let mut mixed = self.seed;
        for part in place {
            mixed = RandomSource::new(mixed ^ part.wrapping_mul(0xD6E8_FEB8_6659_FD93)).next();
        }
        RandomSource::new(mixed)
    }
}

/// A number with mean 0 and deviation 1, at most 6 from it.
fn normal(random: &mut RandomSource) -> i128 {
    (0..12).map(|_| i128::from(random.next() >> 32)).sum::<i128>() - 6 * ONE
}

/// 1 + x + x²/2! + …
fn exponential(exponent: i128) -> i128 {
    let (mut sum, mut term, mut step) = (ONE, ONE, 0);
    while term != 0 {
        step += 1;
        // Division rounds towards zero, so that terms of either sign come to an end.
        term = term * exponent / ONE / step;
        sum += term;
    }
    sum.max(0)
}

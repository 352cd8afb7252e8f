//! Sums of doubles that keep twice the digits.
//!
//! The sum of two doubles and the product of two doubles are each exactly two doubles: the nearest one, and
//! what is missing. Carrying both along keeps about 106 bits, so that adding and taking away large
//! numbers does not eat small ones, and the order of rows hardly ever shows in the last bit.

use super::slices::{Cell, take};

/// A sum: `high + low`, with `low` less than a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    pub fn of(value: f64) -> Sum {
        Sum { high: value, low: 0.0 }
    }

    /// The product of two doubles.
    #[inline]
    pub fn product(one: f64, other: f64) -> Sum {
        let high = one * other;
        Sum { high, low: one.mul_add(other, -high) }
    }

    #[inline]
    pub fn add(&mut self, other: Sum) {
        let high = exact(self.high, other.high);
        let low = exact(self.low, other.low);
        let sum = normal(high.high, high.low + low.high);
        *self = normal(sum.high, sum.low + low.low);
    }

    #[inline]
    pub fn subtract(&mut self, other: Sum) {
        self.add(Sum { high: -other.high, low: -other.low });
    }

    /// The sum times a double.
    pub fn times(self, factor: f64) -> Sum {
        let product = Sum::product(self.high, factor);
        normal(product.high, product.low + self.low * factor)
    }

    /// The nearest double.
    pub fn value(self) -> f64 {
        self.high + self.low
    }
}

/// The exact sum of two doubles.
#[inline]
fn exact(one: f64, other: f64) -> Sum {
    let high = one + other;
    let part = high - one;
    Sum { high, low: (one - (high - part)) + (other - part) }
}

/// The exact sum of two doubles, the first of them the larger.
#[inline]
fn normal(large: f64, small: f64) -> Sum {
    let high = large + small;
    Sum { high, low: small - (high - large) }
}

impl Cell for Sum {
    fn join(&mut self, other: Sum) {
        self.add(other);
    }

    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.high.to_le_bytes());
        bytes.extend_from_slice(&self.low.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Sum> {
        Some(Sum { high: f64::from_le_bytes(take(bytes)?), low: f64::from_le_bytes(take(bytes)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_survive_large_ones() {
        let mut sum = Sum::of(1e-5);
        for _ in 0..1000 {
            sum.add(Sum::of(1e16));
        }
        for _ in 0..1000 {
            sum.subtract(Sum::of(1e16));
        }
        assert_eq!(sum.value(), 1e-5);
    }

    #[test]
    fn products_are_exact() {
        let (one, other) = (94_906_267.0, 94_906_267.0);
        let mut product = Sum::product(one, other);
        product.subtract(Sum::of(9_007_199_515_875_289_u64 as f64));
        // The square ends in 289, which is odd and above 2^53: the nearest double is one off.
        assert_eq!(product.value(), 94_906_267_i64.pow(2) as f64 - 9_007_199_515_875_289_u64 as f64 + 1.0);
        assert_eq!(Sum::of(0.1).times(10.0).value(), 1.0);
    }

    proptest! {
        /// The twin: whole numbers of 128 bits.
        #[test]
        fn sums_agree_with_whole_numbers(rows in prop::collection::vec((any::<i32>(), -1_000_000_000_000_i64..1_000_000_000_000), 0..50)) {
            let mut sum = Sum::default();
            let mut exact = 0_i128;
            for (one, other) in &rows {
                sum.add(Sum::product(f64::from(*one), *other as f64));
                exact += i128::from(*one) * i128::from(*other);
            }
            prop_assert_eq!(sum.value(), exact as f64);
            for (one, other) in &rows {
                sum.subtract(Sum::product(f64::from(*one), *other as f64));
            }
            prop_assert_eq!(sum.value(), 0.0);
        }
    }
}

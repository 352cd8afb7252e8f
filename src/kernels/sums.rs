//! Sums of doubles that keep twice the digits.
//!
//! The sum of two doubles and the product of two doubles are each exactly two doubles: the nearest one, and
//! what is missing. Carrying both along keeps about 106 bits, so that adding and taking away large
//! numbers does not eat small ones, and the order of rows hardly ever shows in the last bit.

#[cfg(test)]
mod tests;

use super::slices::{SliceCell, take};

/// A sum: `high + low`, with `low` less than a unit in the last place of `high`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    /// The sum of one value.
    pub fn of(value: f64) -> Sum {
        Sum { high: value, low: 0.0 }
    }

    /// The sum that has these halves; see [`Sum::halves`].
    pub fn of_halves(high: f64, low: f64) -> Sum {
        exact(high, low)
    }

    /// The nearest double, and what is missing.
    pub fn halves(self) -> (f64, f64) {
        (self.high, self.low)
    }

    /// The product of two doubles.
    #[inline]
    pub fn product(one: f64, other: f64) -> Sum {
        let high = one * other;
        Sum { high, low: one.mul_add(other, -high) }
    }

    /// The product with a whole number, which may have more digits than a double.
    #[inline]
    pub fn product_of_whole(one: f64, whole: i64) -> Sum {
        let nearest = whole as f64;
        let mut product = Sum::product(one, nearest);
        let rest = whole.saturating_sub(nearest as i64);
        if rest != 0 {
            product.add(Sum::product(one, rest as f64));
        }
        product
    }

    /// Adds another sum.
    #[inline]
    pub fn add(&mut self, other: Sum) {
        let high = exact(self.high, other.high);
        let low = exact(self.low, other.low);
        let sum = normal(high.high, high.low + low.high);
        *self = normal(sum.high, sum.low + low.low);
    }

    /// Subtracts another sum.
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

impl SliceCell for Sum {
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

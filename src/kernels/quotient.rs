//! The double that is nearest to a quotient of whole numbers.
//!
//! In: a numerator of 128 bits with a sign, and a denominator. Out: their quotient, rounded once, ties to even. Sums of ticks
//! become seconds by it.

#[cfg(test)]
mod tests;

/// Up to here all whole numbers are doubles.
const EXACT: u128 = 1 << f64::MANTISSA_DIGITS;

/// Two bits more than a double has: the first says whether the rest is at least half, the second whether it is more.
const DIGITS: u32 = f64::MANTISSA_DIGITS + 2;

/// The nearest double of `numerator / denominator`. The denominator is more than zero and at most 2^127.
pub fn nearest_quotient(numerator: i128, denominator: u128) -> f64 {
    let size = numerator.unsigned_abs();
    let quotient = match size <= EXACT && denominator <= EXACT {
        // A division of doubles is rounded once.
        true => size as f64 / denominator as f64,
        false => long_division(size, denominator),
    };
    if numerator < 0 { -quotient } else { quotient }
}

/// Bit by bit.
fn long_division(numerator: u128, denominator: u128) -> f64 {
    if numerator == 0 {
        return 0.0;
    }
    let (mut digits, mut rest) = (numerator / denominator, numerator % denominator);
    let mut exponent = 0;
    while digits >> (DIGITS - 1) == 0 {
        rest *= 2;
        let is_one = rest >= denominator;
        if is_one {
            rest -= denominator;
        }
        digits = digits * 2 + u128::from(is_one);
        exponent -= 1;
    }
    let surplus = (u128::BITS - digits.leading_zeros()).saturating_sub(DIGITS);
    let dropped = digits & ((1 << surplus) - 1);
    digits >>= surplus;
    exponent += i64::from(surplus);
    // What was dropped only counts as more than nothing.
    digits |= u128::from(dropped != 0 || rest != 0);
    digits as f64 * power_of_two(exponent)
}

/// `2^exponent`, exactly; exponents of quotients of 128 bits are far from the limits of doubles.
fn power_of_two(exponent: i64) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << (f64::MANTISSA_DIGITS - 1))
}

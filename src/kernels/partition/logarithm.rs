//! A base-2 logarithm without branches or tables, so that a loop over it becomes vector code.
//!
//! x = 2^k · m with m in [√½, √2). With s = (m − 1) / (m + 1), log2 m is s times an even function of s, and that one a
//! polynomial of z = s² to 1.8e-16: its coefficients are those of the best polynomial of that degree on the range, found
//! by the Remez algorithm.

#[cfg(test)]
mod tests;

/// Upper half of the bits of √½: mantissas are shifted so that they begin there.
const ROOT_OF_HALF: u64 = 0x3fe6_a09e_0000_0000;
const ONE: u64 = 0x3ff0_0000_0000_0000;
const MANTISSA: u64 = 0x000f_ffff_ffff_ffff;
/// Bits of 2^52: small integers put into its mantissa become floating point without a conversion.
const TWO_TO_52: u64 = 0x4330_0000_0000_0000;
/// What such a number is too large by, the bias of exponents included.
const TOO_MUCH: f64 = 4_503_599_627_370_496.0 + 1023.0;

const SERIES: [f64; 7] = [
    2.885_390_081_777_927,
    0.961_796_693_924_322_5,
    0.577_078_017_251_206_6,
    0.412_198_401_324_224_64,
    0.320_616_436_675_751_3,
    0.261_442_750_263_684_3,
    0.242_933_435_561_872_77,
];

/// Numbers that are worked on together: three buffers of them stay in the first-level cache.
const BLOCK: usize = 256;

/// A positive normal number as 2^exponent times a mantissa between √½ and √2. Zero gives finite numbers.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    let bits = x.to_bits().wrapping_add(ONE - ROOT_OF_HALF);
    let exponent = f64::from_bits((bits >> 52) | TWO_TO_52) - TOO_MUCH;
    (exponent, f64::from_bits((bits & MANTISSA) + ROOT_OF_HALF))
}

/// `(m − 1) / (m + 1)`.
#[inline(always)]
fn ratio(mantissa: f64) -> f64 {
    (mantissa - 1.0) / (mantissa + 1.0)
}

/// The logarithm of a mantissa, from its ratio. Terms are paired, so that few wait for each other.
#[inline(always)]
fn log2_of_mantissa(s: f64) -> f64 {
    let [c0, c1, c2, c3, c4, c5, c6] = SERIES;
    let z = s * s;
    let z2 = z * z;
    let low = (c0 + z * c1) + z2 * (c2 + z * c3);
    let high = (c4 + z * c5) + z2 * c6;
    s * (low + (z2 * z2) * high)
}

/// The base-2 logarithm of a positive normal number, within 4 units of its last place; finite for zero.
#[inline(always)]
pub(super) fn log2(x: f64) -> f64 {
    let (exponent, mantissa) = split(x);
    exponent + log2_of_mantissa(ratio(mantissa))
}

/// Adds `x · log2 x` of every number to a sum of its own; 0 for zero.
///
/// Done in two loops: in one, a processor could not look far enough ahead to keep its units busy.
pub(super) fn add_information(sums: &mut [f64], numbers: &[f64]) {
    let (mut exponents, mut ratios) = ([0.0; BLOCK], [0.0; BLOCK]);
    for (sums, numbers) in sums.chunks_mut(BLOCK).zip(numbers.chunks(BLOCK)) {
        let parts = exponents.iter_mut().zip(&mut ratios);
        for (number, (exponent, s)) in numbers.iter().zip(parts) {
            let (whole, mantissa) = split(*number);
            (*exponent, *s) = (whole, ratio(mantissa));
        }
        let parts = exponents.iter().zip(&ratios);
        for ((sum, number), (exponent, s)) in sums.iter_mut().zip(numbers).zip(parts) {
            *sum += number * (exponent + log2_of_mantissa(*s));
        }
    }
}

//! Tests of `nearest_quotient`.

use super::*;
use proptest::prelude::*;

/// The twin: the decimal digits of the quotient, which the standard library rounds once. Where digits are left out, a last
/// one says that there is more.
fn by_digits(numerator: i128, denominator: u128) -> f64 {
    let size = numerator.unsigned_abs();
    let mut text = format!("{}{}.", if numerator < 0 { "-" } else { "" }, size / denominator);
    let mut rest = size % denominator;
    for _ in 0..300 {
        rest *= 10;
        text.push(char::from_digit((rest / denominator) as u32, 10).expect("a digit"));
        rest %= denominator;
    }
    text.push(if rest == 0 { '0' } else { '1' });
    text.parse().expect("a number")
}

fn sizes() -> impl Strategy<Value = i128> {
    (any::<i128>(), 0_u32..127).prop_map(|(bits, shift)| bits >> shift)
}

fn denominators() -> impl Strategy<Value = u128> {
    prop_oneof![
        (0_u32..19).prop_map(|digits| 10_u128.pow(digits)),
        (0_u32..19, 1_u128..1_000_000).prop_map(|(digits, count)| 10_u128.pow(digits) * count),
        (0_u32..124).prop_map(|bits| 1_u128 << bits),
        // The twin needs room for a decimal digit.
        (any::<u128>(), 4_u32..127).prop_map(|(bits, shift)| (bits >> shift).max(1)),
    ]
}

proptest! {
    #[test]
    fn agrees_with_decimal_digits(numerator in sizes(), denominator in denominators()) {
        let (found, expected) = (nearest_quotient(numerator, denominator), by_digits(numerator, denominator));
        // Zero has no sign here.
        prop_assert_eq!(found.to_bits(), (expected + 0.0).to_bits(), "{} / {}", numerator, denominator);
    }

    /// Halves between two doubles, and their neighbors.
    #[test]
    fn ties_go_to_even(odd in (1_u64 << 53)..(1 << 54), shift in 0_u32..60, step in -1_i128..=1) {
        let numerator = (i128::from(odd) << shift) + step;
        for denominator in [1, 1 << shift, 1 << 100, 1_000_000_000] {
            prop_assert_eq!(nearest_quotient(numerator, denominator), by_digits(numerator, denominator));
        }
    }
}

#[test]
fn known_quotients() {
    assert_eq!(nearest_quotient(8_000_000_000, 1_000_000_000), 8.0);
    assert_eq!(nearest_quotient(1, 10), 0.1);
    assert_eq!(nearest_quotient(-1, 3), -1.0 / 3.0);
    assert_eq!(nearest_quotient(0, 1 << 127).to_bits(), 0.0_f64.to_bits());
    // 2^53 + 1 lies between two doubles, of which the even one is 2^53; a bit more is nearer to the next.
    assert_eq!(nearest_quotient((1 << 53) + 1, 1), 9_007_199_254_740_992.0);
    assert_eq!(nearest_quotient((1 << 63) + (1 << 10) + 1, 1 << 10), 9_007_199_254_740_994.0);
    assert_eq!(nearest_quotient(i128::MAX, 1), 2_f64.powi(127));
    assert_eq!(nearest_quotient(i128::MIN, 1 << 127), -1.0);
    assert_eq!(nearest_quotient(1, 1 << 127), 2_f64.powi(-127));
}

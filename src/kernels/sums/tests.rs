//! Tests of `sums`.

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
    /// The twin: whole numbers of 128 bits. High bits are taken away first, so that low ones show.
    #[test]
    fn products_with_large_numbers_agree(one in any::<i32>(), other in -(1_i64 << 62)..1 << 62) {
        let mut product = Sum::product_of_whole(f64::from(one), other);
        let mut rest = i128::from(one) * i128::from(other);
        for bits in [60, 20] {
            let part = rest >> bits << bits;
            product.subtract(Sum::of((part >> bits) as f64).times((1_i64 << bits) as f64));
            rest -= part;
        }
        prop_assert_eq!(product.value(), rest as f64);
    }

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

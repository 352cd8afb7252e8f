//! Tests of `logarithm`.

use super::*;
use proptest::prelude::*;

fn assert_close(x: f64) {
    let (ours, library) = (log2(x), x.log2());
    assert!((ours - library).abs() <= 4.0 * f64::EPSILON * library.abs(), "{x}: {ours} {library}");
}

#[test]
fn powers_of_two_are_exact() {
    for exponent in -1000..1000 {
        assert_eq!(log2(2_f64.powi(exponent)), f64::from(exponent));
    }
}

#[test]
fn edges_of_the_range() {
    for x in [f64::MIN_POSITIVE, 1e-300, 0.5_f64.sqrt(), 2_f64.sqrt(), 1.0 - f64::EPSILON, 1.0 + f64::EPSILON, 1e300] {
        assert_close(x);
    }
}

#[test]
fn zero_has_no_information() {
    let mut sums = vec![1.0; 2];
    add_information(&mut sums, &[0.0, 0.5]);
    assert_eq!(sums, [1.0, 0.5]);
}

proptest! {
    #[test]
    fn agrees_with_the_library(x in 1e-12..1.0_f64, scale in -30..30_i32) {
        assert_close(x);
        assert_close(x * 2_f64.powi(scale));
    }

    #[test]
    fn sums_are_those_of_single_numbers(numbers in prop::collection::vec(0.0..2.0_f64, 0..3 * BLOCK)) {
        let mut sums = vec![0.25; numbers.len()];
        add_information(&mut sums, &numbers);
        for (sum, number) in sums.iter().zip(&numbers) {
            prop_assert_eq!(*sum, 0.25 + number * log2(*number));
        }
    }
}

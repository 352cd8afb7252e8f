//! Tests of `overlap`.

use super::overlap;

proptest::proptest! {
    /// The twin: count the steps that lie in both.
    #[test]
    fn agrees_with_counting(a0 in -20..20_i32, a1 in -20..20_i32, b0 in -20..20_i32, b1 in -20..20_i32) {
        let shared = (-20..20).filter(|step| (a0..a1).contains(step) && (b0..b1).contains(step)).count();
        let [a0, a1, b0, b1] = [a0, a1, b0, b1].map(f64::from);
        proptest::prop_assert_eq!(overlap(a0, a1, b0, b1), shared as f64);
    }
}

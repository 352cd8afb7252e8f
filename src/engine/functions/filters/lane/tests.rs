//! Tests of `lane`.

use super::*;

#[test]
fn doubles_keep_their_order() {
    let rising = [f64::NEG_INFINITY, -2.5, -1e-300, 0.0, 1e-300, 1.0, 2.5, f64::INFINITY, f64::NAN];
    assert!(rising.windows(2).all(|pair| ordered_bits(pair[0]) < ordered_bits(pair[1])));
    assert_eq!(ordered_bits(-0.0), ordered_bits(0.0));
}

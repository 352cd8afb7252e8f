//! Tests of `cosine`.

use super::*;

#[test]
fn agrees_with_the_library() {
    for thousandth in 0..20_000_i128 {
        let ours = cosine((thousandth << BITS) / 1000) as f64 / ONE as f64;
        let theirs = (thousandth as f64 / 1000.0).cos();
        assert!((ours - theirs).abs() < 4e-15, "{thousandth}: {ours} {theirs}");
    }
}

//! Tests of `commgram`.

use super::natural_phases;

#[test]
fn phases_are_cut_at_the_largest_gap() {
    // Three stages: 2.5 and 1 s apart, 0.04 within.
    assert_eq!(natural_phases(&[2.5, 1.0, 0.04, 0.04, 0.02]), 3);
    assert_eq!(natural_phases(&[1.0, 0.0, 0.0]), 2);
    assert_eq!(natural_phases(&[0.0, 0.0]), 1);
    assert_eq!(natural_phases(&[]), 1);
}

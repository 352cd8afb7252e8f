//! Tests of `units`.

use super::*;

#[test]
fn numbers_read_well() {
    let cases = [(0.0, "0"), (1.0, "1"), (12.345, "12.3"), (0.012345, "0.0123"), (999.6, "1000"), (1e-7, "1.00e-7")];
    for (value, text) in cases {
        assert_eq!(short(value), text);
    }
    assert_eq!(seconds(0.0123), "12.3 ms");
    assert_eq!(seconds(3.2e-6), "3.2 µs");
    assert_eq!(quantity(1_234_567.0), "1.23 M");
    assert_eq!(percent(0.256), "25.6 %");
}

#[test]
fn steps_are_round_and_inside() {
    assert_eq!(steps(0.0, 10.0, 5), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
    assert_eq!(steps(3.1, 4.2, 4), [3.5, 4.0]);
    assert_eq!(steps(1.0, 1.0, 4), [1.0]);
    assert_eq!(label(0.5, &[0.0, 0.5, 1.0]), "0.5");
    assert_eq!(label(2.0, &[0.0, 2.0]), "2");
}

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

#[test]
fn moments_have_the_digits_that_their_window_needs() {
    // Of 2 ms around a second, a ten-thousandth is 0.2 µs.
    assert_eq!(MomentFormat::of(1.0, 1.002).text(1.001_234_56), "1.0012346 s");
    assert_eq!(MomentFormat::of(1.0, 1.002).text(1.0), "1 s");
    assert_eq!(MomentFormat::of(0.5, 0.502).text(0.500_012_34), "500.0123 ms");
    assert_eq!(MomentFormat::of(0.0, 10.0).text(2.5), "2.5 s");
    assert_eq!(MomentFormat::of(0.0, 10.0).text(0.0), "0 s");
    assert_eq!(MomentFormat::of(0.0, 1e6).text(123_456.7), "123457 s");
    // No more than a double has.
    assert_eq!(MomentFormat::of(1e9, 1e9 + 1e-9).text(1e9), "1000000000 s");
    assert_eq!(MomentFormat::of(-2.0, -2.0).text(-2.0), "-2 s");
}

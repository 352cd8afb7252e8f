//! Tests of `dump`.

use super::significant;

#[test]
fn six_significant_digits() {
    for (value, text) in [
        (0.0, "0"),
        (3.592042, "3.59204"),
        (36.678514, "36.6785"),
        (0.329862, "0.329862"),
        (100000.0, "100000"),
        (1234567.0, "1.23457e+06"),
        (0.0000123456789, "1.23457e-05"),
        (999999.96, "1e+06"),
        (-2.5, "-2.5"),
    ] {
        assert_eq!(significant(value), text);
    }
}

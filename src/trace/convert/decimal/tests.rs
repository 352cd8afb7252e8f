//! Tests of `decimal`.

use super::{decimal, number};

#[test]
fn ticks_are_exact() {
    for (count, digits, text) in [
        (0, 9, "0"),
        (1, 9, "0.000000001"),
        (-1500, 3, "-1.5"),
        (2_000_000_000, 9, "2"),
        (7, 0, "7"),
        (7, -3, "7000"),
        (0, -3, "0"),
        (i64::MIN, 9, "-9223372036.854775808"),
    ] {
        assert_eq!(decimal(count, digits), text);
    }
}

#[test]
fn numbers_are_read_back() {
    for value in [0.0, 1.5, -2.0, 1e300, 5e-324, 0.1, 123456789012.25, f64::MAX] {
        assert_eq!(number(value).parse::<f64>(), Ok(value));
    }
}

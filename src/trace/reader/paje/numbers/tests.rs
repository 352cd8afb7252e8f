//! Tests of `numbers`.

use super::*;

#[test]
fn what_is_no_number_is_none() {
    for text in ["", ".", "-", "1,5", "1.2.3", "x", "0x1", "--1"] {
        assert_eq!(parse_double(text.as_bytes()), None, "{text}");
    }
    assert_eq!(parse_double(b"-0.5"), Some(-0.5));
    assert_eq!(parse_double(b"12."), Some(12.0));
    assert_eq!(parse_double(b"1e3"), Some(1000.0));
}

proptest::proptest! {
    #[test]
    fn equals_the_standard_library(text in "-?[0-9]{1,12}(\\.[0-9]{0,9})?") {
        let expected: f64 = text.parse().expect("a number");
        let found = parse_double(text.as_bytes()).expect("a number");
        proptest::prop_assert_eq!(found.to_bits(), expected.to_bits());
    }
}

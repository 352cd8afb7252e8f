//! Tests of `link_classes`.

use super::*;

#[test]
fn keys_by_their_pattern() {
    for key in ["0_1_-5_2", "10_200_-1_33", MATCHES[1]] {
        assert!(is_collective_key(key.as_bytes()), "{key}");
    }
    for key in
        ["", "0_1_5_2", "0_1_-5", "_1_-5_2", "0_1_-_2", "0_1_-5_2 ", "0_1_-5_2_1", "0__-5_2", "a_1_-5_2", "0_1_--5_2"]
    {
        assert!(!is_collective_key(key.as_bytes()), "{key}");
    }
}

#[test]
fn values_by_their_pattern() {
    assert!(["collective", "1TA", "AT1", "ATA"].iter().all(|value| is_collective_value(value)));
    assert!(!["", "p2p", "collectives", "1ta"].iter().any(|value| is_collective_value(value)));
}

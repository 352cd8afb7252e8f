//! Tests of `executor`.

use super::*;

#[test]
fn addresses_have_a_host_and_a_port() {
    assert_eq!(split_address("node1:50050").expect("an address"), ("node1".to_string(), 50050));
    for wrong in ["node1", ":50050", "node1:", "node1:x", "node1:99999", ""] {
        assert!(split_address(wrong).is_err(), "{wrong}");
    }
}

//! Tests of `cluster`.

use super::*;

#[test]
fn only_loopback_needs_no_trust() {
    let loopback: IpAddr = "127.0.0.1".parse().expect("an address");
    let public: IpAddr = "10.0.0.5".parse().expect("an address");
    let every: IpAddr = "0.0.0.0".parse().expect("an address");
    assert_eq!(reachable(loopback, None, Trust::Loopback).expect("a name"), "127.0.0.1");
    assert!(reachable(public, None, Trust::Loopback).expect_err("refused").to_string().contains("--insecure"));
    assert_eq!(reachable(public, None, Trust::Network).expect("a name"), "10.0.0.5");
    assert!(reachable(every, None, Trust::Network).expect_err("refused").to_string().contains("--host"));
    assert_eq!(reachable(every, Some("node1".to_string()), Trust::Network).expect("a name"), "node1");
}

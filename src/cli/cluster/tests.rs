//! Tests of `cluster`.

use super::*;

#[test]
fn only_loopback_needs_no_trust() {
    let loopback: IpAddr = "127.0.0.1".parse().expect("an address");
    let public: IpAddr = "10.0.0.5".parse().expect("an address");
    let every: IpAddr = "0.0.0.0".parse().expect("an address");
    assert_eq!(reachable(loopback, None, Trust::Loopback).expect("a name"), "127.0.0.1");
    assert!(reachable(public, None, Trust::Loopback).expect_err("refused").to_string().contains("--insecure"));
    for trust in [Trust::Network, Trust::Credentials] {
        assert_eq!(reachable(public, None, trust).expect("a name"), "10.0.0.5");
    }
    assert!(reachable(every, None, Trust::Network).expect_err("refused").to_string().contains("--host"));
    assert_eq!(reachable(every, Some("node1".to_string()), Trust::Network).expect("a name"), "node1");
}

#[test]
fn beyond_loopback_only_named_places_are_read() {
    let loopback: IpAddr = "127.0.0.1".parse().expect("an address");
    let public: IpAddr = "10.0.0.5".parse().expect("an address");
    let (root, runs) = (PathBuf::from("/shared"), PathBuf::from("/runs"));
    assert_eq!(readable(&[], Some(&root), loopback), Vec::<PathBuf>::new());
    assert_eq!(readable(&[], Some(&root), public), vec![root.clone()]);
    assert_eq!(readable(std::slice::from_ref(&runs), Some(&root), loopback), [runs, root]);
}

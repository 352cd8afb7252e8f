//! Tests of `guard`.

use super::*;

fn is_answered(host: &str, origin: Option<&str>, must_be_local: bool) -> bool {
    let mut headers = HeaderMap::new();
    if !host.is_empty() {
        headers.insert(HOST, host.parse().expect("a header"));
    }
    if let Some(origin) = origin {
        headers.insert(ORIGIN, origin.parse().expect("a header"));
    }
    check_host(&headers, must_be_local).is_ok()
}

#[test]
fn an_open_local_server_answers_to_local_names() {
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.1.2.3", "[::1]:80", "ocellus.localhost"] {
        assert!(is_answered(host, None, true), "{host}");
    }
    for host in ["", "evil.example", "localhost.evil.example", "evil.example:8080", "192.168.0.1", "[::2]"] {
        assert!(!is_answered(host, None, true), "{host}");
    }
    assert!(is_answered("trace.example", None, false));
}

#[test]
fn pages_of_other_origins_are_refused_everywhere() {
    assert!(is_answered("localhost:8080", Some("http://localhost:8080"), true));
    assert!(is_answered("trace.example", Some("https://trace.example"), false));
    for origin in ["http://evil.example", "http://localhost:9090", "null", ""] {
        assert!(!is_answered("localhost:8080", Some(origin), true), "{origin}");
        assert!(!is_answered("trace.example", Some(origin), false), "{origin}");
    }
}

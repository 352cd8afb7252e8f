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

fn is_site_served(method: &str, path: &str, site: &str, mode: &str, dest: &str) -> bool {
    let request = axum::http::Request::builder().method(method).uri(path);
    let request = request.header("sec-fetch-site", site).header("sec-fetch-mode", mode).header("sec-fetch-dest", dest);
    check_site(&request.body(()).expect("a request").into_parts().0).is_ok()
}

#[test]
fn what_another_site_causes_is_refused_but_for_a_link_to_the_page() {
    for site in ["cross-site", "same-site", "anything"] {
        assert!(is_site_served("GET", "/", site, "navigate", "document"), "{site}");
        for (method, path, mode, dest) in [
            ("GET", "/traces", "navigate", "document"),
            ("GET", "/assets/x/app.js", "no-cors", "script"),
            ("GET", "/", "no-cors", "image"),
            ("GET", "/", "navigate", "iframe"),
            ("POST", "/", "navigate", "document"),
            ("POST", "/sql", "cors", "empty"),
        ] {
            assert!(!is_site_served(method, path, site, mode, dest), "{site} {method} {path} {mode} {dest}");
        }
    }
    for site in ["same-origin", "none"] {
        assert!(is_site_served("POST", "/sql", site, "cors", "empty"), "{site}");
    }
    let plain = axum::http::Request::builder().uri("/traces").body(()).expect("a request");
    assert!(check_site(&plain.into_parts().0).is_ok());
}

#[test]
fn only_what_has_no_data_is_public() {
    for path in ["/", "/health", "/login", "/logout", "/assets/0123/app.js"] {
        assert!(is_public(path), "{path}");
    }
    for path in ["/sql", "/traces", "/metrics", "/openapi.json", "/assets", "//", "/login/x", "/draw/timeline"] {
        assert!(!is_public(path), "{path}");
    }
}

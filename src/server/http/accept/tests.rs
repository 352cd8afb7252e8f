//! Tests of `accept`.

use super::*;

fn chosen(header: &str) -> Option<ResultFormat> {
    choose(Some(header)).map(|(_, format)| format)
}

#[test]
fn json_unless_something_else_is_asked_for() {
    assert_eq!(choose(None).map(|(_, format)| format), Some(ResultFormat::Json));
    for header in ["", "*/*", "application/*", "application/json", "text/html, */*;q=0.8", "Application/JSON ; q=1"] {
        assert_eq!(chosen(header), Some(ResultFormat::Json), "{header}");
    }
}

#[test]
fn the_best_quality_wins() {
    assert_eq!(chosen("text/csv"), Some(ResultFormat::Csv));
    assert_eq!(chosen("text/*"), Some(ResultFormat::Csv));
    assert_eq!(chosen("application/json;q=0.5, text/csv;q=0.9"), Some(ResultFormat::Csv));
    assert_eq!(chosen("application/json;q=0.5, text/csv;q=0.4"), Some(ResultFormat::Json));
    assert_eq!(chosen("*/*;q=0.1, application/vnd.apache.arrow.stream"), Some(ResultFormat::Arrow));
    assert_eq!(chosen("application/x-ndjson;q=0.001"), Some(ResultFormat::Ndjson));
    assert_eq!(choose(Some("application/jsonlines")), Some(("application/jsonlines", ResultFormat::Ndjson)));
}

#[test]
fn the_most_specific_range_decides() {
    assert_eq!(chosen("*/*, application/json;q=0"), Some(ResultFormat::Ndjson));
    assert_eq!(chosen("application/*;q=0, text/csv"), Some(ResultFormat::Csv));
    assert_eq!(chosen("application/*;q=0.2, application/x-ndjson;q=0.1, text/csv;q=0.15"), Some(ResultFormat::Json));
}

#[test]
fn what_cannot_be_given_is_not_chosen() {
    for header in
        ["text/html", "image/*", "application/json;q=0", "*/*;q=0", "nonsense", "application/json;q=x", "text/csv;q=2"]
    {
        assert_eq!(chosen(header), None, "{header}");
    }
}

#[test]
fn gzip_is_taken_where_it_is_named() {
    let takes = |value: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, axum::http::HeaderValue::from_static(value));
        takes_gzip(&headers)
    };
    for value in ["gzip", "gzip, deflate, br, zstd", "br;q=1, GZIP;q=0.5", "*", "identity, *;q=0.1"] {
        assert!(takes(value), "{value}");
    }
    for value in ["", "br", "gzip;q=0", "*, gzip;q=0", "gzip;q=no", "identity"] {
        assert!(!takes(value), "{value}");
    }
    assert!(!takes_gzip(&HeaderMap::new()));
}

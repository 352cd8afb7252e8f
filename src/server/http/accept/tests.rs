//! Tests of `accept`.

use super::*;

fn chosen(header: &str) -> Option<Format> {
    choose(Some(header)).map(|(_, format)| format)
}

#[test]
fn json_unless_something_else_is_asked_for() {
    assert_eq!(choose(None).map(|(_, format)| format), Some(Format::Json));
    for header in ["", "*/*", "application/*", "application/json", "text/html, */*;q=0.8", "Application/JSON ; q=1"] {
        assert_eq!(chosen(header), Some(Format::Json), "{header}");
    }
}

#[test]
fn the_best_quality_wins() {
    assert_eq!(chosen("text/csv"), Some(Format::Csv));
    assert_eq!(chosen("text/*"), Some(Format::Csv));
    assert_eq!(chosen("application/json;q=0.5, text/csv;q=0.9"), Some(Format::Csv));
    assert_eq!(chosen("application/json;q=0.5, text/csv;q=0.4"), Some(Format::Json));
    assert_eq!(chosen("*/*;q=0.1, application/vnd.apache.arrow.stream"), Some(Format::Arrow));
    assert_eq!(chosen("application/x-ndjson;q=0.001"), Some(Format::Ndjson));
    assert_eq!(choose(Some("application/jsonlines")), Some(("application/jsonlines", Format::Ndjson)));
}

#[test]
fn the_most_specific_range_decides() {
    assert_eq!(chosen("*/*, application/json;q=0"), Some(Format::Ndjson));
    assert_eq!(chosen("application/*;q=0, text/csv"), Some(Format::Csv));
    assert_eq!(chosen("application/*;q=0.2, application/x-ndjson;q=0.1, text/csv;q=0.15"), Some(Format::Json));
}

#[test]
fn what_cannot_be_given_is_not_chosen() {
    for header in
        ["text/html", "image/*", "application/json;q=0", "*/*;q=0", "nonsense", "application/json;q=x", "text/csv;q=2"]
    {
        assert_eq!(chosen(header), None, "{header}");
    }
}

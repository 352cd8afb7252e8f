//! Tests of `json`.

use super::*;

fn members(text: &str) -> WalkResult<Vec<(String, String)>> {
    let mut found = vec![];
    JsonWalker::new(text.as_bytes(), 0).members(|key, value| {
        found.push((unescape(key).into_owned(), super::text(value).into_owned()));
    })?;
    Ok(found)
}

#[test]
fn members_are_found_and_values_left_as_they_stand() {
    let found = members(r#" {"a" : -1.5e3, "b\"":"x\\\"y", "c":{"d":["}", 1]} , "e":null,} "#).expect("an object");
    let expected = [("a", "-1.5e3"), ("b\"", "x\\\"y"), ("c", r#"{"d":["}", 1]}"#), ("e", "null")];
    assert_eq!(found, expected.map(|(key, value)| (key.to_string(), value.to_string())));
    assert_eq!(members("{}"), Ok(vec![]));
}

#[test]
fn every_cut_is_short_and_every_fault_has_a_place() {
    let text = r#"{"a":{"b":[1,"\\"]},"c":"d\"","e":12}"#;
    for end in 0..text.len() {
        assert_eq!(members(&text[..end]), Err(JsonStop::Short), "{}", &text[..end]);
    }
    assert_eq!(members(r#"{"a" 1}"#), Err(JsonStop::Bad(5)));
    assert_eq!(members(r#"{"a":1 "b":2}"#), Err(JsonStop::Bad(7)));
    assert_eq!(members(r#"{a:1}"#), Err(JsonStop::Bad(1)));
    let deep = format!("{{\"a\":{}", "[".repeat(100_000));
    assert!(matches!(members(&deep), Err(JsonStop::Bad(_))));
}

#[test]
fn escapes_are_resolved() {
    assert_eq!(unescape(br"a\n\t\/\\\u00e9\ud83d\ude00\ud83dx\u12"), "a\n\t/\\é😀\u{fffd}x\u{fffd}12");
    assert_eq!(unescape(b"\xff"), "\u{fffd}");
    assert_eq!(unescape(b"\\"), "\\");
    let text: std::borrow::Cow<str> = text(b"12.50");
    assert_eq!(text, "12.50");
}

//! Tests of `references`.

use super::references;

fn texts(items: &[(&str, Option<&str>)]) -> Vec<(String, bool)> {
    references(items.iter().copied(), "c").into_iter().map(|found| (found.text, found.is_alias)).collect()
}

#[test]
fn what_is_alone_keeps_its_text() {
    let given = texts(&[("a", None), ("b", Some("x")), ("c", Some("c"))]);
    assert_eq!(given, [("a".into(), false), ("x".into(), true), ("c".into(), true)]);
}

#[test]
fn what_is_not_gets_an_alias() {
    let given = texts(&[("a", None), ("a", None), ("c0", Some("a")), ("0", None), ("d", Some("y")), ("e", Some("y"))]);
    let expected = ["c1", "c2", "c3", "c4", "c5", "c6"].map(|text| (text.to_string(), true));
    assert_eq!(given, expected);
}

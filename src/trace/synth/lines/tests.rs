//! Tests of `lines`.

use super::*;

#[test]
fn formats_as_the_standard_library_does() {
    let edges = [0, 9, 10, 99, 100, 101, 12_345, 999_999_999, 1_000_000_000, 1_000_000_001, u64::MAX];
    for value in edges {
        let mut text = Vec::new();
        let mut lines = TraceLines::new(&mut text);
        lines.number(value).text(" ").seconds(value).end().expect("memory takes all");
        lines.flush().expect("memory takes all");
        let expected = format!("{value} {}.{:09}\n", value / 1_000_000_000, value % 1_000_000_000);
        assert_eq!(String::from_utf8(text).expect("digits"), expected);
    }
}

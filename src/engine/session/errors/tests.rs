//! Tests of `errors`.

use super::*;

#[test]
fn carets_stand_below_the_place() {
    let at = |line, column| Location { line, column };
    let text = "SELECT 1,\n\tvaleu FROM x";
    let expected = "  |\n2 | \tvaleu FROM x\n  | \t^^^^^";
    assert_eq!(excerpt(text, Span::new(at(2, 2), at(2, 7))).as_deref(), Some(expected));
    // A place behind the last character, and one that does not exist.
    assert_eq!(excerpt("SELECT", Span::new(at(1, 7), at(1, 7))).as_deref(), Some("  |\n1 | SELECT\n  |       ^"));
    assert_eq!(excerpt("SELECT", Span::new(at(9, 1), at(9, 1))), None);
    assert_eq!(excerpt("", Span::new(at(0, 0), at(0, 0))), None);
}

#[test]
fn the_parser_tells_its_place_in_words() {
    let span = place_in("expected: x, found: y at Line: 12, Column: 34").expect("a place");
    assert_eq!((span.start.line, span.start.column), (12, 34));
    assert_eq!(strip_place("found: y at Line: 12, Column: 34"), "found: y");
    assert!(place_in("no place").is_none());
}

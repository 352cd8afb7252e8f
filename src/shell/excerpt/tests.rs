//! Tests of `excerpt`.

use ocellus_trace::error::{QueryErrorKind, TextPosition};

use super::*;

fn span(start: (u64, u64), end: (u64, u64)) -> TextSpan {
    let at = |(line, column)| TextPosition { line, column };
    TextSpan { start: at(start), end: at(end) }
}

#[test]
fn carets_stand_below_the_place() {
    let text = "SELECT 1,\n\tvaleu FROM x";
    let expected = "  |\n2 | \tvaleu FROM x\n  | \t^^^^^";
    assert_eq!(excerpt(text, span((2, 2), (2, 7))).as_deref(), Some(expected));
    // A place behind the last character, and one that does not exist.
    assert_eq!(excerpt("SELECT", span((1, 7), (1, 7))).as_deref(), Some("  |\n1 | SELECT\n  |       ^"));
    assert_eq!(excerpt("SELECT", span((9, 1), (9, 1))), None);
    assert_eq!(excerpt("", span((0, 0), (0, 0))), None);
}

#[test]
fn an_error_with_a_place_gets_an_excerpt_once() {
    let query = QueryError {
        kind: QueryErrorKind::UnknownColumn,
        message: "no column valeu".to_string(),
        span: Some(span((1, 8), (1, 13))),
        hint: Some("did you mean value?".to_string()),
    };
    let text = "SELECT valeu FROM states";
    let expected = "no column valeu; did you mean value?\n  |\n1 | SELECT valeu FROM states\n  |        ^^^^^";
    let error = with_excerpt(Error::Query(Box::new(query)), text);
    assert_eq!(error.to_string(), expected);
    assert_eq!(with_excerpt(error, text).to_string(), expected);
    assert_eq!(with_excerpt(Error::query("no place"), text).to_string(), "no place");
    assert_eq!(with_excerpt(Error::Cancelled, text).to_string(), "cancelled");
}

//! Tests of `error`.

use ocellus_trace::error::TextPosition;

use super::*;

#[test]
fn an_error_of_a_query_keeps_its_kind_its_place_and_its_hint() {
    let span = TextSpan { start: TextPosition { line: 1, column: 8 }, end: TextPosition { line: 1, column: 13 } };
    let query = QueryError {
        kind: QueryErrorKind::UnknownColumn,
        message: "no column valeu".to_string(),
        span: Some(span),
        hint: Some("did you mean value?".to_string()),
    };
    let error = ServerError::from(Error::Query(Box::new(query)));
    assert_eq!((error.kind.name(), error.sqlstate(), error.span), ("unknown_column", "42703", Some(span)));
    assert_eq!(error.message, "no column valeu");
    assert_eq!(error.to_string(), "no column valeu; did you mean value?");
    assert_eq!(error.without_span().span, None);
}

#[test]
fn other_errors_have_kinds_too() {
    let kind = |error: Error| ServerError::from(error).kind.name();
    assert_eq!(kind(Error::Usage("no trace x".to_string())), "invalid");
    assert_eq!(kind(Error::Cancelled), "cancelled");
    assert_eq!(kind(Error::Store("broken".to_string())), "internal");
    let refused = QueryError::new(QueryErrorKind::ReadOnly, "DDL not supported");
    assert_eq!(ServerError::from(refused), ServerError::read_only());
    assert_eq!(ServerError::of_parser(Error::query("too deep")).sqlstate(), "42601");
}

//! Tests of `errors`.

use ocellus_trace::error::TextSpan;

use super::*;

#[test]
fn errors_have_the_status_that_clients_act_on() {
    let status = |kind: ServerErrorKind| ErrorResponse::from(ServerError::new(kind, "x")).status.as_u16();
    let query = |kind: QueryErrorKind| status(kind.into());
    assert_eq!([QueryErrorKind::Syntax, QueryErrorKind::UnknownTable, QueryErrorKind::Invalid].map(query), [400; 3]);
    assert_eq!([QueryErrorKind::ReadOnly, QueryErrorKind::Internal].map(query), [403, 500]);
    assert_eq!([ServerErrorKind::TooManyRows, ServerErrorKind::Denied].map(status), [400, 401]);
    assert_eq!(
        [ServerErrorKind::Timeout, ServerErrorKind::Busy, ServerErrorKind::Stopping].map(status),
        [504, 503, 503]
    );
}

#[test]
fn the_body_holds_what_is_known_of_the_error() {
    let start = TextPosition { line: 2, column: 7 };
    let error = ServerError {
        span: Some(TextSpan { start, end: start }),
        hint: Some("did you mean value?".to_string()),
        ..ServerError::new(QueryErrorKind::UnknownColumn, "no column valeu")
    };
    let expected = json!({
        "code": "42703",
        "kind": "unknown_column",
        "message": "no column valeu",
        "line": 2,
        "column": 7,
        "hint": "did you mean value?",
    });
    assert_eq!(ErrorResponse::from(error).body(), expected);
    let expected = json!({ "code": "bad_request", "kind": "bad_request", "message": "no SQL" });
    assert_eq!(ErrorResponse::bad_request("no SQL").body(), expected);
}

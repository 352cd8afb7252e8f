//! Tests of `error`.

use ocellus_trace::error::{QueryErrorKind, TextPosition, TextSpan};

use super::*;

fn unknown_column(line: u64, column: u64) -> ServerError {
    let start = TextPosition { line, column };
    ServerError {
        span: Some(TextSpan { start, end: start }),
        hint: Some("did you mean c?".to_string()),
        ..ServerError::new(QueryErrorKind::UnknownColumn, "no column b")
    }
}

#[test]
fn a_place_in_the_text_becomes_a_position() {
    let error = PgError::located(unknown_column(2, 6), "SELECT 1\nFROM b");
    // Nine characters with the end of the line, five more before the sixth.
    assert_eq!((error.code, error.message.as_str(), error.position), ("42703", "no column b", Some(15)));
    assert_eq!(error.hint.as_deref(), Some("did you mean c?"));
    assert_eq!(error.clone().moved(4).position, Some(19));
    assert_eq!(error.unplaced().position, None);
    let elsewhere = PgError::located(unknown_column(3, 1), "SELECT 1");
    assert_eq!(elsewhere.position, None);
}

#[test]
fn an_error_of_an_unknown_text_has_no_position() {
    let error = PgError::from(unknown_column(1, 1));
    assert_eq!((error.position, error.hint.as_deref()), (None, Some("did you mean c?")));
}

#[test]
fn messages_carry_what_is_known() {
    let bytes = |error: &PgError| {
        let mut out = bytes::BytesMut::new();
        error.message(ErrorSeverity::Error).encode(&mut out).expect("a message");
        out.to_vec()
    };
    let mut error = PgError::new("42601", "a\0b");
    error.position = Some(7);
    assert_eq!(bytes(&error), b"E\0\0\0\x21SERROR\0VERROR\0C42601\0Mab\0P7\0\0");
    error.hint = Some("c?".to_string());
    assert_eq!(bytes(&error), b"E\0\0\0\x25SERROR\0VERROR\0C42601\0Mab\0Hc?\0P7\0\0");
}

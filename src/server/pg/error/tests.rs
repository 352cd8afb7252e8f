//! Tests of `error`.

use super::*;

#[test]
fn an_excerpt_becomes_a_position() {
    let message = "no column b\n  |\n2 | FROM b\n  |      ^".to_string();
    let error = PgError::located(ServerError::new(ServerErrorKind::NoColumn, message), "SELECT 1\nFROM b");
    // Nine characters with the end of the line, five more before the sixth.
    assert_eq!((error.code, error.message.as_str(), error.position), ("42703", "no column b", Some(15)));
    let plain = PgError::located(ServerError::new(ServerErrorKind::Query, "a | b\nc | d"), "SELECT 1");
    assert_eq!((plain.message.as_str(), plain.position), ("a | b\nc | d", None));
}

//! Tests of `backend`.

use super::*;

#[test]
fn messages_carry_their_length() {
    let mut out = Outgoing::default();
    out.ready(Transaction::Open);
    out.complete("SELECT 1");
    assert_eq!(&out.0[..], b"Z\0\0\0\x05TC\0\0\0\x0dSELECT 1\0");
    let mut out = Outgoing::default();
    let mut error = PgError::new("42601", "a\0b");
    error.position = Some(7);
    out.error(ErrorSeverity::Error, &error);
    assert_eq!(&out.0[..], b"E\0\0\0\x21SERROR\0VERROR\0C42601\0Mab\0P7\0\0");
    let mut out = Outgoing::default();
    error.hint = Some("c?".to_string());
    out.error(ErrorSeverity::Error, &error);
    assert_eq!(&out.0[..], b"E\0\0\0\x25SERROR\0VERROR\0C42601\0Mab\0Hc?\0P7\0\0");
}

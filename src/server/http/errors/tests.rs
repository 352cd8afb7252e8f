//! Tests of `errors`.

use super::*;

#[test]
fn failures_have_the_status_that_clients_act_on() {
    let status = |kind| ErrorResponse::from(ServerError::new(kind, "x")).status.as_u16();
    assert_eq!(
        [ServerErrorKind::Syntax, ServerErrorKind::NoTable, ServerErrorKind::Query, ServerErrorKind::TooManyRows]
            .map(status),
        [400; 4]
    );
    assert_eq!([ServerErrorKind::Denied, ServerErrorKind::ReadOnly].map(status), [401, 403]);
    assert_eq!(
        [ServerErrorKind::Timeout, ServerErrorKind::Busy, ServerErrorKind::Stopping, ServerErrorKind::Internal]
            .map(status),
        [504, 503, 503, 500]
    );
}

//! Tests of `failures`.

use super::*;

#[test]
fn failures_have_the_status_that_clients_act_on() {
    let status = |kind| Refusal::from(Failure::new(kind, "x")).status.as_u16();
    assert_eq!([Kind::Syntax, Kind::NoTable, Kind::Query, Kind::TooManyRows].map(status), [400; 4]);
    assert_eq!([Kind::Denied, Kind::ReadOnly].map(status), [401, 403]);
    assert_eq!([Kind::Timeout, Kind::Busy, Kind::Stopping, Kind::Internal].map(status), [504, 503, 503, 500]);
}

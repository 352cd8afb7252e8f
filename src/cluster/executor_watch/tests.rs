//! Tests of `executor_watch`.

use super::*;

#[test]
fn only_calls_that_need_an_executor_are_refused_without_one() {
    let needs = || {
        let mut call = Request::new(());
        call.metadata_mut().insert(QUESTION, MetadataValue::from_static("1"));
        call
    };
    assert!(require_executor(needs(), || true).is_ok());
    assert!(require_executor(Request::new(()), || false).is_ok());
    let refused = require_executor(needs(), || false).expect_err("there is none");
    assert_eq!(refused.code(), NO_EXECUTOR);
}

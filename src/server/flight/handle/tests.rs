//! Tests of `handle`.

use super::*;

#[test]
fn a_handle_comes_back_as_it_went() {
    let handle = Handle::new("SELECT ?".to_string(), Some("lu".to_string())).expect("random numbers");
    assert_eq!(Handle::read(&handle.write()).expect("a handle"), handle);
    assert!(handle.text().is_err(), "its parameter has no value");
    let bound = Handle { bound: Some("SELECT 1".to_string()), ..handle.clone() };
    assert_eq!(bound.text().expect("bound"), "SELECT 1");
    let again = bound.again().expect("random numbers");
    assert!(again.id != bound.id && again.bound == bound.bound && again.trace == bound.trace);
    assert!(Handle::read(b"\xff\xff").is_err());
}

//! Tests of `panics`.

use std::panic::catch_unwind;

use super::*;

#[test]
fn a_panic_is_no_value_and_other_panics_go_on() {
    assert_eq!(unless_panic(|| 7), Some(7));
    assert_eq!(unless_panic(|| -> u8 { panic!("said to nobody") }), None);
    assert_eq!(unless_panic(|| unless_panic(|| -> u8 { panic!("nor this") })), Some(None));
    assert!(!IS_QUIET.get());
    assert!(catch_unwind(|| panic!("said in the output of this test")).is_err());
}

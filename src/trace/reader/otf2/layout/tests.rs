//! Tests of `layout`.

use super::*;

#[test]
fn records_stand_at_their_numbers() {
    for code in 0..=u8::MAX {
        match of(code) {
            Some(layout) => assert!(layout.code == code && layout.fields.len() <= MOST_FIELDS),
            None => assert!(!(FIRST..=88).contains(&code)),
        }
    }
}

//! Tests of `packed`.

use super::*;
use proptest::prelude::*;

#[test]
fn words_of_different_texts_differ() {
    assert_ne!(short_word_of(b"ph"), short_word_of(b"ph\0"));
    assert_eq!(short_word(u64::from_le_bytes(*b"name\":12"), 4), short_word_of(b"name"));
    assert_eq!(short_word(u64::from_le_bytes(*b"bind_id\""), 7), short_word_of(b"bind_id"));
    assert_eq!(short_word(u64::from_le_bytes(*b"\"\":\"\":\"\""), 0), short_word_of(b""));
}

#[test]
fn brackets_are_marked() {
    assert_eq!(before_mark(marks_of_openings(u64::from_le_bytes(*b"ab;\x1b[{x}"))), 4);
    assert_eq!(before_mark(marks_of_closings(u64::from_le_bytes(*b"ab=\x1d([{}"))), 7);
    assert_eq!(before_mark(marks_of_closings(u64::from_le_bytes(*b"abcdefgh"))), 8);
}

proptest! {
    #[test]
    fn marks_and_digits_agree_with_a_look_at_each_byte(bytes in prop::array::uniform8(any::<u8>()), byte: u8) {
        let eight = u64::from_le_bytes(bytes);
        let place = bytes.iter().position(|other| *other == byte).unwrap_or(8);
        prop_assert_eq!(before_mark(marks_of(eight, byte)), place);
        let count = bytes.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(8);
        prop_assert_eq!(leading_digits(eight).0, count);
    }

    #[test]
    fn numbers_agree_with_the_library(number in 0_u64..100_000_000, rest in "[a-z.,/:]{8}") {
        let text = format!("{number}{rest}");
        let eight = eight_at(text.as_bytes(), 0).expect("eight bytes");
        prop_assert_eq!(leading_digits(eight), (number.to_string().len(), number));
    }
}

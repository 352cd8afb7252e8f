//! Tests of `word_table`.

use super::*;
use proptest::prelude::*;

proptest! {
    /// Texts of one length with the same ends share a place of the cache.
    #[test]
    fn numbers_are_those_of_a_list(texts in prop::collection::vec("[ab]{0,3}|aaaaaaaa[ab]{0,3}bbbbbbbb", 0..60)) {
        let mut words = WordTable::default();
        let mut list: Vec<String> = vec![];
        for text in texts {
            let expected = list.iter().position(|known| *known == text).unwrap_or(list.len());
            if expected == list.len() {
                list.push(text.clone());
            }
            prop_assert_eq!(words.number(text.as_bytes()) as usize, expected);
            prop_assert_eq!(words.text(expected as u32), text.as_bytes());
            prop_assert_eq!(words.len(), list.len());
        }
    }
}

#[test]
fn numbers_start_anew_after_a_clear() {
    let mut words = WordTable::default();
    assert_eq!((words.number(b"one"), words.number(b""), words.number(b"one")), (0, 1, 0));
    words.clear();
    assert!(words.is_empty());
    assert_eq!((words.number(b""), words.number(b"one"), words.size()), (0, 1, 3));
}

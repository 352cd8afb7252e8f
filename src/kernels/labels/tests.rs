//! Tests of `labels`.

use std::sync::Arc;

use arrow::array::{Int32Array, StringArray};
use proptest::prelude::*;

use super::*;

/// The view of a text as columnar formats write it, at a place of a buffer.
fn view(text: Option<&str>, place: u32) -> u128 {
    let Some(text) = text else { return NO_VIEW };
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
    if text.len() <= INLINE as usize {
        bytes[4..4 + text.len()].copy_from_slice(text.as_bytes());
    } else {
        bytes[4..8].copy_from_slice(&text.as_bytes()[..4]);
        bytes[12..].copy_from_slice(&place.to_le_bytes());
    }
    u128::from_le_bytes(bytes)
}

fn texts() -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        Just(None),
        Just(Some(String::new())),
        (0..400_u32).prop_map(|number| Some(number.to_string())),
        (0..5_u32).prop_map(|number| Some(format!("a text that is longer than a view: {number}"))),
    ]
}

/// The texts of two columns.
type Pair = (Option<String>, Option<String>);

proptest! {
    #[test]
    fn combinations_are_numbered_as_a_list_of_them_would(
        batches in prop::collection::vec(prop::collection::vec((texts(), texts()), 0..300), 0..6),
    ) {
        let mut columns = [LabelTable::default(), LabelTable::default()];
        let mut seen: Vec<Pair> = vec![];
        for batch in &batches {
            // Long texts lie in one buffer per batch: places repeat from batch to batch.
            let views = |pick: fn(&Pair) -> &Option<String>| {
                let view = |(row, pair)| view(pick(pair).as_deref(), row as u32);
                batch.iter().enumerate().map(view).collect::<Vec<u128>>()
            };
            let mut numbers = vec![0; batch.len()];
            columns[0].combine(&mut numbers, &views(|pair| &pair.0), |row| batch[row].0.as_deref());
            columns[1].combine(&mut numbers, &views(|pair| &pair.1), |row| batch[row].1.as_deref());
            for (pair, number) in batch.iter().zip(numbers) {
                let expected = seen.iter().position(|known| known == pair).unwrap_or_else(|| {
                    seen.push(pair.clone());
                    seen.len() - 1
                });
                prop_assert_eq!(number as usize, expected);
                let (first, second) = columns[1].label(number);
                prop_assert_eq!((columns[0].label(first).1, second), (pair.0.as_deref(), pair.1.as_deref()));
            }
        }
        prop_assert_eq!(columns[1].count(), seen.len());
    }
}

fn codes(texts: impl Iterator<Item = Option<String>>, words: &[Option<String>]) -> DictionaryArray<Int32Type> {
    let place = |text: String| words.iter().position(|word| word.as_ref() == Some(&text)).map(|place| place as i32);
    let keys: Int32Array = texts.map(|text| text.and_then(place)).collect();
    DictionaryArray::new(
        keys,
        Arc::new(words.iter().map(|word| word.as_deref().or(Some("unused"))).collect::<StringArray>()),
    )
}

proptest! {
    #[test]
    fn codes_give_the_numbers_of_their_texts(
        batches in prop::collection::vec(prop::collection::vec((texts(), texts()), 0..300), 0..6),
        is_nullable: bool,
    ) {
        let mut by_views = [LabelTable::default(), LabelTable::default()];
        let mut by_codes = [LabelTable::default(), LabelTable::default()];
        for mut batch in batches {
            batch.retain(|(one, other)| is_nullable || one.is_some() && other.is_some());
            let (mut expected, mut given) = (vec![0; batch.len()], vec![0; batch.len()]);
            let mut count = 1;
            for column in 0..2 {
                let own = || batch.iter().map(|pair| if column == 0 { pair.0.clone() } else { pair.1.clone() });
                let mut words: Vec<Option<String>> = own().collect();
                words.sort();
                words.dedup();
                let views: StringViewArray = own().collect();
                by_views[column].combine_texts(&mut expected, &views);
                by_codes[column].combine_column(&mut given, count, &codes(own(), &words));
                count = by_codes[column].count();
            }
            prop_assert_eq!(&given, &expected);
        }
        for column in 0..2 {
            prop_assert_eq!(by_codes[column].texts(), by_views[column].texts());
        }
    }
}

#[test]
fn texts_get_numbers_and_ranks() {
    let mut labels = LabelTable::default();
    let long = "a text that is longer than a view holds";
    let column = StringViewArray::from(vec![Some("b"), Some(long), Some("b"), Some(""), None, Some(long), Some("c")]);
    assert_eq!(labels.numbers(&column), [0, 1, 0, 2, 3, 1, 4]);
    assert_eq!(labels.ranks(), [3, 2, 1, 0, 4]);
    assert_eq!(labels.texts().iter().collect::<Vec<_>>(), [Some("b"), Some(long), Some(""), None, Some("c")]);
}

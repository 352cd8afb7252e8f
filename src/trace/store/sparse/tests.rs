//! Tests of `sparse`.

use super::*;
use crate::model::SharedText;

fn sparse(values: &[(u32, OwnedData)]) -> Sparse {
    let mut sparse = Sparse::default();
    values.iter().for_each(|(row, data)| sparse.push(*row, data));
    sparse
}

fn text(text: &str) -> OwnedData {
    OwnedData::Text(SharedText::new(text))
}

#[test]
fn numbers_are_those_of_the_column() {
    let values = [(0, OwnedData::Int(-3)), (2, OwnedData::Double(2.5)), (3, OwnedData::UInt(7)), (4, text("11"))];
    let (sparse, mut by_row) = (sparse(&values), ValuesByRow::default());
    let (mut present, mut numbers) = (vec![], vec![]);
    let order = [4, 3, 2, 1, 0];
    sparse.numbers(5, NumberEncoding::Float, &mut by_row);
    by_row.in_order(&order, &mut present, &mut numbers, f64::from_bits);
    assert_eq!(present, [true, true, true, false, true]);
    assert_eq!(numbers, [11.0, 7.0, 2.5, -3.0]);
    let mut whole = vec![];
    sparse.numbers(5, NumberEncoding::Signed, &mut by_row);
    by_row.in_order(&order, &mut present, &mut whole, |bits| bits as i64);
    assert_eq!(whole, [11, 7, 2, -3]);
}

#[test]
fn texts_are_kept_once_and_numbers_become_texts() {
    let values =
        [(0, text("b")), (1, text("a")), (2, text("b")), (3, OwnedData::UInt(255)), (5, OwnedData::Double(0.5))];
    let (mut sparse, mut by_row) = (sparse(&values), ValuesByRow::default());
    sparse.text_codes(6, &mut by_row);
    let (mut present, mut codes) = (vec![], vec![]);
    by_row.in_order(&[0, 1, 2, 3, 4, 5], &mut present, &mut codes, |bits| bits as u32);
    let texts: Vec<_> = codes.iter().map(|code| sparse.text(*code).into_owned()).collect();
    assert_eq!(texts, ["b", "a", "b", "0xff", "0.5"]);
    assert_eq!((codes[0], sparse.texts.len()), (codes[2], 4));
    sparse.clear();
    assert!(sparse.texts.is_empty());
}

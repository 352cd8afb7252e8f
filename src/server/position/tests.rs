//! Tests of `position`.

use super::*;

#[test]
fn lines_and_columns_become_bytes() {
    let text = "é = 1\n\n数 ?";
    let mut position = Position::new(text);
    let mut byte = |line, column| position.advance(Location::new(line, column));
    assert_eq!([byte(1, 1), byte(1, 2), byte(1, 5)], [0, 2, 5]);
    assert_eq!([byte(2, 1), byte(3, 1), byte(3, 2), byte(3, 3)], [7, 8, 11, 12]);
    // Backwards, and beyond the end.
    assert_eq!([byte(1, 1), byte(9, 9), byte(9, 9)], [12, 13, 13]);
    assert_eq!(Position::new("").advance(Location::new(1, 1)), 0);
}

#[test]
fn lines_and_columns_become_characters() {
    let text = "é = 1\r\n\n数 ?";
    let character = |line, column| character_of(text, TextPosition { line, column });
    assert_eq!([character(1, 1), character(1, 5), character(2, 1)], [Some(1), Some(5), Some(8)]);
    assert_eq!([character(3, 3), character(4, 1), character(0, 1)], [Some(11), None, None]);
}

//! Varints, kinds of fields, and what is no message.

use super::*;
use proptest::prelude::*;

#[test]
fn fields_of_every_kind() {
    // 1: varint 300; 2: eight bytes; 3: "ab"; 4: four bytes.
    let bytes = [0x08, 0xac, 0x02, 0x11, 1, 0, 0, 0, 0, 0, 0, 0, 0x1a, 2, b'a', b'b', 0x25, 7, 0, 0, 0];
    let fields: Vec<_> = WireFields::new(&bytes).collect();
    let expected = [
        Ok((1, WireValue::Varint(300))),
        Ok((2, WireValue::Fixed64(1))),
        Ok((3, WireValue::Bytes(b"ab"))),
        Ok((4, WireValue::Fixed32(7))),
    ];
    assert_eq!(fields, expected);
}

#[test]
fn what_is_cut_is_no_message() {
    for bytes in [&[0x08][..], &[0x08, 0x80], &[0x1a, 5, b'a'], &[0x11, 1], &[0x0b], &[0x00, 0x00]] {
        assert_eq!(WireFields::new(bytes).last(), Some(Err(BadMessage)), "{bytes:?}");
    }
}

#[test]
fn numbers_of_repeated_fields() {
    let mut numbers = vec![];
    WireValue::Bytes(&[1, 0x80, 1, 3]).add_varints(&mut numbers).expect("whole");
    WireValue::Varint(9).add_varints(&mut numbers).expect("one");
    assert_eq!(numbers, [1, 128, 3, 9]);
    assert_eq!(WireValue::Bytes(&[0x80]).add_varints(&mut numbers), Err(BadMessage));
    let mut fixed = vec![];
    WireValue::Bytes(&[2, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]).add_fixed64(&mut fixed);
    assert_eq!(fixed, [2, 3]);
}

proptest! {
    /// Numbers of every length, whole and cut, with anything behind them.
    #[test]
    fn numbers_are_those_that_come_byte_by_byte(
        start in prop::collection::vec(0x80..=0xff_u8, 0..12),
        rest in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let bytes = [start, rest].concat();
        let (mut quick, mut slow) = (&bytes[..], &bytes[..]);
        prop_assert_eq!(varint(&mut quick), longest_varint(&mut slow));
        prop_assert_eq!(quick, slow);
    }
}

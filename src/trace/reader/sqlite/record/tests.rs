//! Varints and values.

use super::*;

#[test]
fn varints_have_up_to_nine_bytes() {
    for (bytes, number) in [(&[0x7f][..], 127), (&[0x81, 0x00], 128), (&[0xff; 9], u64::MAX)] {
        let mut rest = bytes;
        assert_eq!((varint(&mut rest), rest), (Some(number), &[][..]));
    }
    assert_eq!(varint(&mut &[0x81][..]), None);
}

#[test]
fn values_of_every_type() {
    // NULL, -2 in one byte, 258 in two, 1.5, 0, 1, "ab", and the blob 07.
    let types = [0, 1, 2, 7, 8, 9, 17, 14];
    let mut record = vec![types.len() as u8 + 1];
    record.extend(types);
    record.extend([0xfe, 1, 2]);
    record.extend(1.5_f64.to_be_bytes());
    record.extend(b"ab\x07");
    let expected = [
        TableValue::Null,
        TableValue::Int(-2),
        TableValue::Int(258),
        TableValue::Real(1.5),
        TableValue::Int(0),
        TableValue::Int(1),
        TableValue::Text("ab".to_string()),
        TableValue::Blob(vec![7]),
    ];
    assert_eq!(values(&record).as_deref(), Some(&expected[..]));
    record.pop();
    assert_eq!(values(&record), None, "cut");
}

//! Tests of `bytes`.

use super::*;

#[test]
fn numbers_are_read_in_both_orders() {
    let bytes = [0, 0xff, 2, 0x12, 0x34, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0xab];
    let mut big = RecordBytes::new(&bytes, ByteOrder::Big);
    assert_eq!(big.u32(), Ok(0));
    assert_eq!(big.u32(), Ok(u32::MAX));
    assert_eq!(big.u32(), Ok(0x1234));
    assert_eq!(big.u64(), Ok(0x0102_0304_0506_0708));
    assert_eq!((big.u8(), big.u8()), (Ok(0xab), Err(Malformed)));
    let mut little = RecordBytes::new(&bytes[2..], ByteOrder::Little);
    assert_eq!(little.u32(), Ok(0x3412));
    assert_eq!(little.u64(), Ok(0x0807_0605_0403_0201));
}

#[test]
fn what_does_not_fit_is_malformed() {
    assert_eq!(RecordBytes::new(&[5, 1, 2, 3, 4, 5], ByteOrder::Little).u32(), Err(Malformed));
    assert_eq!(RecordBytes::new(&[9, 0, 0, 0, 0, 0, 0, 0, 0, 0], ByteOrder::Little).u64(), Err(Malformed));
    assert_eq!(RecordBytes::new(&[4, 1, 2, 3], ByteOrder::Little).u32(), Err(Malformed));
    assert_eq!(RecordBytes::new(b"no end", ByteOrder::Little).text(), Err(Malformed));
    assert_eq!(RecordBytes::new(b"an end\0", ByteOrder::Little).text().as_deref(), Ok("an end"));
    assert_eq!(RecordBytes::new(&[1; 4], ByteOrder::Big).list(u64::MAX, RecordBytes::u8), Err(Malformed));
}

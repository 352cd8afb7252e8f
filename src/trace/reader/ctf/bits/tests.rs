//! Numbers at any bit, against a slow twin that takes bit by bit.

use proptest::prelude::*;

use super::*;

/// The bits of a number one by one.
fn slow(bytes: &[u8], at: u64, bits: u32, order: BytesOrder) -> u64 {
    let bit = |place: u64| {
        let byte = bytes[(place / 8) as usize];
        match order {
            BytesOrder::Little => u64::from(byte >> (place % 8) & 1),
            BytesOrder::Big => u64::from(byte >> (7 - place % 8) & 1),
        }
    };
    (0..u64::from(bits)).fold(0, |number, place| match order {
        BytesOrder::Little => number | bit(at + place) << place,
        BytesOrder::Big => number << 1 | bit(at + place),
    })
}

proptest! {
    #[test]
    fn numbers_are_those_of_single_bits(bytes in prop::collection::vec(any::<u8>(), 24), at in 0..100_u64, bits in 1..=64_u32) {
        for order in [BytesOrder::Little, BytesOrder::Big] {
            let found = BitReader::new(&bytes, at, u64::MAX).number(bits, order);
            prop_assert_eq!(found, Ok(slow(&bytes, at, bits, order)));
        }
    }
}

#[test]
fn nothing_lies_beyond_the_end() {
    let bytes = [0xff; 4];
    let mut bits = BitReader::new(&bytes, 0, 20);
    assert_eq!(bits.number(16, BytesOrder::Big), Ok(0xffff));
    assert_eq!(bits.number(5, BytesOrder::Big), Err(BeyondEnd));
    assert_eq!(bits.bytes(u64::MAX), Err(BeyondEnd));
    assert_eq!(bits.text(), Err(BeyondEnd), "no zero byte");
    assert_eq!(bits.variable(), Err(BeyondEnd));
}

#[test]
fn numbers_in_base_128() {
    let mut bits = BitReader::new(&[0xe5, 0x8e, 0x26, 0x7f], 0, u64::MAX);
    assert_eq!(bits.variable(), Ok((624_485, 21)));
    assert_eq!(bits.variable(), Ok((127, 7)));
    assert_eq!((signed(127, 7), signed(63, 7), signed(u64::MAX, 64)), (-1, 63, -1));
}

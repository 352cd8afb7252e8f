//! What is packed comes out again, however large.

use proptest::prelude::*;

use super::*;

fn small_or_any() -> impl Strategy<Value = i64> {
    prop_oneof![-3_i64..3, any::<i64>(), Just(i64::MIN), Just(i64::MAX), Just(i64::from(u32::MAX))]
}

fn length() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 0_usize..4, 1 => Just(65_534), 1 => Just(65_535), 1 => Just(65_536)]
}

proptest! {
    #[test]
    fn records_come_out_as_they_were(
        (start, end) in (small_or_any(), small_or_any()),
        byte in prop_oneof![0_u64..9, Just((1 << 48) - 1), Just(1 << 48), Just(u64::MAX)],
        (thread, name, category) in any::<(u32, u32, u32)>(),
        (phase, mode) in any::<(u8, u8)>(),
        (id_len, arguments_len) in (length(), length()),
    ) {
        let (id, arguments) = (vec![b'i'; id_len], vec![b'a'; arguments_len]);
        let record =
            ChromeRecord { start, end, byte, thread, name, category, phase, mode, id: &id, arguments: &arguments };
        let mut bytes = vec![];
        RecordHead::push(&record, &mut bytes);
        let head = RecordHead::of(&bytes).expect("a head");
        prop_assert_eq!(bytes.len(), FIXED + head.text_len());
        prop_assert_eq!(head.start(), start);
        // What follows is another record.
        bytes.extend_from_slice(b"more");
        prop_assert_eq!(head.record(&bytes[FIXED..]), record);
    }
}

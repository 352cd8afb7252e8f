//! Tests of `record`.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn records_come_out_by_time_and_whole(times in prop::collection::vec(-4_i64..4, 0..60), limit in 0_usize..8000) {
        let mut sorter = RecordSorter::new(limit);
        let (ids, arguments) = ([b'i'; 3], [b'a'; 5]);
        let mut expected = vec![];
        for (place, start) in times.into_iter().enumerate() {
            let record = ChromeRecord {
                start,
                end: start + 1,
                byte: place as u64,
                name: 7,
                phase: b'X',
                id: &ids[..place % 3],
                arguments: &arguments[..place % 5],
                ..ChromeRecord::default()
            };
            sorter.push(&record).expect("pushed");
            expected.push(record);
        }
        expected.sort_by_key(|record| record.start);
        let mut found = 0;
        let merged = sorter.sorted().expect("sorted").each_group(3, |group| {
            assert!((1..=3).contains(&group.len()));
            for place in 0..group.len() {
                assert_eq!(group.record(place), expected[found]);
                assert_eq!(group.record(place).start, group.record(0).start);
                found += 1;
            }
            Ok(ReadFlow::GoOn)
        });
        merged.expect("groups");
        prop_assert_eq!(found, expected.len());
    }
}

/// More records than are merged at once, in one run and in several, beside whoever takes them, who may stop.
#[test]
fn many_records_are_merged_ahead() {
    let count = 10 * AHEAD as i64;
    for (limit, until) in [(1 << 12, i64::MAX), (1 << 12, 3), (1 << 18, 5 * AHEAD as i64), (1 << 24, i64::MAX)] {
        let mut sorter = RecordSorter::new(limit);
        // Each time comes twice.
        for number in 0..count {
            let start = number * 7919 % (count / 2);
            sorter
                .push(&ChromeRecord { start, end: start, byte: number as u64, ..Default::default() })
                .expect("pushed");
        }
        let mut next = 0;
        let merged = sorter.sorted().expect("sorted").each_group(3, |group| {
            assert_eq!((group.len(), group.record(0).start), (2, next));
            assert!(group.record(0).byte < group.record(1).byte);
            next += 1;
            Ok(if next == until { ReadFlow::Stop } else { ReadFlow::GoOn })
        });
        merged.expect("merged");
        assert_eq!(next, until.min(count / 2), "limit {limit}");
    }
}

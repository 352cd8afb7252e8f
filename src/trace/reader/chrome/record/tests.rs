//! Tests of `record`.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn records_come_out_by_time_and_whole(times in prop::collection::vec(-4_i64..4, 0..60), limit in 0_usize..4000) {
        let mut sorter = RecordSorter::new(limit);
        let mut expected = vec![];
        for (place, start) in times.into_iter().enumerate() {
            let record = ChromeRecord {
                start,
                end: start + 1,
                byte: place as u64,
                name: 7,
                phase: b'X',
                id: vec![b'i'; place % 3],
                arguments: vec![b'a'; place % 5],
                ..ChromeRecord::default()
            };
            sorter.push(&record).expect("pushed");
            expected.push(record);
        }
        expected.sort_by_key(|record| record.start);
        let (mut found, mut group) = (vec![], vec![]);
        let mut sorted = sorter.sorted().expect("sorted");
        while sorted.time().is_some() {
            sorted.group(&mut group, 3).expect("a group");
            prop_assert!(group.iter().all(|record| record.start == group[0].start) && group.len() <= 3);
            found.append(&mut group);
        }
        prop_assert_eq!(found, expected);
    }
}

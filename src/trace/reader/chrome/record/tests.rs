//! Tests of `record`.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn records_come_out_by_time_and_whole(times in prop::collection::vec(-4_i64..4, 0..60), limit in 0_usize..4000) {
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
        let (mut found, mut group) = (0, RecordGroup::default());
        let mut sorted = sorter.sorted().expect("sorted");
        while let Some(time) = sorted.time() {
            sorted.group(&mut group, 3).expect("a group");
            prop_assert!((1..=3).contains(&group.len()));
            for place in 0..group.len() {
                prop_assert_eq!(group.record(place), expected[found]);
                prop_assert_eq!(group.record(place).start, time);
                found += 1;
            }
        }
        prop_assert_eq!(found, expected.len());
    }

    /// Words and pairs are sorted alike, also where times do not fit into words.
    #[test]
    fn places_are_sorted_by_time(
        times in prop::collection::vec(prop_oneof![-5_i64..5, any::<i64>(), Just(i64::MIN), Just(i64::MAX)], 0..40),
        is_narrow: bool,
    ) {
        let narrow = |time: i64| if is_narrow { time % 1000 } else { time };
        let times: Vec<i64> = times.into_iter().map(narrow).collect();
        let places: Vec<u32> = (0..times.len() as u32).map(|number| number * 50).collect();
        let time = |place: u32| times[place as usize / 50];
        let mut expected = places.clone();
        expected.sort_by_key(|place| time(*place));
        prop_assert_eq!(&sorted_places(places.clone(), time), &expected);
        prop_assert_eq!(places_of_pairs(&places, time), expected);
    }
}

//! Tests of `record_run`.

use super::*;
use proptest::prelude::*;

proptest! {
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

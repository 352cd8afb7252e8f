//! Tests of `merge`.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn merging_is_sorting(mut streams in prop::collection::vec(prop::collection::vec(-5_i64..5, 0..8), 0..6)) {
        streams.iter_mut().for_each(|stream| stream.sort_unstable());
        let mut expected: Vec<(i64, usize)> = streams
            .iter()
            .enumerate()
            .flat_map(|(index, stream)| stream.iter().map(move |time| (*time, index)))
            .collect();
        expected.sort_unstable();
        let sources = streams.into_iter().map(|stream| stream.into_iter().map(Ok)).collect();
        let mut merge = StreamMerge::new(sources, |time: &i64| *time).expect("streams");
        let mut merged = vec![];
        while let Some((index, time)) = merge.next().expect("an item") {
            merged.push((time, index));
        }
        prop_assert_eq!(merged, expected);
    }
}

//! Tests of `merge`.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn merging_is_sorting(mut streams in prop::collection::vec(prop::collection::vec(-5_i64..5, 0..8), 0..10)) {
        streams.iter_mut().for_each(|stream| stream.sort_unstable());
        let mut expected: Vec<(i64, usize)> = streams
            .iter()
            .enumerate()
            .flat_map(|(index, stream)| stream.iter().map(move |time| (*time, index)))
            .collect();
        expected.sort_unstable();
        let held = streams.iter().map(|stream| HeldItems { times: stream.clone().into_iter(), time: None }).collect();
        let sources = streams.into_iter().map(|stream| stream.into_iter().map(Ok)).collect();
        let mut merge = StreamMerge::new(sources, |time: &i64| *time).expect("streams");
        let mut merged = vec![];
        while let Some((index, time)) = merge.next().expect("an item") {
            merged.push((time, index));
        }
        prop_assert_eq!(&merged, &expected);

        let mut merge = ItemMerge::new(held).expect("streams");
        let mut merged = vec![];
        while let Some((index, stream)) = merge.first() {
            merged.push((stream.time.expect("an item"), index));
            merge.advance().expect("the next item");
        }
        prop_assert_eq!(merged, expected);
    }
}

/// Times, the one at hand apart.
struct HeldItems {
    times: std::vec::IntoIter<i64>,
    time: Option<i64>,
}

impl ItemStream for HeldItems {
    fn advance(&mut self) -> Result<Option<i64>> {
        self.time = self.times.next();
        Ok(self.time)
    }
}

#[test]
fn the_smallest_and_the_largest_times_keep_their_order() {
    let mut order = Tournament::new(&[Some(i64::MAX), Some(i64::MIN), None]);
    assert_eq!(order.first(), Some(1));
    order.replace_first(Some(i64::MAX));
    assert_eq!(order.first(), Some(0), "of equal times the first");
    order.replace_first(None);
    assert_eq!(order.first(), Some(1));
    order.replace_first(None);
    assert_eq!(order.first(), None);
    assert_eq!(Tournament::new(&[]).first(), None);
}

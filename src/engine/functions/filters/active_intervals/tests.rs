//! Tests of `active_intervals`.

use proptest::prelude::*;

use super::*;
use crate::functions::plans::accumulators::testing::GroupedRows;

fn make() -> Box<dyn GroupsAccumulator> {
    Box::new(StaysOfGroups::default())
}

proptest! {
    #[test]
    fn any_split_gives_the_same(
        rows in prop::collection::vec((0_usize..4, prop::option::weighted(0.9, 0_i64..3), 0_i64..30, 0_i64..9), 0..60),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
        first in 0_usize..5,
    ) {
        let column = |values: Vec<Option<i64>>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let rows = GroupedRows {
            columns: vec![
                column(rows.iter().map(|row| row.1).collect()),
                column(rows.iter().map(|row| Some(row.2)).collect()),
                column(rows.iter().map(|row| Some(row.2 + row.3)).collect()),
            ],
            groups: rows.iter().map(|row| row.0).collect(),
            group_count: 4,
        };
        prop_assert_eq!(&rows.at_once(&make), &rows.in_parts(&make, &cuts, first));
    }
}

#[test]
fn memory_is_counted() {
    let mut accumulator = StaysOfGroups::default();
    let before = accumulator.size();
    let times: ArrayRef = Arc::new(Int64Array::from_iter_values((0..1000).map(|row| 2 * row)));
    let ends: ArrayRef = Arc::new(Int64Array::from_iter_values((0..1000).map(|row| 2 * row + 1)));
    accumulator.update_batch(&[Arc::clone(&times), times, ends], &vec![0; 1000], None, 1).expect("rows");
    assert!(accumulator.size() >= before + 1000 * size_of::<Stay>());
    accumulator.evaluate(EmitTo::All).expect("a result");
    assert_eq!(accumulator.bytes, 0);
}

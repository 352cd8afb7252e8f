//! Tests of `aggregate`.

use super::*;
use crate::functions::plans::accumulators::testing::GroupedRows;
use proptest::prelude::*;

type Row = (usize, bool, Option<f64>, Option<f64>);

fn rows(rows: &[Row]) -> GroupedRows {
    let is_right: BooleanArray = rows.iter().map(|row| Some(row.1)).collect();
    let start: Float64Array = rows.iter().map(|row| row.2).collect();
    let end: Float64Array = rows.iter().map(|row| row.3).collect();
    GroupedRows {
        columns: vec![Arc::new(is_right), Arc::new(start), Arc::new(end)],
        groups: rows.iter().map(|row| row.0).collect(),
        group_count: 4,
    }
}

proptest! {
    #[test]
    fn any_split_gives_the_same(
        input in prop::collection::vec(
            (0..4_usize, any::<bool>(), prop::option::of(0.0..9.0_f64), prop::option::of(0.0..9.0_f64)), 0..200),
        cuts in prop::collection::vec(any::<usize>(), 0..9), first in 0..5_usize
    ) {
        let rows = rows(&input);
        let make = || Box::new(UnionGroups::default()) as Box<dyn GroupsAccumulator>;
        prop_assert_eq!(&rows.in_parts(&make, &cuts, first), &rows.at_once(&make));
    }
}

#[test]
fn memory_is_given_back() {
    let mut groups = UnionGroups::default();
    let row = |number: u32| {
        (number as usize % 4, number.is_multiple_of(2), Some(f64::from(2 * number)), Some(f64::from(2 * number + 1)))
    };
    let rows = rows(&(0..10_000).map(row).collect::<Vec<Row>>());
    groups.update_batch(&rows.columns, &rows.groups, None, 4).expect("rows");
    // Of each row, its bounds are held at least.
    assert!(groups.size() >= 10_000 * 16, "{} bytes", groups.size());
    groups.evaluate(EmitTo::All).expect("lengths");
    assert!(groups.size() < 1000, "{} bytes", groups.size());
}

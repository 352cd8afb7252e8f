//! Tests of `column_mix`.

use arrow::array::StringViewArray;
use proptest::prelude::*;

use super::*;
use crate::functions::plans::accumulators::testing::GroupedRows;

fn make() -> Box<dyn GroupsAccumulator> {
    let columns = ScreenColumns::new(2, 25, 7).expect("columns");
    Box::new(PiecesOfGroups::new(ColumnRows { columns, summed: SummedStates::Nothing }, SpanValues::All))
}

const VALUES: [&str; 3] = ["run", "wait", "a value that is longer than a view"];

proptest! {
    #[test]
    fn any_split_gives_the_same(
        rows in prop::collection::vec((0_usize..4, 0_i64..30, 0_i64..9, prop::option::weighted(0.9, 0_usize..3), 0_i64..3), 0..60),
        cuts in prop::collection::vec(any::<usize>(), 0..8),
        first in 0_usize..5,
    ) {
        let column = |values: Vec<i64>| Arc::new(Int64Array::from(values)) as ArrayRef;
        let values: StringViewArray = rows.iter().map(|row| row.3.map(|value| VALUES[value])).collect();
        let constant = |value: i64| column(vec![value; rows.len()]);
        let rows = GroupedRows {
            columns: vec![
                column(rows.iter().map(|row| row.1).collect()),
                column(rows.iter().map(|row| row.1 + row.2).collect()),
                Arc::new(values),
                column(rows.iter().map(|row| row.4).collect()),
                constant(2),
                constant(25),
                constant(7),
            ],
            groups: rows.iter().map(|row| row.0).collect(),
            group_count: 4,
        };
        prop_assert_eq!(&rows.at_once(&make), &rows.in_parts(&make, &cuts, first));
    }
}

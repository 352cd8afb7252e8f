//! Tests of `slice_names`.

use arrow::array::StringViewArray;
use proptest::prelude::*;

use super::*;
use crate::functions::plans::accumulators::testing::GroupedRows;

proptest! {
    #[test]
    fn any_split_gives_the_smallest_name(
        rows in prop::collection::vec((0..4_usize, prop::option::of("[ab]{0,3}|[ab] is a long name")), 0..40),
        cuts in prop::collection::vec(0..40_usize, 0..6),
        first in 0..4_usize,
    ) {
        let names: StringViewArray = rows.iter().map(|(_, name)| name.as_deref()).collect();
        let groups = rows.iter().map(|(group, _)| *group).collect();
        let given = GroupedRows { columns: vec![Arc::new(names)], groups, group_count: 4 };
        let smallest = |group: usize| rows.iter().filter(|row| row.0 == group).filter_map(|row| row.1.as_deref()).min();
        let expected: StringViewArray = (0..4).map(smallest).collect();
        let make = || Box::new(ContainerNames::default()) as Box<dyn GroupsAccumulator>;
        let (at_once, in_parts) = (given.at_once(&make), given.in_parts(&make, &cuts, first));
        prop_assert_eq!(at_once.as_string_view(), &expected);
        prop_assert_eq!(in_parts.as_string_view(), &expected);
    }
}

#[test]
fn rows_that_a_filter_leaves_out_have_no_name() {
    let names: ArrayRef = Arc::new(StringViewArray::from(vec![Some("a"), Some("b"), Some("c"), None]));
    let filter = BooleanArray::from(vec![Some(true), Some(false), None, Some(true)]);
    let state = ContainerNames::default().convert_to_state(&[Arc::clone(&names)], Some(&filter)).expect("a state");
    assert_eq!(state[0].as_string_view(), &StringViewArray::from(vec![Some("a"), None, None, None]));
    let mut all = ContainerNames::default();
    all.update_batch(&[names], &[0, 1, 2, 3], Some(&filter), 4).expect("rows");
    assert_eq!(all.evaluate(EmitTo::All).expect("a result").as_string_view(), state[0].as_string_view());
    assert_eq!(all.bytes, 0);
}

//! Tests of `latest_rows`.

use arrow::array::{AsArray, Int32Array, Int64Array, StringViewArray};
use arrow::datatypes::Int64Type;
use hashbrown::HashMap;
use proptest::prelude::*;

use super::*;

#[test]
fn rows_get_what_the_row_before_held() {
    let mut latest = LatestRows::of_types(vec![DataType::Utf8View], &[DataType::Int64]).expect("rows");
    let mut replaced = |keys: &[&str], values: &[i64]| -> Vec<Option<i64>> {
        let keys: ArrayRef = Arc::new(StringViewArray::from_iter_values(keys));
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(values.iter().copied()));
        let found = latest.replace(values.len(), &[keys], &[values]).expect("values");
        found[0].as_primitive::<Int64Type>().iter().collect()
    };
    assert_eq!(replaced(&["a", "b"], &[1, 2]), [None, None]);
    assert_eq!(replaced(&["a", "c", "a"], &[3, 4, 5]), [Some(1), None, Some(3)]);
    assert_eq!(replaced(&["b", "c", "a"], &[6, 7, 8]), [Some(2), Some(4), Some(5)]);
}

#[test]
fn without_keys_every_row_has_one_before() {
    let mut latest = LatestRows::of_types(vec![], &[DataType::Int64]).expect("rows");
    for (values, expected) in [(1..3, [None, Some(1)]), (3..5, [Some(2), Some(3)])] {
        let values: ArrayRef = Arc::new(Int64Array::from_iter_values(values));
        let found = latest.replace(2, &[], &[values]).expect("values");
        assert_eq!(found[0].as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), expected);
    }
}

proptest! {
    /// The twin: the latest value of each key in a map.
    #[test]
    fn agrees_with_its_twin(rows in prop::collection::vec((0_i32..6, prop::option::of(0_i64..9)), 0..60), length in 1_usize..20) {
        let (mut latest, mut known) =
            (LatestRows::of_types(vec![DataType::Int32], &[DataType::Int64]).expect("rows"), HashMap::new());
        for piece in rows.chunks(length) {
            let keys: ArrayRef = Arc::new(Int32Array::from_iter_values(piece.iter().map(|(key, _)| *key)));
            let values: ArrayRef = Arc::new(piece.iter().map(|(_, value)| *value).collect::<Int64Array>());
            let found = latest.replace(piece.len(), &[keys], &[values]).expect("values");
            let expected: Vec<Option<i64>> =
                piece.iter().map(|(key, value)| known.insert(*key, *value).flatten()).collect();
            prop_assert_eq!(found[0].as_primitive::<Int64Type>().iter().collect::<Vec<_>>(), expected);
        }
        prop_assert_eq!(latest.keys(), known.len());
    }
}

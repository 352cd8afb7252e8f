//! Tests of `merge_exec`.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn every_group_has_its_share(
        containers in prop::collection::vec(prop::collection::vec(prop::option::of(-3..20_i32), 0..20), 0..6),
        partitions in 1..5_usize,
        per_row in prop::collection::vec(0..AT_A_TIME, 6),
        most in 1..5_usize,
    ) {
        let schema = Arc::new(Schema::new(vec![Field::new("container_id", DataType::Int32, true)]));
        let batch = |ids: &Vec<Option<i32>>| RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(Int32Array::from(ids.clone()))]);
        let batches: Vec<RecordBatch> = containers.iter().map(batch).collect::<Result<_, _>>().expect("batches");
        let shares = shared_out(&batches, partitions).expect("shares");
        prop_assert_eq!(shares.len(), partitions);
        let mut all = shares.concat();
        all.sort_by_key(|piece| (piece.batch, piece.row));
        let mut expected = vec![];
        for (batch, ids) in (0..).zip(&containers) {
            expected.extend((0..).zip(ids).map(|(row, &container)| GroupRow { container, batch, row }));
        }
        prop_assert_eq!(all, expected);
        for (number, pieces) in shares.iter().enumerate() {
            // No container is given out by two partitions, nor at two times.
            let mut rest = pieces.as_slice();
            while !rest.is_empty() {
                let some = some_containers(rest, &per_row, most);
                prop_assert!(!some.is_empty());
                rest = &rest[some.len()..];
                let is_elsewhere = |piece: &GroupRow| some.iter().any(|one| one.container == piece.container);
                prop_assert!(!rest.iter().any(is_elsewhere));
                prop_assert!(!shares[number + 1..].iter().flatten().any(is_elsewhere));
                prop_assert!(some.chunk_by(|one, other| one.container == other.container).count() <= most);
            }
        }
    }

    #[test]
    fn rows_are_those_that_are_named(rows in prop::collection::btree_set(0..9_u32, 0..9)) {
        let numbers: ArrayRef = Arc::new(UInt32Array::from_iter_values(0..9));
        let batch = RecordBatch::try_from_iter([("number", numbers)]).expect("a batch");
        let rows: Vec<u32> = rows.into_iter().collect();
        let found = rows_of(&batch, rows.iter().copied()).expect("rows");
        prop_assert_eq!(found.column(0).as_primitive::<UInt32Type>().values(), rows.as_slice());
    }
}

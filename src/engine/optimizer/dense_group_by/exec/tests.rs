//! Tests of `exec`.

use proptest::prelude::*;

use super::*;

proptest! {
    #[test]
    fn containers_are_numbered_as_a_list_of_them_would(
        batches in prop::collection::vec(
            prop::collection::vec(prop_oneof![4 => (0..50).prop_map(Some), 1 => any::<Option<i32>>()], 0..60), 0..5),
        is_nullable: bool,
    ) {
        let (mut containers, mut seen, mut groups) = (DenseKeys::default(), vec![], vec![]);
        for mut batch in batches {
            batch.retain(|id| is_nullable || id.is_some());
            containers.groups(&batch.iter().copied().collect(), &mut groups);
            let mut expected = vec![];
            for id in batch {
                expected.push(seen.iter().position(|known| *known == id).unwrap_or(seen.len()));
                if !seen.contains(&id) {
                    seen.push(id);
                }
            }
            prop_assert_eq!(&groups, &expected);
        }
        prop_assert_eq!(containers.ids, seen);
    }
}

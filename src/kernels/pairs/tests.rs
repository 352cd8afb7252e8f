//! Tests of `pairs`.

use super::*;
use proptest::prelude::*;

/// Small numbers, which fill a matrix, or any.
fn numbers() -> impl Strategy<Value = u32> {
    prop_oneof![20 => 0..60_u32, 1 => 0..20_000_u32, 1 => any::<u32>()]
}

fn pairs() -> impl Strategy<Value = Vec<(u32, u32)>> {
    prop_oneof![
        prop::collection::vec((0..60_u32, 0..9_u32), 0..2000),
        prop::collection::vec((numbers(), numbers()), 0..2000),
    ]
}

proptest! {
    #[test]
    fn pairs_are_numbered_as_a_list_of_them_would(pairs in pairs()) {
        let mut numbers = Pairs::default();
        let mut seen: Vec<(u32, u32)> = vec![];
        for pair in pairs {
            let expected = seen.iter().position(|known| *known == pair).unwrap_or_else(|| {
                seen.push(pair);
                seen.len() - 1
            });
            prop_assert_eq!(numbers.number(pair.0, pair.1) as usize, expected);
        }
        prop_assert_eq!(numbers.count(), seen.len());
        for (number, pair) in (0..).zip(seen) {
            prop_assert_eq!(numbers.pair(number), pair);
        }
    }
}

#[test]
fn columns_of_pairs_are_numbered_as_single_ones() {
    let ones = [3, 0, 3, 9, 3, 0];
    let mut others = [1, 2, 1, NO_NUMBER, 0, 2];
    let mut pairs = Pairs::default();
    pairs.combine(&ones, &mut others);
    assert_eq!(others, [0, 1, 0, NO_NUMBER, 2, 1]);
    assert_eq!((pairs.count(), pairs.pair(2)), (3, (3, 0)));
}

#[test]
fn a_matrix_is_left_when_it_would_be_nearly_empty() {
    let mut dense = Pairs::default();
    (0..100_000).for_each(|one| (0..4).for_each(|other| assert_eq!(dense.number(one, other), 4 * one + other)));
    assert!(dense.table.is_none() && dense.matrix.len() == 4 << 17);
    let mut sparse = Pairs::default();
    (0..1000).for_each(|one| assert_eq!(sparse.number(one, one), one));
    assert!(sparse.table.is_some() && sparse.matrix.is_empty());
    assert_eq!(sparse.number(7, u32::MAX), 1000);
    assert_eq!(sparse.number(7, 7), 7);
}

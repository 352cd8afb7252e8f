//! Alignments against all that there are.

use proptest::prelude::*;

use super::*;

/// The least sum of distances over every alignment that ends with a pair.
fn least(left: &[Vec<f64>], right: &[Vec<f64>]) -> f64 {
    let (Some((last, before)), Some((other, others))) = (left.split_last(), right.split_last()) else {
        return if left.is_empty() && right.is_empty() { 0.0 } else { f64::INFINITY };
    };
    let rest = [least(before, others), least(before, right), least(left, others)];
    distance(last, other) + rest.into_iter().fold(f64::INFINITY, f64::min)
}

fn sum(pairs: &[(usize, usize)], left: &[Vec<f64>], right: &[Vec<f64>]) -> f64 {
    pairs.iter().map(|(one, other)| distance(&left[*one], &right[*other])).sum()
}

fn of(numbers: &[f64]) -> Vec<Vec<f64>> {
    numbers.iter().map(|number| vec![*number]).collect()
}

fn sequence() -> impl Strategy<Value = Vec<Vec<f64>>> {
    let number = prop::sample::select(vec![0.0, 0.25, 0.5, 1.0]);
    prop::collection::vec(prop::collection::vec(number, 2), 1..6)
}

proptest! {
    #[test]
    fn no_alignment_is_better(left in sequence(), right in sequence()) {
        let pairs = align(&left, &right);
        prop_assert_eq!(pairs.first(), Some(&(0, 0)));
        prop_assert_eq!(pairs.last(), Some(&(left.len() - 1, right.len() - 1)));
        for step in pairs.windows(2) {
            let (rows, columns) = (step[1].0 - step[0].0, step[1].1 - step[0].1);
            prop_assert!(matches!((rows, columns), (1, 1) | (1, 0) | (0, 1)));
        }
        prop_assert!((sum(&pairs, &left, &right) - least(&left, &right)).abs() < 1e-12);
    }

    #[test]
    fn a_sequence_is_aligned_with_itself(left in sequence()) {
        let pairs: Vec<(usize, usize)> = (0..left.len()).map(|place| (place, place)).collect();
        prop_assert_eq!(align(&left, &left), pairs);
    }
}

/// The drawing at the head: what takes longer is matched with what it is.
#[test]
fn what_takes_longer_is_matched_with_itself() {
    let (left, right) = (of(&[0.0, 0.0, 1.0, 2.0, 2.0]), of(&[0.0, 0.0, 1.0, 2.0, 2.0, 2.0]));
    let pairs = align(&left, &right);
    assert_eq!(sum(&pairs, &left, &right), 0.0);
    assert_eq!(pairs[2], (2, 2));
}

#[test]
fn nothing_is_aligned_with_nothing() {
    assert_eq!(align(&[], &of(&[1.0])), vec![]);
    assert_eq!(align(&of(&[1.0]), &[]), vec![]);
    assert_eq!(align(&of(&[1.0]), &of(&[5.0])), vec![(0, 0)]);
}

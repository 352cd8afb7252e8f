//! Tests of `union`.

use super::*;
use proptest::prelude::*;

/// How many of the unit cells from -40 to 40 some interval covers: the length of the union.
fn covered(intervals: &[(i32, i32)], cell: i32) -> bool {
    intervals.iter().any(|(start, end)| *start <= cell && cell < *end)
}

fn union_of(intervals: &[(i32, i32)]) -> Union {
    let mut union = Union::default();
    for (start, end) in intervals {
        union.add(f64::from(*start), f64::from(*end));
    }
    union
}

fn interval() -> impl Strategy<Value = (i32, i32)> {
    (-40..40_i32, -3..9_i32).prop_map(|(start, width)| (start, (start + width).min(40)))
}

proptest! {
    #[test]
    fn lengths_count_each_cell_once(
        left in prop::collection::vec(interval(), 0..120), right in prop::collection::vec(interval(), 0..120)
    ) {
        let (mut one, mut other) = (union_of(&left), union_of(&right));
        let count = |is_in: &dyn Fn(i32) -> bool| (-40..40).filter(|cell| is_in(*cell)).count() as f64;
        prop_assert_eq!(length(one.intervals()), count(&|cell| covered(&left, cell)));
        let both = shared_length(one.intervals(), other.intervals());
        prop_assert_eq!(both, count(&|cell| covered(&left, cell) && covered(&right, cell)));
    }

    #[test]
    fn the_order_does_not_matter(
        intervals in prop::collection::vec((0.0..10.0_f64, 0.0..3.0_f64), 0..100), seed in any::<u64>()
    ) {
        let mut shuffled = intervals.clone();
        shuffled.sort_by_key(|(start, _)| start.to_bits().wrapping_mul(seed | 1));
        let of = |intervals: &[(f64, f64)]| {
            let mut union = Union::default();
            for (start, width) in intervals {
                union.add(*start, start + width);
            }
            union
        };
        let expected = of(&intervals).intervals().to_vec();
        prop_assert_eq!(&expected, &of(&shuffled).intervals().to_vec());
        let (one, other) = shuffled.split_at(shuffled.len() / 2);
        let mut merged = of(one);
        merged.merge(of(other).intervals().iter().copied());
        prop_assert_eq!(&expected, &merged.intervals().to_vec());
    }
}

#[test]
fn odd_bounds_add_nothing() {
    let mut union = Union::default();
    for (start, end) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN)] {
        union.add(start, end);
    }
    assert!(union.intervals().is_empty());
    assert_eq!(length(union.intervals()), 0.0);
    union.add(5.0, f64::INFINITY);
    assert_eq!(length(union.intervals()), f64::INFINITY);
}

#[test]
fn intervals_that_follow_each_other_take_no_memory() {
    let mut union = Union::default();
    for step in 0..100_000 {
        union.add(f64::from(step), f64::from(step + 1));
    }
    assert!(union.size() < 1000, "{} bytes", union.size());
    assert_eq!(union.intervals(), [(0.0, 100_000.0)]);
}

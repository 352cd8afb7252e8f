//! Tests of `lengths`.

use proptest::prelude::*;

use super::super::{Union, length, shared_length};
use super::*;

/// Intervals of two sides, in the order of their starts.
fn swept(rows: &[(usize, f64, f64)]) -> [f64; 3] {
    let mut rows = rows.to_vec();
    rows.sort_by(|one, other| one.1.total_cmp(&other.1));
    let mut lengths = SweptLengths::default();
    rows.iter().for_each(|(side, start, end)| lengths.add(*side, *start, *end));
    lengths.finish()
}

#[test]
fn each_instant_counts_once() {
    // Left is [0, 4) and [6, 9), right [1, 2) and [3, 7): they share [1, 2), [3, 4) and [6, 7).
    let rows =
        [(0, 0.0, 3.0), (0, 2.0, 4.0), (0, 6.0, 9.0), (1, 1.0, 2.0), (1, 3.0, 5.0), (1, 5.0, 7.0), (1, 6.0, 6.0)];
    assert_eq!(swept(&rows), [7.0, 5.0, 3.0]);
}

proptest! {
    #[test]
    fn agrees_with_its_twin(rows in prop::collection::vec((0_usize..2, -20.0..20.0_f64, -1.0..6.0_f64), 0..80), grid in any::<bool>()) {
        let on_grid = |value: f64| if grid { value.round() } else { value };
        let rows: Vec<(usize, f64, f64)> =
            rows.into_iter().map(|(side, start, width)| (side, on_grid(start), on_grid(start) + on_grid(width))).collect();
        let mut unions = [Union::default(), Union::default()];
        rows.iter().for_each(|(side, start, end)| unions[*side].add(*start, *end));
        let [left, right] = unions.each_mut().map(|union| union.intervals().to_vec());
        prop_assert_eq!(swept(&rows), [length(&left), length(&right), shared_length(&left, &right)]);
    }
}

//! Tests of `triangle`.

use super::*;

#[test]
fn rows_follow_each_other() {
    for slices in 1..20 {
        let mut next = 0;
        for length in 1..=slices {
            assert_eq!(row(slices, length).start, next);
            for first in 0..=slices - length {
                assert_eq!(cell(slices, first, first + length - 1), next);
                next += 1;
            }
            assert_eq!(row(slices, length).end, next);
        }
        assert_eq!(cells(slices), next);
    }
}

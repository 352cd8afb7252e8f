//! Tests of `checked_file`.

use super::*;

#[test]
fn ranges_that_touch_become_one() {
    assert_eq!(merged(vec![]), []);
    assert_eq!(merged(vec![20..30, 0..10]), [0..10, 20..30]);
    assert_eq!(merged(vec![0..10, 10..20, 15..18, 30..40]), [0..20, 30..40]);
    assert_eq!(merged(vec![5..5, 0..1]), [0..1, 5..5]);
}

//! Tests of `timestamp_of`.

use super::*;

proptest::proptest! {
    #[test]
    fn later_is_never_earlier(one: f64, other: f64, origin: i64) {
        if let (Some(a), Some(b)) = (nanoseconds(one, origin), nanoseconds(other, origin)) {
            proptest::prop_assert_eq!(a <= b || one > other, true);
        }
    }

    #[test]
    fn stored_nanoseconds_of_three_weeks_come_back(tick in -(1_i64 << 50)..1 << 50) {
        proptest::prop_assert_eq!(nanoseconds(tick as f64 / 1e9, 7), Some(tick + 7));
    }
}

#[test]
fn what_cannot_be_told_stops_at_the_border() {
    assert_eq!(nanoseconds(f64::INFINITY, 0), Some(i64::MAX));
    assert_eq!(nanoseconds(-1e300, -5), Some(i64::MIN));
    assert_eq!(nanoseconds(f64::NAN, 0), None);
}

//! Tests of `tick_seconds`.

use super::*;
use ocellus_trace::time::Resolution;

proptest::proptest! {
    #[test]
    fn agrees_with_the_clock(tick: i64, digits in 0_u8..5) {
        let resolution = Resolution::from_digits(3 + 3 * digits).expect("a resolution");
        let expected = resolution.seconds(tick);
        proptest::prop_assert_eq!(seconds(tick, resolution.ticks_per_second()), expected);
    }
}

//! Tests of `clock`.

use super::*;

#[test]
fn offsets_are_interpolated_between_measurements_and_go_on_beyond() {
    let mut clock = Correction::default();
    assert_eq!(clock.apply(50), 50);
    assert!(clock.add(Offset { time: 100, offset: 10 }).is_ok());
    assert_eq!(clock.apply(50), 50);
    assert!(clock.add(Offset { time: 200, offset: 20 }).is_ok());
    assert!(clock.add(Offset { time: 200, offset: 30 }).is_err());
    assert!(clock.add(Offset { time: 300, offset: -20 }).is_ok());
    // 50: 10 - 5; 150: 15; 250: 20 - 20; 400: 20 - 80.
    let corrected: Vec<i128> = [50, 100, 150, 200, 250, 400].into_iter().map(|time| clock.apply(time)).collect();
    assert_eq!(corrected, [55, 110, 165, 220, 250, 340]);
}

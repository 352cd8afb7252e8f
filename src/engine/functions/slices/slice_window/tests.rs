//! Tests of `slice_window`.

use super::*;

#[test]
fn what_is_written_is_read() {
    let slicing = Slicing::new(-5, 9_000_000_000, 3, 1_000_000_000).expect("a window");
    for slicing in [slicing, slicing.only(1, 2), slicing.only(2, 1)] {
        for fill in [false, true] {
            for last_instant in [LastInstant::Within, LastInstant::Outside] {
                for boundary in [Boundary::Inside, Boundary::Clip] {
                    let window = SliceWindow { slicing, fill, last_instant, boundary };
                    assert_eq!(window.to_string().parse(), Ok(window));
                }
            }
        }
    }
    assert_eq!("0..9 /3 @1 only 0..2 sideways".parse::<SliceWindow>(), Err(()));
    assert_eq!("0..9 /0 @1 only 0..2".parse::<SliceWindow>(), Err(()));
}

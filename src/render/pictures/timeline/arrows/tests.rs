//! Lines cut at the borders of an area, against a twin that walks along them.

use proptest::prelude::*;

use super::*;

const AREA: PictureArea = PictureArea { x: 10.0, y: 20.0, width: 100.0, height: 50.0 };

/// From a tenth of the width before the area to its middle: the border is crossed after a sixth of the way.
#[test]
fn a_line_that_begins_outside_is_cut_where_it_crosses_the_border() {
    let visible = clip((0.0, 30.0), (60.0, 60.0), &AREA).expect("a part");
    assert_eq!((visible.from, visible.to, visible.has_end), ((10.0, 35.0), (60.0, 60.0), true));
    let visible = clip((60.0, 60.0), (0.0, 30.0), &AREA).expect("a part");
    assert_eq!((visible.from, visible.to, visible.has_end), ((60.0, 60.0), (10.0, 35.0), false));
}

#[test]
fn rows_below_the_picture_cut_a_line_too() {
    let visible = clip((10.0, 20.0), (110.0, 120.0), &AREA).expect("a part");
    assert_eq!((visible.from, visible.to, visible.has_end), ((10.0, 20.0), (60.0, 70.0), false));
    assert_eq!(clip((0.0, 80.0), (200.0, 80.0), &AREA), None);
    assert_eq!(clip((0.0, 50.0), (9.0, 20.0), &AREA), None);
}

#[test]
fn a_point_and_a_line_inside_stay_as_they_are() {
    let visible = clip((50.0, 30.0), (50.0, 30.0), &AREA).expect("a point");
    assert_eq!((visible.from, visible.to, visible.has_end), ((50.0, 30.0), (50.0, 30.0), true));
    let visible = clip((11.0, 21.0), (109.0, 69.0), &AREA).expect("a line");
    assert_eq!((visible.from, visible.to, visible.has_end), ((11.0, 21.0), (109.0, 69.0), true));
}

proptest! {
    /// Every point of the line is in the area exactly when it is between the ends of the visible part.
    #[test]
    fn what_is_left_is_what_lies_inside(x in -50.0..200.0, y in -50.0..200.0, dx in -300.0..300.0, dy in -300.0..300.0) {
        let (from, to) = ((x, y), (x + dx, y + dy));
        let visible = clip(from, to, &AREA);
        const STEPS: i32 = 1000;
        const NEAR: f64 = 1e-6;
        for step in 0..=STEPS {
            let part = f64::from(step) / f64::from(STEPS);
            let (px, py) = (x + part * dx, y + part * dy);
            let inside = [px - AREA.x, AREA.right() - px, py - AREA.y, AREA.bottom() - py].into_iter().fold(f64::MAX, f64::min);
            let within = visible.is_some_and(|line| {
                let between = |value: f64, a: f64, b: f64| a.min(b) - NEAR <= value && value <= a.max(b) + NEAR;
                between(px, line.from.0, line.to.0) && between(py, line.from.1, line.to.1)
            });
            // On the border itself, rounding decides.
            if inside.abs() <= NEAR {
                continue;
            }
            prop_assert_eq!(inside > 0.0, within, "{:?} {:?}", (px, py), visible);
        }
    }
}

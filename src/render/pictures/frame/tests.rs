//! Tests of `frame`.

use super::*;
use crate::pictures::to_svg;

/// Two marks for 0 to 486,000 would be 0 and half a million, of which one lies outside.
#[test]
fn an_axis_with_a_range_has_two_marks() {
    assert_eq!(marks(0.0, 486e3, 2), [0.0, 200e3, 400e3]);
    assert_eq!(marks(0.0, 1.0, 2), [0.0, 0.5, 1.0]);
    // One value alone has one mark.
    assert_eq!(marks(3.0, 3.0, 2), [3.0]);
}

/// Hosts differ at the end of their names.
#[test]
fn long_names_of_rows_keep_their_ends() {
    let area = PictureArea { x: 80.0, y: 0.0, width: 100.0, height: 60.0 };
    let mut picture = Picture::new(200.0, 80.0, String::new());
    let rows = [(0.0, 30.0, "machine.of.the.cluster.node-17"), (30.0, 30.0, "rank-1")];
    row_labels(&mut picture, &area, 80.0, &rows);
    let text = to_svg(&picture);
    assert!(text.contains("17<") && text.contains('…') && text.contains(">rank-1<"), "{text}");
}

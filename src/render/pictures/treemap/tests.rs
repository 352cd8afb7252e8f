//! Tests of `treemap`.

use super::draw_names;
use super::nodes::{FlatNode, place, strip_of};
use crate::pictures::frame::PictureArea;
use crate::pictures::{Picture, to_svg};

fn node(id: i64, parent: Option<i64>, value: &str, depth: f64, [x, y, width, height]: [f64; 4]) -> FlatNode {
    let area = PictureArea { x, y, width, height };
    FlatNode { id, parent, name: format!("c{id}"), value: value.to_string(), weight: width * height, depth, area }
}

/// Two groups side by side on a page of 200 by 100; the left one has two leaves, the right one a single leaf.
#[test]
fn names_take_no_room_of_others() {
    let page = PictureArea { x: 0.0, y: 0.0, width: 200.0, height: 100.0 };
    let flat = [
        node(0, None, "", 0.0, [0.0, 0.0, 200.0, 100.0]),
        node(1, Some(0), "", 1.0, [0.0, 0.0, 100.0, 100.0]),
        node(2, Some(0), "", 1.0, [100.0, 0.0, 100.0, 100.0]),
        node(3, Some(1), "", 2.0, [0.0, 0.0, 100.0, 50.0]),
        node(3, Some(1), "run", 2.0, [0.0, 0.0, 80.0, 50.0]),
        node(3, Some(1), "wait", 2.0, [80.0, 0.0, 20.0, 50.0]),
        node(4, Some(1), "", 2.0, [0.0, 50.0, 100.0, 50.0]),
        node(5, Some(2), "", 2.0, [100.0, 0.0, 100.0, 100.0]),
    ];
    let nodes = place(&flat, &page);
    // What holds everything has no strip, and what holds one other neither; the name of that stands with the other's.
    let strips: Vec<bool> = nodes.iter().map(|node| strip_of(node).is_some()).collect();
    assert_eq!(strips, [false, true, false, false, false, false, false, false]);
    assert_eq!(nodes[7].label.as_ref().map(|place| place.names.join(" ")).as_deref(), Some("c2 c5"));
    // The leaves of the left group share what its strip of 15 leaves: 42.5 each.
    assert_eq!((nodes[3].area.y, nodes[3].area.height), (15.0, 42.5));
    assert_eq!((nodes[6].area.y, nodes[6].area.height), (57.5, 42.5));
    assert_eq!((nodes[7].area.y, nodes[7].area.height), (0.0, 100.0));
    // The name of a leaf stands in its largest value.
    assert_eq!(nodes[3].label.as_ref().map(|place| place.area), Some(nodes[4].area));
    assert_eq!(nodes[4].area, PictureArea { x: 0.0, y: 15.0, width: 80.0, height: 42.5 });
}

/// Two streams whose names are the same up to the end, without room for all of them.
#[test]
fn names_that_are_cut_keep_their_ends() {
    let page = PictureArea { x: 0.0, y: 0.0, width: 120.0, height: 100.0 };
    let mut flat = [
        node(0, None, "", 0.0, [0.0, 0.0, 120.0, 100.0]),
        node(1, Some(0), "", 1.0, [0.0, 0.0, 60.0, 100.0]),
        node(2, Some(0), "", 1.0, [60.0, 0.0, 60.0, 100.0]),
    ];
    flat[1].name = "stream 203".to_string();
    flat[2].name = "stream 204".to_string();
    let mut picture = Picture::new(120.0, 100.0, String::new());
    draw_names(&mut picture, &place(&flat, &page));
    let text = to_svg(&picture);
    assert!(text.contains("203<") && text.contains("204<") && text.contains('…'), "{text}");
}

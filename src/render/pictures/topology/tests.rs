//! Tests of `topology`.

use super::*;

#[test]
fn a_name_stands_where_no_head_is() {
    let area = PictureArea { x: 0.0, y: 0.0, width: 400.0, height: 400.0 };
    let node = (200.0, 200.0);
    let first = |heads: &[ArrowHead], node| label_places(node, 9.0, "rank-1", heads, &area)[0].0;
    let head = |from: (f64, f64)| ArrowHead::new(from, node, 10.0, 8.0, 1.0);
    assert_eq!(first(&[], node), (200.0, 186.0));
    // One comes from above, then also one from below: to the right.
    assert_eq!(first(&[head((200.0, 0.0))], node), (200.0, 200.0 + 9.0 + TEXT_SIZE + 1.0));
    assert_eq!(first(&[head((200.0, 0.0)), head((200.0, 400.0))], node), (214.0, 204.0));
    // At the right edge there is room only at the left.
    let edge = (400.0, 200.0);
    let head = |from: (f64, f64)| ArrowHead::new(from, edge, 10.0, 8.0, 1.0);
    let long = label_places(edge, 9.0, "a process with a long name", &[head((400.0, 0.0))], &area)[0];
    assert_eq!(long.0, (386.0, 204.0));
}

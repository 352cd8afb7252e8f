//! Tests of `labels`.

use super::*;

#[test]
fn a_text_stays_away_from_others() {
    let mut picture = Picture::new(200.0, 100.0, "");
    let mut labels = PlacedLabels::default();
    labels.write(&mut picture, (50.0, 20.0), TextAnchor::Middle, "first");
    labels.write(&mut picture, (55.0, 24.0), TextAnchor::Start, "second");
    labels.write(&mut picture, (55.0, 60.0), TextAnchor::Start, "third");
    // Each that is written has its ground and its text.
    assert_eq!(picture.elements.len(), 4);
}

//! Tests of `labels`.

use super::*;

#[test]
fn a_text_stays_away_from_others() {
    let mut picture = Picture::new(200.0, 100.0, "");
    let mut labels = Labels::default();
    labels.write(&mut picture, (50.0, 20.0), Anchor::Middle, Ground::Pale, "first");
    labels.write(&mut picture, (55.0, 24.0), Anchor::Start, Ground::Dark, "second");
    labels.write(&mut picture, (55.0, 60.0), Anchor::Start, Ground::Dark, "third");
    // Each that is written has its ground and its text.
    assert_eq!(picture.items.len(), 4);
}

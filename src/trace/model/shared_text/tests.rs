//! Tests of `shared_text`.

use super::*;
use proptest::prelude::*;

#[test]
fn repeated_texts_share_their_memory() {
    let mut recent = RecentTexts::default();
    let (first, second) = (recent.share(b"kernel"), recent.share(b"kernel"));
    assert_eq!((&*first, first.as_ptr()), ("kernel", second.as_ptr()));
    assert_eq!((&*recent.share(b"\xff"), &*recent.share(b"")), ("", ""));
    let long = "long ".repeat(LONGEST);
    assert_eq!(&*recent.share(long.as_bytes()), long);
}

proptest! {
    /// Texts of one length with the same ends share a place.
    #[test]
    fn every_text_is_itself(texts in prop::collection::vec("[aé]{0,3}|aaaaaaaa[ab]{0,2}bbbbbbbb", 0..60)) {
        let mut recent = RecentTexts::default();
        for text in texts {
            prop_assert_eq!(&*recent.share(text.as_bytes()), text.as_str());
        }
    }
}

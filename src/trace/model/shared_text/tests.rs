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

    /// Texts that differ in one byte, in length, or not at all.
    #[test]
    fn texts_are_compared_whole(text in prop::collection::vec(0_u8..3, 0..24), place: prop::sample::Index, byte in 0_u8..3, cut in 0_usize..2) {
        let mut other = text.clone();
        if !other.is_empty() {
            let place = place.index(other.len());
            other[place] = byte;
        }
        prop_assert_eq!(is_same_text(&text, &other), text == other);
        let shorter = &text[..text.len().saturating_sub(cut)];
        prop_assert_eq!(is_same_text(&text, shorter), text == shorter);
    }
}

/// Short texts that count up, as names, keys and ids do, share few places of a cache.
#[test]
fn places_are_spread() {
    let texts: [fn(usize) -> String; 4] =
        [|n| n.to_string(), |n| format!("[1,{n}]"), |n| format!("aten::call_{n}"), |n| format!("\"{n}\"")];
    for text in texts {
        let places: std::collections::BTreeSet<u32> =
            (0..200).map(|number| cheap_hash(text(number).as_bytes()) % REMEMBERED as u32).collect();
        // At random 182.
        assert!(places.len() >= 160, "{}: {} places", text(0), places.len());
    }
}

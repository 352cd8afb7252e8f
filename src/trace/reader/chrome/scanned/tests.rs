//! What comes out of a piece is what went in.

use proptest::prelude::*;

use super::super::json::JsonWalker;
use super::super::quick::QuickScanner;
use super::*;

fn through(element: ChromeElement<'_>, seen: impl Fn(&ChromeElement<'_>)) {
    let mut piece = ScannedPiece::default();
    // An event before it, so that places are not those of the event by itself.
    let text = br#"{"name":"before","args":{"a":1,"b":[2]}}        "#;
    let mut scanner = QuickScanner::default();
    let (before, end) = scanner.read(text, 0).expect("an event");
    piece.push(ChromeElement::Event(&before, &text[..end]), 5);
    piece.push(element, 77);
    let mut places = vec![];
    piece
        .each(|element, place| {
            if place == 77 {
                seen(&element);
            }
            places.push(place);
            Ok(())
        })
        .expect("taken");
    assert_eq!(places, [5, 77]);
    piece.clear();
    piece.each(|element, _| panic!("{element:?} in an empty piece")).expect("taken");
}

#[test]
fn all_kinds_of_elements_come_out() {
    let expected = |key: &str| ChromeElement::Property(key.to_string(), b"[1,2]");
    through(expected("a"), |element| assert_eq!(*element, expected("a")));
    through(ChromeElement::Skipped("b".to_string()), |element| {
        assert_eq!(*element, ChromeElement::Skipped("b".to_string()));
    });
    through(ChromeElement::Fault("bad"), |element| assert_eq!(*element, ChromeElement::Fault("bad")));
    through(ChromeElement::Cut("cut"), |element| assert_eq!(*element, ChromeElement::Cut("cut")));
}

#[test]
fn elements_keep_their_order() {
    let text = br#"{"name":"a"}        "#;
    let mut scanner = QuickScanner::default();
    let (event, end) = scanner.read(text, 0).expect("an event");
    let mut piece = ScannedPiece::default();
    let kinds = [false, false, true, false, true, true, false, false];
    for (place, is_event) in kinds.into_iter().enumerate() {
        let element = if is_event { ChromeElement::Event(&event, &text[..end]) } else { ChromeElement::Fault("bad") };
        piece.push(element, place as u64);
    }
    let mut seen = vec![];
    piece
        .each(|element, place| {
            assert_eq!(place, seen.len() as u64);
            seen.push(matches!(element, ChromeElement::Event(..)));
            Ok(())
        })
        .expect("taken");
    assert_eq!(seen, kinds);
}

#[test]
fn a_long_event_does_not_keep_its_room() {
    let members = vec!["\"\":1"; 17 * FULL_MEMBERS].join(",");
    let text = format!(r#"{{"name":"a","args":{{{members}}}}}        "#);
    let mut scanner = QuickScanner::default();
    let (event, end) = scanner.read(text.as_bytes(), 0).expect("an event");
    let mut piece = ScannedPiece::default();
    piece.push(ChromeElement::Event(&event, &text.as_bytes()[..end]), 0);
    assert!(piece.is_full() && piece.is_large());
    piece.clear();
    assert!(!piece.is_full() && !piece.is_large());
    assert!(piece.members.capacity() <= 2 * FULL_MEMBERS && piece.text.capacity() <= 2 * FULL_TEXT);
}

/// Each key at most once, values of all kinds; with and without what the quick way notes.
fn event_text() -> impl Strategy<Value = String> {
    let keys =
        ["ph", "name", "cat", "ts", "dur", "pid", "tid", "id", "scope", "bp", "bind_id", "flow_in", "s", "args", "x"];
    let value =
        prop::sample::select(vec!["1", "-2.5", "\"X\"", "\"a\\\"b\"", "[1,{}]", "{\"a\":1,\"b\":\"c\"}", "{}", "true"]);
    let member = prop::sample::subsequence(keys.to_vec(), 0..keys.len()).prop_flat_map(move |keys| {
        let len = keys.len();
        (Just(keys), prop::collection::vec(value.clone(), len..=len))
    });
    member.prop_map(|(keys, values)| {
        let members: Vec<String> = keys.iter().zip(values).map(|(key, value)| format!("\"{key}\": {value}")).collect();
        format!("{{{}}}        ", members.join(","))
    })
}

proptest! {
    #[test]
    fn events_come_out_as_they_went_in(text in event_text()) {
        let mut scanner = QuickScanner::default();
        if let Some((event, end)) = scanner.read(text.as_bytes(), 0) {
            through(ChromeElement::Event(&event, &text.as_bytes()[..end]), |element| {
                let ChromeElement::Event(out, text_out) = element else { panic!("{element:?}") };
                assert_eq!(**out, event);
                assert!(text_out.starts_with(&text.as_bytes()[..end]));
            });
        }
        let mut walker = JsonWalker::new(text.as_bytes(), 0);
        let event = RawEvent::read(&mut walker).expect("an event");
        through(ChromeElement::Event(&event, &text.as_bytes()[..walker.at]), |element| {
            assert!(matches!(element, ChromeElement::Event(out, _) if **out == event));
        });
    }
}

//! Tests of `stream`.

use std::io;

use super::*;
use proptest::prelude::*;

/// Gives one byte at a time.
struct Drop<'a>(&'a [u8]);

impl Read for Drop<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else { return Ok(0) };
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

fn pieces(text: &[u8]) -> Vec<String> {
    let mut found = vec![];
    let mut events = ElementStream::new(Drop(text));
    let mut take = |piece: ChromeElement<'_>, _: u64| {
        found.push(match piece {
            ChromeElement::Event(event, _) => String::from_utf8_lossy(event.name).into_owned(),
            ChromeElement::Property(key, value) => format!("{key}={}", String::from_utf8_lossy(value)),
            ChromeElement::Skipped(key) => format!("{key} skipped"),
            ChromeElement::Fault(what) | ChromeElement::Cut(what) => format!("! {what}"),
        });
        Ok(())
    };
    while events.step(&mut take).expect("read") == MorePieces::Follow {}
    found
}

#[test]
fn all_forms_are_read() {
    assert_eq!(pieces(br#"[{"name":1},{"name":2}]"#), ["1", "2"]);
    assert_eq!(pieces(b"\xef\xbb\xbf [ {\"name\":1},\n{\"name\":2},\n"), ["1", "2"]);
    let object = br#"{"a":"b","traceEvents":[{"name":1}],"c":{"d":[1]}}"#;
    assert_eq!(pieces(object), ["a=\"b\"", "1", "c={\"d\":[1]}"]);
    assert_eq!(pieces(b"[]"), [""; 0]);
    let long = format!(r#"{{"x":"{}","traceEvents":[{{"name":1}}]}}"#, "\\\"]".repeat(1 << 20));
    assert_eq!(pieces(long.as_bytes()), ["x skipped", "1"]);
}

#[test]
fn what_is_wrong_costs_an_event_and_not_the_file() {
    assert_eq!(pieces(br#"[{"name":1},{"name" 2},{"name":3}]"#), ["1", "! this is not an event", "3"]);
    assert_eq!(pieces(br#"[{"name":1},7,{"name":3}]"#), ["1", "! this is not an event", "3"]);
    assert_eq!(pieces(br#"[{"name":1},{"na"#), ["1", "! the last event is not complete"]);
    let open = br#"{"traceEvents":[{"name":1}"#;
    assert_eq!(pieces(open), ["1", "! the array of events has no end"]);
    assert_eq!(pieces(b"12"), ["! the file starts neither with an array nor with an object"]);
    assert_eq!(pieces(b""), ["! the file starts neither with an array nor with an object"]);
}

proptest! {
    #[test]
    fn no_text_makes_it_fail(text in "[\\[\\]{}\",:a1\\\\ ]{0,60}") {
        pieces(text.as_bytes());
    }
}

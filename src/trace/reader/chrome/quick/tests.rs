//! What is read quickly is what [`RawEvent::read`] reads.

use proptest::prelude::*;

use super::super::arguments::members;
use super::super::event::picoseconds;
use super::super::json::JsonWalker;
use super::*;

/// Compares both ways; whether the quick one read the event.
fn is_read_alike(text: &[u8]) -> bool {
    is_read_alike_after(&mut QuickScanner::default(), text)
}

/// As [`is_read_alike`], by a scanner that may know keys.
fn is_read_alike_after(scanner: &mut QuickScanner, text: &[u8]) -> bool {
    let Some((event, end)) = scanner.read(text, 0) else { return false };
    let mut walker = JsonWalker::new(text, 0);
    let slow = RawEvent::read(&mut walker).expect("an event that is read quickly is an event");
    assert_eq!(walker.at, end, "{}", String::from_utf8_lossy(text));
    let (start_number, duration_number) = (event.start_number, event.duration_number);
    assert_eq!(RawEvent { start_number: None, duration_number: None, members: None, ..event }, slow);
    for (number, value) in [(start_number, event.start), (duration_number, event.duration)] {
        if let Some(number) = number {
            let exact = i128::from(number.digits) * 1_000_000;
            assert_eq!(picoseconds(value), Some(exact / 10_i128.pow(number.decimals)), "{value:?}");
        }
    }
    let Some(spans) = event.members else { return true };
    let mut slow_members = vec![];
    members(event.arguments, |key, value| slow_members.push((key, value)));
    let in_arguments = |span: &MemberSpan| (&event.arguments[span.key.clone()], &event.arguments[span.value.clone()]);
    assert_eq!(spans.iter().map(in_arguments).collect::<Vec<_>>(), slow_members);
    for span in spans {
        if let Some(number) = span.whole {
            assert_eq!(number.to_string().as_bytes(), &event.arguments[span.value.clone()]);
        }
    }
    true
}

#[test]
fn usual_events_are_read_quickly() {
    let usual = [
        r#"{"name":"f","cat":"c","ph":"X","ts":12.345,"dur":6.789,"pid":1,"tid":2,"args":{"a":1,"b":"x"}},       "#,
        r#"{ "ph" : "B", "name": "a name of more than thirty-two bytes \"in\" it \\", "ts": 1621401187223005.123 }       "#,
        r#"{"ph":"E","ts":-5,"pid":"host","tid":null,"args":{}}       "#,
        r#"{"ph":"s","id":"0x1","scope":"s","bp":"e","bind_id":7,"flow_in":true,"flow_out":true,"s":"g","id2":{}}        "#,
        r#"{"a key of no use":[[1,2],{"x":"]"}],"args":{"Input Dims":[[64,3],[]],"d":1e-3,"n":null}}        "#,
        r#"{"args":{"a":1},"args":7}        "#,
        r#"{"args":7,"args":{"a":1},"ts":"1","ts":2}        "#,
    ];
    for text in usual {
        assert!(is_read_alike(text.as_bytes()), "{text}");
    }
}

#[test]
fn what_is_unusual_is_left_to_the_other() {
    let deep =
        format!(r#"{{"args":{{"a":{}1{}}}}}        "#, "[".repeat(DEEPEST_QUICK + 1), "]".repeat(DEEPEST_QUICK + 1));
    let unusual = [
        r#"{}        "#,
        r#"{"ph":"X",}        "#,
        r#"{"ph" "X"}        "#,
        r#"{"p\u0068":"X"}        "#,
        r#"{"ph":"X","args":{"a" 1}}        "#,
        r#"{"ph":"X""#,
        r#"{"ph":"X"}"#,
        r#"[1]        "#,
        &deep,
    ];
    for text in unusual {
        assert!(!is_read_alike(text.as_bytes()), "{text}");
    }
}

/// Text that is nearly JSON: keys with and without a meaning, values of all forms, blanks, and what damages it.
fn event_text() -> impl Strategy<Value = String> {
    let key = prop_oneof![
        prop::sample::select(vec![
            "ph",
            "name",
            "cat",
            "ts",
            "dur",
            "pid",
            "tid",
            "id",
            "id2",
            "scope",
            "bp",
            "bind_id",
            "flow_in",
            "flow_out",
            "s",
            "args",
            "tts",
            "flow_outer",
            "ph\\u0000",
            "a\\\"b",
        ])
        .prop_map(str::to_string),
        "[a-z\\\\\"]{0,12}",
    ];
    let number = prop_oneof!["-?[0-9]{1,20}", "-?[0-9]{1,17}\\.[0-9]{0,10}", "-?[0-9.eE+-]{1,12}"];
    let string = "\"[a-z0 :,{}\\[\\]\\\\\"é]{0,40}\"";
    let scalar = prop_oneof![
        number,
        string,
        prop::sample::select(vec!["true", "false", "null", "NaN", "{}", "[]", "\"X\""]).prop_map(str::to_string),
    ];
    let value = scalar.prop_recursive(4, 16, 4, |inner| {
        let pair = ("[a-z]{0,10}", inner.clone()).prop_map(|(key, value)| format!("\"{key}\":{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|values| format!("[{}]", values.join(","))),
            prop::collection::vec(pair, 0..4).prop_map(|pairs| format!("{{{}}}", pairs.join(", "))),
        ]
    });
    let blank = prop::sample::select(vec!["", "", "", " ", "\n\t"]);
    let member = (blank.clone(), key, blank.clone(), blank, value)
        .prop_map(|(first, key, second, third, value)| format!("{first}\"{key}\"{second}:{third}{value}"));
    prop::collection::vec(member, 0..8).prop_map(|members| format!("{{{}}},        ", members.join(",")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_ways_read_alike(text in event_text()) {
        is_read_alike(text.as_bytes());
    }

    /// Keys that are known from events before, in other numbers and orders, with other values and blanks, and damaged.
    #[test]
    fn known_keys_change_nothing(texts in prop::collection::vec(event_text(), 1..4), order in prop::collection::vec(any::<prop::sample::Index>(), 8), damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 8)) {
        let mut scanner = QuickScanner::default();
        for (which, (place, byte)) in order.into_iter().zip(damage) {
            let mut bytes = which.get(&texts).clone().into_bytes();
            is_read_alike_after(&mut scanner, &bytes);
            // Known keys are found again.
            is_read_alike_after(&mut scanner, &bytes);
            let place = place.index(bytes.len());
            bytes[place] = byte;
            is_read_alike_after(&mut scanner, &bytes);
        }
    }

    /// One byte changed, and the text cut.
    #[test]
    fn both_ways_read_damage_alike(text in event_text(), place: prop::sample::Index, byte: u8, end: prop::sample::Index) {
        let mut bytes = text.into_bytes();
        let place = place.index(bytes.len());
        bytes[place] = byte;
        is_read_alike(&bytes);
        bytes.truncate(end.index(bytes.len()) + 1);
        is_read_alike(&bytes);
    }
}

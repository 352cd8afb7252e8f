//! Tests of `arguments`.

use super::super::quick::QuickScanner;
use super::*;
use crate::model::EventBatch;
use crate::reader::ReadFlow;
use crate::time::Resolution;

/// Column and value of the first event's arguments, when those of all events were looked at.
fn values_of_first(table: StoredTable, events: &[&str]) -> Vec<(String, String)> {
    let mut consume = |_: &mut EventBatch| Ok(ReadFlow::GoOn);
    let mut writer = EventWriter::new(Resolution::NANOSECONDS, &mut consume);
    let mut arguments = Arguments::default();
    let mut packed = vec![];
    for event in events.iter().rev() {
        packed.clear();
        let event = RawEvent { arguments: event.as_bytes(), ..RawEvent::default() };
        arguments.pack(table, &event, &mut packed);
    }
    arguments.declare(&mut writer);
    let mut found = vec![];
    arguments.values(table, &packed, |field, value| {
        let column = arguments.columns.iter().find(|column| column.field == Some(field)).expect("a column");
        found.push((column.name.clone(), format!("{value:?}")));
    });
    found
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(column, value)| (column.to_string(), value.to_string())).collect()
}

#[test]
fn a_column_has_the_widest_type_of_its_values() {
    let events = [r#"{"a":1,"b":1,"c":1,"Two words":[1,"x"],"n":null}"#, r#"{"a":2,"b":2.5,"c":"x"}"#];
    let expected = [("a", "Int(1)"), ("b", "Double(1.0)"), ("c", "Text(\"1\")"), ("two_words", r#"Text("[1,\"x\"]")"#)];
    assert_eq!(values_of_first(StoredTable::States, &events), pairs(&expected));
}

#[test]
fn too_many_arguments_share_a_column() {
    let event: Vec<String> = (0..MOST_COLUMNS + 2).map(|place| format!("\"k{place}\":{place}")).collect();
    let values = values_of_first(StoredTable::Events, &[&format!("{{{}}}", event.join(","))]);
    assert_eq!(values.len(), MOST_COLUMNS + 1);
    assert_eq!(values[MOST_COLUMNS], ("args".to_string(), r#"Text("{\"k200\":200,\"k201\":201}")"#.to_string()));
}

/// Members that were noted while the event was read give what the JSON of the arguments gives.
#[test]
fn noted_members_give_the_same() {
    let texts = [
        r#"{"args":{}}        "#,
        r#"{"args": { "a" : 12 , "b":-7,"a":0}}        "#,
        r#"{"args":{"a":-0,"b":007,"c":1e3,"d":9223372036854775808,"e":-9223372036854775808}}        "#,
        r#"{"args":{"a":null,"b":true,"c":"x\"y\\","d":[1,{"e":"]"}],"e\n":1.50,"f":12345678901234567}}        "#,
    ];
    for text in texts {
        let mut scanner = QuickScanner::default();
        let (event, _) = scanner.read(text.as_bytes(), 0).expect("a usual event");
        assert!(event.members.is_some(), "{text}");
        let plain = RawEvent { members: None, ..event };
        // A second look with texts in all columns, where numbers are given as they stand.
        for other in ["{}", r#"{"a":"x","b":"x","c":"x","d":"x","e":"x"}"#] {
            let (mut found, mut packed) = (vec![], [vec![], vec![]]);
            for (place, event) in [event, plain].iter().enumerate() {
                let mut consume = |_: &mut EventBatch| Ok(ReadFlow::GoOn);
                let mut writer = EventWriter::new(Resolution::NANOSECONDS, &mut consume);
                let mut arguments = Arguments::default();
                arguments.pack(StoredTable::Links, event, &mut packed[place]);
                let other = RawEvent { arguments: other.as_bytes(), ..RawEvent::default() };
                arguments.pack(StoredTable::Links, &other, &mut vec![]);
                arguments.declare(&mut writer);
                let mut values = vec![];
                arguments.values(StoredTable::Links, &packed[place], |field, value| {
                    values.push(format!("{field:?} {value:?}"));
                });
                found.push(values);
            }
            assert_eq!(found[0], found[1], "{text}");
        }
    }
}

//! Tests of `arguments`.

use super::*;
use crate::model::EventBatch;
use crate::reader::ReadFlow;
use crate::time::Resolution;

#[test]
fn a_column_has_the_widest_type_of_its_values() {
    let mut consume = |_: &EventBatch| Ok(ReadFlow::GoOn);
    let mut writer = EventWriter::new(Resolution::NANOSECONDS, &mut consume);
    let mut arguments = Arguments::default();
    let events = [br#"{"a":1,"b":1,"c":1,"Two words":[1,"x"],"n":null}"#.as_slice(), br#"{"a":2,"b":2.5,"c":"x"}"#];
    for event in events {
        arguments.observe(StoredTable::States, event);
    }
    arguments.declare(&mut writer);
    let mut values = vec![];
    arguments.values(StoredTable::States, events[0], &mut values);
    let found: Vec<ArgumentValue<'_>> = values.iter().map(|owned| owned.value.clone()).collect();
    let texts = [ArgumentValue::Text("1".into()), ArgumentValue::Text("[1,\"x\"]".into())];
    assert_eq!(found, [[ArgumentValue::Int(1), ArgumentValue::Double(1.0)], texts].concat());
    let names: Vec<&str> = arguments.columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "two_words"]);
}

#[test]
fn too_many_arguments_share_a_column() {
    let mut consume = |_: &EventBatch| Ok(ReadFlow::GoOn);
    let mut writer = EventWriter::new(Resolution::NANOSECONDS, &mut consume);
    let mut arguments = Arguments::default();
    let event: Vec<String> = (0..MOST_COLUMNS + 2).map(|place| format!("\"k{place}\":{place}")).collect();
    let event = format!("{{{}}}", event.join(","));
    arguments.observe(StoredTable::Events, event.as_bytes());
    arguments.declare(&mut writer);
    let mut values = vec![];
    arguments.values(StoredTable::Events, event.as_bytes(), &mut values);
    assert_eq!(values.len(), MOST_COLUMNS + 1);
    assert_eq!(values[MOST_COLUMNS].value, ArgumentValue::Text("{\"k200\":200,\"k201\":201}".into()));
}

//! Tests of the event writer.

use super::*;
use crate::model::ExtraData;

#[test]
fn a_story_is_told_in_batches_of_bounded_size() {
    let (mut kinds, mut words, mut largest, mut faults) = (vec![], vec![], 0, vec![]);
    let mut consume = |batch: &mut EventBatch| {
        largest = largest.max(batch.events.len());
        for event in &batch.events {
            kinds.push(event.kind);
            words.push(String::from_utf8_lossy(batch.symbol(event.value)).into_owned());
            let place = batch.place(event, 0);
            assert_eq!(place.line, kinds.len() as u64);
        }
        faults.extend(batch.faults.iter().map(|fault| fault.place));
        Ok(ReadFlow::GoOn)
    };
    let mut writer = EventWriter::new(Resolution::NANOSECONDS, &mut consume);
    let (root, rank, call, value) = (writer.root(), writer.intern("R"), writer.intern("S"), writer.intern("send"));
    writer.define_type(TypeKind::Container, rank, root, "Rank", None).expect("emitted");
    let bytes = writer.field(StoredTable::States, "bytes", FieldKind::Int, ExtraRole::Column);
    for tick in 0..20_000 {
        writer.push_state(tick, rank, call, value, &[(bytes, ExtraValue::Int(tick))]).expect("emitted");
    }
    writer.at(77);
    writer.fault(Code::BadTime, "x".to_string()).expect("emitted");
    writer.finish().expect("emitted");
    assert_eq!((kinds.len(), largest), (20_001, BATCH_EVENTS));
    assert_eq!((words[0].as_str(), words[20_000].as_str()), ("Rank", "send"));
    assert_eq!(faults, [Some(SourcePosition { line: 20_002, byte: 77 })]);
}

#[test]
fn counts_become_ticks() {
    let mut consume = |_: &mut EventBatch| Ok(ReadFlow::GoOn);
    let mut writer = EventWriter::new(Resolution::MICROSECONDS, &mut consume);
    assert_eq!(writer.tick(1_500, 1_000_000_000), Some(2));
    assert_eq!(writer.tick(-1_500, 1_000_000_000), Some(-2));
    assert_eq!(writer.tick(3, 1), Some(3_000_000));
    assert_eq!(writer.batch.rounded, 2);
    assert_eq!(writer.tick(i128::MAX, 1), None);
}

#[test]
fn added_fields_belong_to_the_next_event_and_come_first() {
    let mut found = vec![];
    let mut consume = |batch: &mut EventBatch| {
        for event in &batch.events {
            found.push(batch.extras(event).iter().map(|extra| (extra.field, extra.data)).collect::<Vec<_>>());
        }
        Ok(ReadFlow::GoOn)
    };
    let mut writer = EventWriter::new(Resolution::NANOSECONDS, &mut consume);
    let (rank, call, value) = (writer.intern("R"), writer.intern("S"), writer.intern("send"));
    let bytes = writer.field(StoredTable::States, "bytes", FieldKind::Int, ExtraRole::Column);
    let tag = writer.field(StoredTable::States, "tag", FieldKind::Int, ExtraRole::Column);
    writer.add_field(tag, ExtraValue::Int(1));
    writer.add_field(ExtraFieldId::LEFT_OUT, ExtraValue::Int(2));
    writer.push_state(0, rank, call, value, &[(bytes, ExtraValue::Int(3))]).expect("emitted");
    writer.pop_state(1, rank, call, &[]).expect("emitted");
    writer.add_field(bytes, ExtraValue::Int(4));
    writer.pop_state(2, rank, call, &[]).expect("emitted");
    writer.finish().expect("emitted");
    let int = |field: ExtraFieldId, value| (field.0, ExtraData::Int(value));
    assert_eq!(found, [vec![int(tag, 1), int(bytes, 3)], vec![], vec![int(bytes, 4)]]);
}

//! The reader on small texts: what becomes an event, and what becomes a fault.

use std::io::Write;

use super::*;
use crate::model::{Event, EventKind, ExtraData};
use crate::reader::TraceOrigin;

const HEADER: &str = "\
%EventDef PajeSetState 10
% Time date
% Type string
% Container string
% Value string
%EndEventDef
%EventDef PajeSetVariable 13
% Time date
% Container string
% Type string
% Value double
%EndEventDef
%EventDef PajePushState 11
% Time date
% Type string
% Container string
% Value string
% Line int
% Address hex
% When date
% Factor double
% Note string
%EndEventDef
";

#[derive(Debug, Default)]
struct Read {
    /// kind, tick, container, type, value
    events: Vec<(EventKind, i64, String, String, String)>,
    extras: Vec<Vec<(String, String)>>,
    /// code and line
    faults: Vec<(Code, u64)>,
    lines: u64,
    event_lines: u64,
}

fn read(text: impl AsRef<[u8]>) -> Read {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_ref()).expect("write");
    let origin = TraceOrigin::open(file.path()).expect("an origin");
    let mut read = Read::default();
    let mut reader = PajeReader::new(None, Resolution::default());
    let mut consume = |batch: &mut EventBatch| {
        let word = |symbol| String::from_utf8_lossy(batch.symbol(symbol)).into_owned();
        for event in &batch.events {
            read.events.push((event.kind, event.tick, word(event.container), word(event.type_), word(event.value)));
            read.extras.push(extras_of(batch, event));
        }
        for fault in &batch.faults {
            read.faults.push((fault.code, read.lines + u64::from(fault.line) + 1));
        }
        read.lines += u64::from(batch.lines);
        read.event_lines += u64::from(batch.event_lines);
        Ok(ReadFlow::GoOn)
    };
    reader.read(&origin, &mut consume).expect("read");
    read
}

fn extras_of(batch: &EventBatch, event: &Event) -> Vec<(String, String)> {
    batch
        .extras(event)
        .iter()
        .map(|extra| {
            let value = match extra.data {
                ExtraData::Int(value) => value.to_string(),
                ExtraData::UInt(value) => value.to_string(),
                ExtraData::Double(value) => format!("{value:?}"),
                ExtraData::Text(span) => batch.text(span).to_string(),
            };
            (batch.extra_fields[extra.field as usize].column.clone(), value)
        })
        .collect()
}

fn event(
    kind: EventKind,
    tick: i64,
    container: &str,
    type_: &str,
    value: &str,
) -> (EventKind, i64, String, String, String) {
    (kind, tick, container.to_string(), type_.to_string(), value.to_string())
}

#[test]
fn lines_become_events_in_order() {
    let found = read(format!("{HEADER}# a comment\n\n10 1.5 S \"T 1\" E\r\n\t10\t2 S T2 B # why\n13 3 T1 V -2.5\n"));
    assert_eq!(
        found.events,
        [
            event(EventKind::SetState, 1_500_000_000, "T 1", "S", "E"),
            event(EventKind::SetState, 2_000_000_000, "T2", "S", "B"),
            event(EventKind::SetVariable, 3_000_000_000, "T1", "V", ""),
        ]
    );
    assert_eq!(found.faults, []);
    assert_eq!((found.lines, found.event_lines), (28, 3));
}

#[test]
fn further_fields_are_typed() {
    let found = read(format!(
        "{HEADER}11 1 S T E 12 0xff 1.5 2.5 \"a b\"\n11 1 S T E NA 10 NA 1e3 x\n11 1 S T E 1.5 zz 0 x \"\"\n"
    ));
    let pairs = |list: &[(&str, &str)]| list.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<Vec<_>>();
    assert_eq!(
        found.extras,
        [
            pairs(&[("line", "12"), ("address", "255"), ("when", "1.5"), ("factor", "2.5"), ("note", "a b")]),
            pairs(&[("address", "16"), ("factor", "1000.0"), ("note", "x")]),
            pairs(&[("line", "1.5"), ("when", "0.0"), ("note", "")]),
        ]
    );
    assert_eq!(found.faults, [(Code::BadField, 26), (Code::BadField, 26)]);
}

#[test]
fn bad_lines_are_faults_with_their_place() {
    let faults = |line: &str| read(format!("{HEADER}{line}\n")).faults;
    assert_eq!(faults("99 1 2 3"), [(Code::UndefinedEvent, 24)]);
    assert_eq!(faults("hello world"), [(Code::UnreadableLine, 24)]);
    assert_eq!(faults("10 1 S T"), [(Code::MissingField, 24)]);
    assert_eq!(faults("10 abc S T E"), [(Code::BadTime, 24)]);
    assert_eq!(faults("10 1e30 S T E"), [(Code::TimeOutOfRange, 24)]);
    assert_eq!(faults("13 1 T V abc"), [(Code::BadNumber, 24)]);
    assert_eq!(faults("10 1 S T E more"), [(Code::ExtraFields, 24)]);
    assert_eq!(faults("10 1 S T \"E"), [(Code::UnterminatedQuote, 24)]);
    assert_eq!(faults("10 1 S T E\0"), [(Code::NulByte, 24)]);
    assert_eq!(faults(&format!("10 1 S T {}", "x".repeat(2 << 20))), [(Code::LineTooLong, 24)]);
    assert_eq!(read(format!("{HEADER}10 1 S T E")).faults, [(Code::TruncatedLine, 24)]);
    assert_eq!(read("10 1 S T E\n").faults, [(Code::UndefinedEvent, 1)]);
    assert_eq!(read([HEADER.as_bytes(), b"10 1 S \xff\xfe E\n"].concat()).faults, [(Code::InvalidUtf8, 24)]);
}

#[test]
fn a_line_longer_than_any_window_is_one_fault() {
    let mut text = format!("{HEADER}10 1 S T ").into_bytes();
    text.extend(std::iter::repeat_n(b'x', 20 << 20));
    text.extend_from_slice(b"\n10 2 S T E\n");
    let found = read(text);
    assert_eq!(found.faults, [(Code::LineTooLong, 24)]);
    assert_eq!(found.events, [event(EventKind::SetState, 2_000_000_000, "T", "S", "E")]);
    assert_eq!((found.lines, found.event_lines), (25, 2));
}

#[test]
fn definitions_hold_from_their_place_on() {
    let redefinition = "%EventDef PajeSetState 10\n% Container string\n# in between\n\n% Type string\n% Time date\n% Value string\n%EndEventDef\n";
    let found =
        read(format!("{HEADER}10 1 S T E\n{redefinition}10 T S 2 E\n%EventDef Martian 66\n%EndEventDef\n66 1 2 3\n"));
    assert_eq!(
        found.events,
        [
            event(EventKind::SetState, 1_000_000_000, "T", "S", "E"),
            event(EventKind::SetState, 2_000_000_000, "T", "S", "E"),
        ]
    );
    assert_eq!(found.faults, [(Code::RedefinedEvent, 32), (Code::UnknownEvent, 36)]);
}

#[test]
fn definitions_between_all_events_cost_no_copy_each() {
    // Were all definitions copied for each, there would be 200 million of them.
    const COUNT: usize = 20_000;
    let mut text = HEADER.to_string();
    for number in 0..COUNT {
        let (id, first, second) = match number % 2 {
            0 => (1000 + number, "Type", "Container"),
            _ => (10, "Container", "Type"),
        };
        text.push_str(&format!(
            "%EventDef PajeSetState {id}\n% Time date\n% {first} string\n% {second} string\n% Value string\n%EndEventDef\n"
        ));
        let (first, second) = if number % 2 == 0 { ("S", "T") } else { ("T", "S") };
        text.push_str(&format!("{id} {number} {first} {second} E{number}\n"));
    }
    let found = read(text);
    assert_eq!((found.events.len(), found.event_lines), (COUNT, COUNT as u64));
    for (number, event) in found.events.iter().enumerate() {
        let (_, tick, container, type_, value) = event;
        assert_eq!((container.as_str(), type_.as_str(), value.as_str()), ("T", "S", format!("E{number}").as_str()));
        assert_eq!(*tick, number as i64 * 1_000_000_000);
    }
    assert_eq!(found.faults.len(), COUNT / 2);
}

#[test]
fn an_incomplete_definition_loses_its_lines() {
    let found = read("%EventDef PajePopState 12\n% Time date\n% Type string\n12 1 S\n12 2 S\n");
    assert_eq!(
        found.faults,
        [(Code::OpenDefinition, 4), (Code::IncompleteDefinition, 4), (Code::IncompleteDefinition, 5)]
    );
}

#[test]
fn pieces_and_windows_do_not_show() {
    let mut text = HEADER.to_string();
    for index in 0..700_000 {
        text.push_str(&format!("10 {index} S T{} \"value {}\"\n", index % 1000, index % 7));
    }
    assert!(text.len() > 16 << 20);
    let found = read(text);
    assert_eq!((found.lines, found.event_lines, found.events.len()), (700_023, 700_000, 700_000));
    for (index, (_, tick, container, _, value)) in found.events.iter().enumerate() {
        assert_eq!(*tick, index as i64 * 1_000_000_000);
        assert_eq!((container, value), (&format!("T{}", index % 1000), &format!("value {}", index % 7)));
    }
}

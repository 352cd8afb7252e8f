//! Names lead to fields.

use super::*;
use crate::reader::ctf::tsdl;

fn connected(fields: &str) -> TraceClass {
    let text = format!(
        "typealias integer {{ size = 8; }} := u8;
         stream {{ event.header := struct {{ u8 id; }}; packet.context := struct {{ u8 len; }}; }};
         event {{ name = e; fields := struct {{ {fields} }}; }};"
    );
    let mut trace = tsdl::read(&text);
    connect(&mut trace);
    trace
}

#[test]
fn the_innermost_field_before_counts() {
    assert_eq!(connected("u8 len; struct { u8 len; u8 list[len]; } inner;").slots, 1);
    assert!(connected("u8 list[len];").faults.is_empty(), "that of the packet's context");
    assert!(connected("u8 list[stream.packet.context.len];").faults.is_empty());
    assert!(connected("u8 _n; u8 list[n];").faults.is_empty(), "with and without the underscore");
}

#[test]
fn what_leads_nowhere_is_a_fault() {
    assert_eq!(connected("u8 list[later]; u8 later;").faults.len(), 1);
    assert_eq!(connected("string s; u8 list[s];").faults.len(), 1);
}

#[test]
fn options_have_the_values_of_their_labels() {
    let trace = connected("enum : u8 { a = 3 ... 4, b } tag; variant <tag> { u8 a; string b; } v;");
    let payload = trace.streams[&0].events[&0].payload.as_ref().expect("a payload");
    let Some(FieldClass::Variant { options, .. }) = payload.child(1) else { panic!("a variant") };
    assert_eq!(options[0].ranges, [(3, 4)]);
    assert_eq!(options[1].ranges, [(5, 5)]);
}

#[test]
fn a_fault_of_the_packet_header_is_one() {
    let streams: String = (0..50).map(|id| format!("stream {{ id = {id}; }};")).collect();
    let text = format!(
        "typealias integer {{ size = 8; }} := u8; trace {{ packet.header := struct {{ u8 list[missing]; }}; }}; {streams}"
    );
    let mut trace = tsdl::read(&text);
    connect(&mut trace);
    assert_eq!(trace.faults.len(), 1, "{:?}", trace.faults);
}

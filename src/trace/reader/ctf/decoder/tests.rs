//! Values of fields that depend on others.

use super::*;
use crate::reader::ctf::classes::TraceClass;
use crate::reader::ctf::{references, tsdl};

fn values(fields: &str, bytes: &[u8]) -> Result<Vec<FieldValue>, DecodeFault> {
    let text =
        format!("typealias integer {{ size = 8; }} := u8; event {{ name = e; fields := struct {{ {fields} }}; }};");
    let mut trace: TraceClass = tsdl::read(&text);
    references::connect(&mut trace);
    let mut state = DecodeState::new(trace.slots);
    let payload = trace.streams[&0].events[&0].payload.as_ref().expect("a payload");
    let mut values = vec![];
    state.members(payload, &mut BitReader::new(bytes, 0, u64::MAX), |_, value| values.push(value))?;
    Ok(values)
}

#[test]
fn lists_have_the_length_of_another_field() {
    let found = values("u8 n; u8 list[n]; u8 end;", &[2, 7, 8, 9]).expect("whole");
    assert_eq!(found, [FieldValue::Int(2), FieldValue::Json("[7,8]".to_string()), FieldValue::Int(9)]);
    assert_eq!(values("u8 n; u8 list[n];", &[200, 7, 8]), Err(DecodeFault::Beyond));
}

#[test]
fn a_variant_without_an_option_is_a_fault() {
    let fields = "enum : u8 { a = 1, b = 2 } tag; variant <tag> { u8 a; string b; } v;";
    let found = values(fields, &[2, b'x', 0]).expect("an option");
    assert_eq!(found, [FieldValue::Text("b".to_string()), FieldValue::Text("x".to_string())]);
    assert_eq!(values(fields, &[3, 0]), Err(DecodeFault::NoOption));
    assert_eq!(values("u8 list[missing];", &[3, 0]), Err(DecodeFault::NoReference));
}

#[test]
fn elements_of_no_length_end() {
    assert_eq!(values("struct { } list[4000000000];", &[]), Ok(vec![FieldValue::Json("[{}]".to_string())]));
}

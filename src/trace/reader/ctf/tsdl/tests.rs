//! Small metadata: blocks, types of types, and what cannot be understood.

use super::*;
use crate::reader::ctf::classes::FieldRole;

#[test]
fn a_block_that_is_wrong_costs_itself_only() {
    let trace = read(
        "typealias integer { size = 8; } := unsigned char;
         clock { name = c; freq = 10; offset_s = 3; offset = 4; };
         event { name = bad; fields := struct { no_such_type x; }; };
         event { name = \"good\"; id = 2; fields := struct { unsigned char x, y[3][2]; }; };",
    );
    assert_eq!(trace.faults.len(), 1, "{:?}", trace.faults);
    assert_eq!(trace.clocks["c"].nanoseconds(6), 4_000_000_000);
    let event = &trace.streams[&0].events[&2];
    assert_eq!(event.name, "good");
    let Some(FieldClass::Struct(fields)) = &event.payload else { panic!("a struct") };
    let names: Vec<&str> = fields.members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
}

#[test]
fn the_order_of_bytes_is_that_of_the_trace_wherever_it_stands() {
    let trace = read(
        "typealias integer { size = 32; } := u;
         stream { packet.context := struct { u packet_size; integer { size = 32; byte_order = le; } content_size; }; };
         trace { byte_order = be; packet.header := struct { u magic; }; };",
    );
    let Some(FieldClass::Struct(header)) = &trace.packet_header else { panic!("a header") };
    let FieldClass::Integer(magic) = &header.members[0].1 else { panic!("a number") };
    assert_eq!((magic.order, magic.role), (BytesOrder::Big, Some(FieldRole::Magic)));
    let Some(FieldClass::Struct(context)) = &trace.streams[&0].packet_context else { panic!("a context") };
    let order = |(_, class): &(String, FieldClass)| match class {
        FieldClass::Integer(integer) => integer.order,
        _ => panic!("a number"),
    };
    let orders: Vec<_> = context.members.iter().map(order).collect();
    assert_eq!(orders, [BytesOrder::Big, BytesOrder::Little]);
}

#[test]
fn types_that_lie_too_deep_are_refused() {
    let deep = format!("event {{ fields := {} string x; {}; }};", "struct {".repeat(500), "} x;".repeat(500));
    assert_eq!(read(&deep).faults.len(), 1);
}

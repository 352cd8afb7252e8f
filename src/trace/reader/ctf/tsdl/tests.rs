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

#[test]
fn types_that_double_are_refused() {
    let start = "typealias integer { size = 8; } := u8; struct a0 { u8 x; };".to_string();
    let doubled = |level: usize| format!("struct a{level} {{ struct a{0} x; struct a{0} y; }};", level - 1);
    let few = (1..9).fold(start, |text, level| text + &doubled(level));
    let many: String = (9..40).map(doubled).collect();
    let trace = read(&format!(
        "{few} event {{ id = 1; fields := struct a8; }}; {many} event {{ id = 2; fields := struct a39; }};"
    ));
    let event = |id: u64| trace.streams[&0].events.get(&id).and_then(|event| event.payload.as_ref());
    // 256 numbers, and 511 structs from the innermost to the outermost.
    assert_eq!(event(1).map(FieldClass::extent), Some((767, 10)));
    assert!(event(2).is_none() && !trace.faults.is_empty());
}

#[test]
fn a_large_type_of_many_names_is_refused() {
    let members: String = (0..2000).map(|number| format!("u8 a{number};")).collect();
    let names: Vec<String> = (0..2000).map(|number| format!("b{number}")).collect();
    let text = format!(
        "typealias integer {{ size = 8; }} := u8;
         event {{ fields := struct {{ struct {{ {members} }} {}; }}; }};",
        names.join(",")
    );
    assert_eq!(read(&text).faults.len(), 1);
}

#[test]
fn lists_that_lie_too_deep_are_refused() {
    let lists = |depth: usize| {
        format!(
            "typealias integer {{ size = 8; }} := u8; event {{ fields := struct {{ u8 x{}; }}; }};",
            "[1]".repeat(depth)
        )
    };
    assert_eq!(read(&lists(40)).faults.len(), 0);
    assert_eq!(read(&lists(200_000)).faults.len(), 1);
    // By names, too.
    let chain: String = (1..2000).map(|level| format!("struct a{level} {{ struct a{} x; }};", level - 1)).collect();
    let trace = read(&format!("struct a0 {{ string x; }}; {chain}"));
    assert!(!trace.faults.is_empty());
}

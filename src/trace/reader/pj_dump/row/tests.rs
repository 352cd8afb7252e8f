//! Tests of `row`.

use std::borrow::Cow;

use proptest::prelude::*;

use super::{DumpPlace, DumpRow};

fn place<'a>(container: &'a str, type_: &'a str, start: &'a str) -> DumpPlace<'a> {
    DumpPlace { container: Cow::Borrowed(container), type_: Cow::Borrowed(type_), start }
}

#[test]
fn rows_are_read() {
    let container = DumpRow::parse("Container, 0, HOST, 0, 4.35, 4.35, a b").expect("a row");
    let [parent, type_, name] = ["0", "HOST", "a b"].map(Cow::Borrowed);
    assert_eq!(container, DumpRow::Container { parent, type_, start: "0", end: "4.35", name });
    let state = DumpRow::parse("State, r0, MPI, 1.0, 2.0, 1.0, 0.000000, MPI_Send").expect("a row");
    let at = place("r0", "MPI", "1.0");
    assert_eq!(state, DumpRow::State { at, end: "2.0", depth: "0.000000", value: Cow::Borrowed("MPI_Send") });
    let event = DumpRow::parse("Event, r0, mark, 1.5, hello, world").expect("a row");
    assert_eq!(event, DumpRow::Event { at: place("r0", "mark", "1.5"), value: Cow::Borrowed("hello, world") });
    let variable = DumpRow::parse("Variable, r0, power, 1, 2, 1, -3e8").expect("a row");
    assert_eq!(variable, DumpRow::Variable { at: place("r0", "power", "1"), end: "2", value: "-3e8" });
    let link = DumpRow::parse("Link, 0, L, 1, 2, 1, PTP, r0, r1, 7_8").expect("a row");
    let [value, source, target, key] = ["PTP", "r0", "r1", "7_8"].map(Cow::Borrowed);
    assert_eq!(link, DumpRow::Link { at: place("0", "L", "1"), end: "2", value, ends: [source, target], key });
}

#[test]
fn commas_and_quotes_of_names() {
    let Some(DumpRow::State { at, value, .. }) = DumpRow::parse("State, a, b, c, 1, 2, 1, 0, f(x, y)") else {
        panic!("a state");
    };
    assert_eq!((at.container, at.type_, value), ("a, b".into(), "c".into(), "f(x, y)".into()));
    let Some(DumpRow::State { at, value, .. }) = DumpRow::parse(r#"State, "a, ""b""", t, 1, 2, 1, 0, "x, y""#) else {
        panic!("a state");
    };
    assert_eq!((at.container, value), ("a, \"b\"".into(), "x, y".into()));
}

#[test]
fn other_lines_are_no_rows() {
    for line in [
        "",
        "State",
        "State, a, b, 1, 2",
        "Foo, a, b, 1, 2, 3, 4",
        "Variable, a, b, 1, 2, 1, 3, 4",
        "Link, a, b, 1, 2, 1, v",
    ] {
        assert_eq!(DumpRow::parse(line), None, "{line}");
    }
}

proptest! {
    #[test]
    fn any_line_is_read(line in "(State|Link|Event|Container|Variable|\")?(, |\"|[a0-9.,é])*") {
        let _ = DumpRow::parse(&line);
    }
}

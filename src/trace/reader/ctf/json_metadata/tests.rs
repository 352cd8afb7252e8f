//! Fragments that are wrong.

use super::*;

#[test]
fn a_fragment_that_is_wrong_costs_itself_only() {
    let trace = read(concat!(
        "\x1e{\"type\":\"preamble\",\"version\":2}",
        "\x1e{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000}",
        "\x1e{\"type\":\"event-record-class\",\"id\":1,\"payload-field-class\":{\"type\":\"unheard-of\"}}",
        "\x1e{\"type\":\"event-record-class\",\"id\":2,\"payload-field-class\":\"missing alias\"}",
        "\x1enot JSON",
        "\x1e{\"type\":\"event-record-class\",\"id\":3,\"name\":\"good\"}",
    ));
    assert_eq!(trace.faults.len(), 3, "{:?}", trace.faults);
    assert_eq!(trace.clocks["c"].frequency, 1000);
    assert_eq!(trace.streams[&0].events.keys().copied().collect::<Vec<_>>(), [3]);
}

#[test]
fn an_alias_of_itself_ends() {
    let trace = read(concat!(
        "\x1e{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":\"a\"}",
        "\x1e{\"type\":\"event-record-class\",\"id\":1,\"payload-field-class\":\"a\"}",
    ));
    assert_eq!(trace.faults.len(), 1);
}

#[test]
fn aliases_that_double_end() {
    let mut text =
        "\x1e{\"type\":\"field-class-alias\",\"name\":\"a0\",\"field-class\":{\"type\":\"null-terminated-string\"}}"
            .to_string();
    for level in 1..24 {
        let member = format!("{{\"name\":\"x\",\"field-class\":\"a{}\"}}", level - 1);
        let class = format!("{{\"type\":\"structure\",\"member-classes\":[{member},{member}]}}");
        text += &format!("\x1e{{\"type\":\"field-class-alias\",\"name\":\"a{level}\",\"field-class\":{class}}}");
    }
    let event =
        |id: u64| format!("\x1e{{\"type\":\"event-record-class\",\"id\":{id},\"payload-field-class\":\"a{id}\"}}");
    let trace = read(&(text + &event(3) + &event(23)));
    assert_eq!(trace.faults.len(), 1);
    assert_eq!(trace.streams[&0].events.keys().copied().collect::<Vec<_>>(), [3]);
}

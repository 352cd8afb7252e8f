//! Tests of `sql_context`.

use super::*;

fn call(text: &str) -> Option<(String, Vec<String>)> {
    open_call(text).map(|call| (call.function, call.given))
}

#[test]
fn a_call_is_open_where_an_argument_could_begin() {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    for (text, expected) in [
        ("SELECT * FROM Events_at(", Some(("events_at".to_string(), vec![]))),
        ("FROM f(time => 1, ", Some(("f".to_string(), names(&["time"])))),
        ("FROM f((SELECT a FROM g(x => 1)), p => 2,", Some(("f".to_string(), names(&["p"])))),
        ("FROM f(time =>", None),
        ("FROM f(1)", None),
        ("FROM f", None),
        ("SELECT (", Some(("select".to_string(), vec![]))),
        ("(", None),
    ] {
        assert_eq!(call(text), expected, "{text}");
    }
}

#[test]
fn relations_are_found_by_their_aliases() {
    let table = |name: &str| RelationName::Table(name.to_string());
    let function = |name: &str| RelationName::Function(name.to_string());
    for (text, expected) in [
        ("SELECT s. FROM states s", vec![("s", table("states"))]),
        ("FROM lu.states AS s JOIN links ON true", vec![("links", table("links")), ("s", table("states"))]),
        ("FROM events_at(time => 1) e, states", vec![("e", function("events_at")), ("states", table("states"))]),
        ("FROM (SELECT 1) x JOIN f((SELECT 1)) WHERE", vec![("f", function("f"))]),
        ("FROM states WHERE a", vec![("states", table("states"))]),
        ("FROM", vec![]),
    ] {
        let expected: BTreeMap<String, RelationName> =
            expected.into_iter().map(|(name, relation)| (name.to_string(), relation)).collect();
        assert_eq!(relations(text), expected, "{text}");
    }
}

//! Tests of `types`.

use super::*;

#[test]
fn types_have_two_names() {
    for (number, name) in
        [(16, "boolean"), (701, "double precision"), (1184, "timestamp with time zone"), (1009, "text[]")]
    {
        assert_eq!(TYPES.sql_name(number, -1), name);
        assert_eq!(TYPES.number(name), Some(number), "{name}");
    }
    assert_eq!(TYPES.number("pg_catalog.int4"), Some(23));
    assert_eq!(TYPES.number("varchar(20)"), Some(1043));
    assert_eq!(TYPES.number("hstore"), None);
    assert_eq!(TYPES.sql_name(1043, 24), "character varying(20)");
    assert_eq!(TYPES.sql_name(19, -1), "name");
}

#[test]
fn documented_kinds_are_types() {
    assert_eq!(of_documentation("List(Float64)"), 1022);
    assert_eq!(of_documentation("BIGINT"), 20);
}

#[test]
fn functions_that_are_not_there_are_zero() {
    let receive = text(&TYPES.rows, "typreceive");
    assert!(receive.iter().all(|name| name != Some("-")));
}

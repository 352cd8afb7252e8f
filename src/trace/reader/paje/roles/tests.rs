//! Tests of `roles`.

use super::*;

#[test]
fn fields_become_columns() {
    for (field, column) in [
        ("FileName", "file_name"),
        ("LineNumber", "line_number"),
        ("MPITAG", "mpitag"),
        ("GFlop", "g_flop"),
        ("JobId", "job_id"),
        ("X", "x"),
        ("a-b c", "a_b_c"),
        ("2nd", "_2nd"),
        ("Depth", "field_depth"),
        ("Duration", "field_duration"),
    ] {
        assert_eq!(column_name(StoredTable::States, field), column);
    }
}

#[test]
fn every_spelling_has_its_role() {
    let fields = |names: &[&str]| names.iter().map(|name| (name.to_string(), FieldKind::Text)).collect::<Vec<_>>();
    let (roles, missing) = assign(
        EventKind::DefineLinkType,
        &fields(&["Alias", "ContainerType", "SourceContainerType", "DestContainerType", "Name"]),
    );
    assert_eq!(missing, None);
    assert_eq!(roles, [Role::Alias, Role::Type, Role::SourceType, Role::TargetType, Role::Value]);
    let (roles, missing) =
        assign(EventKind::EndLink, &fields(&["Time", "Type", "DestContainer", "Container", "Key", "Value", "Line"]));
    assert_eq!(missing, None);
    assert_eq!(roles[2..4], [Role::EndContainer, Role::Container]);
    assert_eq!(roles[6], Role::Extra(u32::MAX, FieldKind::Text));
    let (_, missing) = assign(EventKind::PushState, &fields(&["Time", "Type", "Container"]));
    assert_eq!(missing, Some("Value"));
}

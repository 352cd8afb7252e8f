//! Tests of `declared_columns`.

use super::*;

#[test]
fn columns_are_bounded_and_said_so_once() {
    for count in [40_000, 80_000] {
        let mut columns = DeclaredColumns::default();
        let mut declare =
            |table, number: usize| columns.field(table, &format!("c{number}"), FieldKind::Int, ExtraRole::Column);
        let left_out =
            (0..count).filter(|number| declare(StoredTable::States, *number) == ExtraFieldId::LEFT_OUT).count();
        assert_eq!(left_out, count - MOST_EXTRA_COLUMNS);
        assert_eq!(declare(StoredTable::States, 7), ExtraFieldId(7));
        // Another table has its own.
        assert_eq!(declare(StoredTable::Events, 7), ExtraFieldId(MOST_EXTRA_COLUMNS as u32));
        assert_eq!(columns.fields().len(), MOST_EXTRA_COLUMNS + 1);
        let warnings = columns.take_warnings();
        assert!(warnings.len() == 1 && warnings[0].contains("of states are not kept"), "{warnings:?}");
        assert!(columns.take_warnings().is_empty());
    }
}

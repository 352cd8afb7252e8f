//! Tests of `columns`.

use super::*;

fn extra(name: &str, kind: ColumnType) -> ExtraColumn {
    ExtraColumn { name: name.to_string(), kind, doc: String::new() }
}

#[test]
fn extra_columns_join_by_name() {
    let one = vec![extra("line", ColumnType::BigInt), extra("tag", ColumnType::BigInt)];
    let other =
        vec![extra("file", ColumnType::Text), extra("line", ColumnType::Double), extra("tag", ColumnType::Text)];
    let joined = join_extras([one.as_slice(), other.as_slice()]);
    let expected =
        vec![extra("line", ColumnType::Double), extra("tag", ColumnType::Text), extra("file", ColumnType::Text)];
    assert_eq!(joined, expected);
}

//! Tests of `columns`.

use super::*;

fn extra(name: &str, kind: Kind) -> ExtraColumn {
    ExtraColumn { name: name.to_string(), kind, doc: String::new() }
}

#[test]
fn extra_columns_join_by_name() {
    let one = vec![extra("line", Kind::BigInt), extra("tag", Kind::BigInt)];
    let other = vec![extra("file", Kind::Text), extra("line", Kind::Double), extra("tag", Kind::Text)];
    let joined = join_extras([one.as_slice(), other.as_slice()]);
    let expected = vec![extra("line", Kind::Double), extra("tag", Kind::Text), extra("file", Kind::Text)];
    assert_eq!(joined, expected);
}

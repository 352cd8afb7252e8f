//! Tests of `table`.

use super::*;
use arrow::array::AsArray;
use arrow::datatypes::Int32Type;

#[test]
fn constants_are_not_in_the_rows() {
    let rows = [vec![CatalogValue::Int(7), CatalogValue::of("a")], vec![CatalogValue::Int(8), CatalogValue::Null]];
    let table = build("oid oid, kind char = r, name text", &rows).expect("a table");
    assert_eq!(table.column(0).as_primitive::<Int32Type>().values(), &[7, 8]);
    assert_eq!(table.column(1).as_string::<i32>().value(1), "r");
    assert_eq!(table.column(2).null_count(), 1);
    assert_eq!(build("oid oid", &[]).expect("a table").num_rows(), 0);
}

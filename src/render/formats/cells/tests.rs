//! Tests of `cells`.

use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, NullArray};

use super::*;
use crate::formats::testing;

#[test]
fn null_is_told_apart_from_empty_text() {
    let batch = testing::awkward();
    let cells = CellTexts::new(&batch).expect("cells");
    let mut text = String::new();
    assert!(!cells.read(1, 0, &mut text).expect("a cell"));
    assert!(cells.read(1, 1, &mut text).expect("a cell") && text.is_empty());
    assert!(cells.read(0, 4, &mut text).expect("a cell"));
    assert_eq!(text, "[1, NULL, 3]");
    assert!(!cells.read(1, 5, &mut text).expect("a NULL key of a dictionary"));
    let untyped: ArrayRef = Arc::new(NullArray::new(1));
    let batch = RecordBatch::try_from_iter([("x", untyped)]).expect("one column");
    assert!(!CellTexts::new(&batch).expect("cells").read(0, 0, &mut text).expect("a cell"));
}

#[test]
fn doubles_read_back_as_themselves() {
    let values = [0.1, 1.0 / 3.0, 1e300, 5e-324, -0.0, 123_456_789.123_456_78];
    let array: ArrayRef = Arc::new(Float64Array::from(values.to_vec()));
    let batch = RecordBatch::try_from_iter([("x", array)]).expect("one column");
    let cells = CellTexts::new(&batch).expect("cells");
    let mut text = String::new();
    for (row, value) in values.iter().enumerate() {
        cells.read(row, 0, &mut text).expect("a cell");
        assert_eq!(text.parse::<f64>().expect("a number").to_bits(), value.to_bits(), "{text}");
    }
    cells.read(0, 0, &mut text).expect("a cell");
    assert_eq!(text, "0.1");
}

#[test]
fn types_have_their_sql_names() {
    let batch = testing::awkward();
    let names: Vec<String> = batch.schema().fields().iter().map(|field| type_name(field.data_type())).collect();
    assert_eq!(names, ["integer", "text", "text", "double", "integer[]", "text", "boolean"]);
}

//! Values of every type, worked out by hand from PostgreSQL's documents.

use std::sync::Arc;

use arrow::array::{
    BinaryArray, BooleanArray, Decimal128Array, DictionaryArray, DurationNanosecondArray, Float64Array, Int8Array,
    Int64Array, ListArray, NullArray, StringArray, StringViewArray, StructArray, TimestampNanosecondArray, UInt64Array,
};
use arrow::datatypes::{DataType, Field, Int32Type, Int64Type};

use arrow::array::Array;
use arrow::buffer::OffsetBuffer;
use bytes::BytesMut;

use super::*;

/// The values of an array; `None` is NULL.
fn written(array: ArrayRef, format: FieldFormat) -> Vec<Option<Vec<u8>>> {
    let field: FieldRef = Arc::new(Field::new("c", array.data_type().clone(), true));
    let cells = encode(&array, &field, format, ValueStyle::default());
    let value = |row| {
        (!cells.is_null(row)).then(|| {
            let mut out = BytesMut::new();
            cells.put(row, &mut out);
            out.to_vec()
        })
    };
    (0..array.len()).map(value).collect()
}

fn text(array: impl Array + 'static) -> Vec<Option<String>> {
    let values = written(Arc::new(array), FieldFormat::Text).into_iter();
    values.map(|value| value.map(|bytes| String::from_utf8(bytes).expect("text"))).collect()
}

fn binary(array: impl Array + 'static) -> Vec<u8> {
    written(Arc::new(array), FieldFormat::Binary).remove(0).expect("a value")
}

fn one(value: &str) -> Vec<Option<String>> {
    vec![Some(value.to_string())]
}

#[test]
fn simple_values_are_written() {
    assert_eq!(text(BooleanArray::from(vec![true])), one("t"));
    assert_eq!(binary(BooleanArray::from(vec![true])), [1]);
    assert_eq!(text(Int64Array::from(vec![Some(-5), None])), [Some("-5".to_string()), None]);
    assert_eq!(binary(Int64Array::from(vec![258])), [0, 0, 0, 0, 0, 0, 1, 2]);
    // One byte wide values are int2.
    assert_eq!(binary(Int8Array::from(vec![-1])), [255, 255]);
    assert_eq!(text(Float64Array::from(vec![f64::INFINITY])), one("Infinity"));
    assert_eq!(text(StringViewArray::from(vec!["é"])), one("é"));
    assert_eq!(binary(StringViewArray::from(vec!["é"])), "é".as_bytes());
    assert_eq!(text(BinaryArray::from_vec(vec![b"\x00\xff"])), one("\\x00ff"));
    assert_eq!(text(NullArray::new(1)), [None]);
    let names: DictionaryArray<Int32Type> = vec![Some("a"), None].into_iter().collect();
    assert_eq!(text(names), [Some("a".to_string()), None]);
}

#[test]
fn numbers_beyond_64_bits_are_numerics() {
    assert_eq!(text(UInt64Array::from(vec![u64::MAX])), one("18446744073709551615"));
    let price = Decimal128Array::from(vec![-1250]).with_precision_and_scale(10, 2).expect("a scale");
    assert_eq!(text(price.clone()), one("-12.50"));
    // Two digits to the base 10000, the first of weight 0, negative, two decimals: 12, 5000.
    assert_eq!(binary(price), [0, 2, 0, 0, 0x40, 0, 0, 2, 0, 12, 0x13, 0x88]);
}

#[test]
fn times_count_from_2000_in_microseconds() {
    let start = TimestampNanosecondArray::from(vec![946_684_800_000_001_000]).with_timezone("UTC");
    assert_eq!(text(start.clone()), one("2000-01-01 00:00:00.000001+00"));
    assert_eq!(binary(start), 1_i64.to_be_bytes());
    let second = DurationNanosecondArray::from(vec![1_500_000_000]);
    assert_eq!(text(second.clone()), one("00:00:01.5"));
    assert_eq!(binary(second), [1_500_000_i64.to_be_bytes().as_slice(), &[0; 8]].concat());
}

#[test]
fn lists_and_records_are_quoted_where_needed() {
    let numbers = ListArray::from_iter_primitive::<Int64Type, _, _>([Some(vec![Some(1), None]), Some(vec![])]);
    assert_eq!(text(numbers.clone()), [Some("{1,NULL}".to_string()), Some("{}".to_string())]);
    let expected: [&[u8]; 5] = [
        &[0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 20],
        &[0, 0, 0, 2, 0, 0, 0, 1],
        &[0, 0, 0, 8],
        &1_i64.to_be_bytes(),
        &[255; 4],
    ];
    assert_eq!(binary(numbers), expected.concat());
    let record = StructArray::from(vec![
        (Arc::new(Field::new("a", DataType::Int64, true)), Arc::new(Int64Array::from(vec![None])) as ArrayRef),
        (Arc::new(Field::new("b", DataType::Utf8, true)), Arc::new(StringArray::from(vec!["x \"y\""])) as ArrayRef),
    ]);
    assert_eq!(text(record.clone()), one("(,\"x \"\"y\"\"\")"));
    let expected: [&[u8]; 6] = [&[0, 0, 0, 2], &[0, 0, 0, 20], &[255; 4], &[0, 0, 0, 25], &[0, 0, 0, 5], b"x \"y\""];
    assert_eq!(binary(record), expected.concat());
}

#[test]
fn lists_of_records_are_json() {
    let record = StructArray::from(vec![
        (
            Arc::new(Field::new("value", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec![Some("a \"b\""), None])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("part", DataType::Float64, true)),
            Arc::new(Float64Array::from(vec![0.25, f64::NAN])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("is_it", DataType::Boolean, true)),
            Arc::new(BooleanArray::from(vec![true, false])) as ArrayRef,
        ),
    ]);
    let element = Arc::new(Field::new("item", record.data_type().clone(), true));
    let lists = ListArray::new(element, OffsetBuffer::from_lengths([2, 0]), Arc::new(record), None);
    let expected = r#"[{"value":"a \"b\"","part":0.25,"is_it":true},{"value":null,"part":null,"is_it":false}]"#;
    assert_eq!(text(lists.clone()), [Some(expected.to_string()), Some("[]".to_string())]);
    // The binary format of json is its text.
    assert_eq!(binary(lists), expected.as_bytes());
}

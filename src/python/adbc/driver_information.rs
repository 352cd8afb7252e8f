//! What the driver says of itself: `AdbcConnectionGetInfo`.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array, UnionArray, new_empty_array,
};
use arrow::buffer::ScalarBuffer;
use arrow::datatypes::{DataType, Field, FieldRef, Fields, Schema, UnionFields, UnionMode};
use arrow::error::ArrowError;

use super::abi::VERSION_1_1;

/// A fact; its place in the list of values' types says its type.
enum DriverFact {
    Text(&'static str),
    Flag(bool),
    Number(i64),
}

const OCELLUS: &str = "Ocellus";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Facts by the numbers of the standard.
const FACTS: [(u32, DriverFact); 9] = [
    (0, DriverFact::Text(OCELLUS)),
    (1, DriverFact::Text(VERSION)),
    (2, DriverFact::Text(arrow::ARROW_VERSION)),
    (3, DriverFact::Flag(true)),
    (4, DriverFact::Flag(false)),
    (100, DriverFact::Text("Ocellus ADBC driver")),
    (101, DriverFact::Text(VERSION)),
    (102, DriverFact::Text(arrow::ARROW_VERSION)),
    (103, DriverFact::Number(VERSION_1_1 as i64)),
];

/// The facts with these numbers, or all; numbers that the driver does not know are left out.
pub fn information(codes: Option<&[u32]>) -> Result<RecordBatch, ArrowError> {
    let (mut names, mut kinds, mut offsets) = (vec![], vec![], vec![]);
    let (mut texts, mut flags, mut numbers) = (vec![], vec![], vec![]);
    for (code, fact) in &FACTS {
        if codes.is_some_and(|codes| !codes.is_empty() && !codes.contains(code)) {
            continue;
        }
        names.push(*code);
        let (kind, place) = match fact {
            DriverFact::Text(text) => (0_i8, push(&mut texts, *text)),
            DriverFact::Flag(flag) => (1, push(&mut flags, *flag)),
            DriverFact::Number(number) => (2, push(&mut numbers, *number)),
        };
        kinds.push(kind);
        offsets.push(place);
    }
    let fields = value_fields();
    let mut children: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from(texts)),
        Arc::new(BooleanArray::from(flags)),
        Arc::new(Int64Array::from(numbers)),
        Arc::new(Int32Array::from(Vec::<i32>::new())),
    ];
    children.extend(fields.iter().skip(4).map(|(_, field)| new_empty_array(field.data_type())));
    let values =
        UnionArray::try_new(fields.clone(), ScalarBuffer::from(kinds), Some(ScalarBuffer::from(offsets)), children)?;
    let schema = Schema::new(vec![
        Field::new("info_name", DataType::UInt32, false),
        Field::new("info_value", DataType::Union(fields, UnionMode::Dense), true),
    ]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(UInt32Array::from(names)), Arc::new(values)])
}

/// Adds a value; its place.
fn push<T>(values: &mut Vec<T>, value: T) -> i32 {
    values.push(value);
    values.len() as i32 - 1
}

/// The types that values may have, by the standard.
fn value_fields() -> UnionFields {
    let list = |item: DataType| DataType::List(Arc::new(Field::new("item", item, true)));
    let entries =
        Fields::from(vec![Field::new("key", DataType::Int32, false), Field::new("value", list(DataType::Int32), true)]);
    let map = DataType::Map(Arc::new(Field::new("entries", DataType::Struct(entries), false)), false);
    let fields: Vec<(i8, FieldRef)> = [
        ("string_value", DataType::Utf8),
        ("bool_value", DataType::Boolean),
        ("int64_value", DataType::Int64),
        ("int32_bitmask", DataType::Int32),
        ("string_list", list(DataType::Utf8)),
        ("int32_to_int32_list_map", map),
    ]
    .into_iter()
    .enumerate()
    .map(|(place, (name, kind))| (place as i8, Arc::new(Field::new(name, kind, true))))
    .collect();
    UnionFields::from_iter(fields)
}

//! Lists of records as JSON: clients know the type `json`, while many do not know arrays of records without a name.
//!
//! Numbers that JSON does not have, such as infinity, are null. Moments are texts, as PostgreSQL writes them.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::DataType;
use bytes::{BufMut, BytesMut};

use super::column::{PgValueColumn, ValueStyle, ValueWriter};
use super::nested::Lists;

/// How a value that is neither list nor record is written as text.
pub(super) type PlainColumn = fn(&ArrayRef, ValueStyle) -> PgValueColumn;

/// Whether values of a type are lists of records, or lists of such lists.
pub(super) fn is_list_of_records(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            matches!(element.data_type(), DataType::Struct(_)) || is_list_of_records(element.data_type())
        }
        _ => false,
    }
}

/// Writes the values of an array as JSON.
pub(super) fn writer(array: &ArrayRef, plain: PlainColumn, style: ValueStyle) -> ValueWriter {
    let null_or = |array: &ArrayRef| -> ValueWriter {
        let (nulls, write) = (array.logical_nulls(), writer(array, plain, style));
        Box::new(move |row, out| match nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
            true => out.put_slice(b"null"),
            false => write(row, out),
        })
    };
    match array.data_type() {
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            let lists = Lists::of(array);
            let element = null_or(&lists.elements);
            Box::new(move |row, out| {
                out.put_u8(b'[');
                for (index, place) in lists.places(row).enumerate() {
                    if index > 0 {
                        out.put_u8(b',');
                    }
                    element(place, out);
                }
                out.put_u8(b']');
            })
        }
        DataType::Struct(fields) => {
            let values = array.as_struct().columns().iter().map(null_or);
            let names = fields.iter().map(|field| serde_json::Value::from(field.name().as_str()).to_string());
            let fields: Vec<(String, ValueWriter)> = names.zip(values).collect();
            Box::new(move |row, out| {
                out.put_u8(b'{');
                for (index, (name, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.put_u8(b',');
                    }
                    out.put_slice(name.as_bytes());
                    out.put_u8(b':');
                    value(row, out);
                }
                out.put_u8(b'}');
            })
        }
        DataType::Boolean => {
            let array = array.as_boolean().clone();
            Box::new(move |row, out| out.put_slice(if array.value(row) { b"true" } else { b"false" }))
        }
        kind => {
            let (is_number, text_of) = (kind.is_numeric(), plain(array, style));
            Box::new(move |row, out| {
                let mut text = BytesMut::new();
                text_of.put(row, &mut text);
                match is_number {
                    true if text.iter().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte)) => {
                        out.put_slice(&text)
                    }
                    true => out.put_slice(b"null"),
                    false => {
                        out.put_slice(serde_json::Value::from(String::from_utf8_lossy(&text)).to_string().as_bytes())
                    }
                }
            })
        }
    }
}

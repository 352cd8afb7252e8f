//! Lists of records as JSON, by arrow's own writer: clients know the type `json`, while many do not know arrays of
//! records without a name. Numbers that JSON does not have, such as infinity, are null.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef};
use arrow::datatypes::{DataType, Field};
use arrow::json::writer::{EncoderOptions, make_encoder};
use bytes::BufMut;

use super::column::ValueWriter;

/// Whether values of a type are lists of records, or lists of such lists.
pub(super) fn is_list_of_records(data_type: &DataType) -> bool {
    match data_type {
        DataType::List(element) | DataType::LargeList(element) | DataType::FixedSizeList(element, _) => {
            matches!(element.data_type(), DataType::Struct(_)) || is_list_of_records(element.data_type())
        }
        _ => false,
    }
}

/// Writes the values of an array as JSON; `None` for a type that arrow cannot write so.
pub(super) fn writer(array: &ArrayRef) -> Option<ValueWriter> {
    let field = Arc::new(Field::new("list", array.data_type().clone(), true));
    let options = EncoderOptions::default().with_explicit_nulls(true);
    let mut encoder = make_encoder(&field, array.as_ref(), &options).ok()?;
    let (mut written, mut ends) = (vec![], vec![0]);
    for row in 0..array.len() {
        if array.is_valid(row) {
            encoder.encode(row, &mut written);
        }
        ends.push(written.len());
    }
    Some(Box::new(move |row, out| out.put_slice(&written[ends[row]..ends[row + 1]])))
}

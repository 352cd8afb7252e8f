//! Values of columns as PostgreSQL writes them, as text and in binary.

mod binary;
mod calendar;
mod nested;
mod number;
mod text;

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::array::timezone::Tz;
use arrow::array::{Array, ArrayRef, AsArray};
use arrow::buffer::NullBuffer;
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef, Schema};
use bytes::{BufMut, BytesMut};

use super::backend::put_sized;
use super::frontend::ValueFormat;
use super::types::is_shown_as_text;

/// Writes the value of a row. The value is not NULL.
type ValueWriter = Box<dyn Fn(usize, &mut BytesMut) + Send>;

/// How a session wants values.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueStyle {
    pub(super) zone: Tz,
}

/// A column of a batch, ready to be written.
pub(super) struct EncodedColumn {
    nulls: Option<NullBuffer>,
    write: ValueWriter,
}

impl EncodedColumn {
    pub(super) fn new(array: &ArrayRef, field: &FieldRef, format: ValueFormat, style: ValueStyle) -> EncodedColumn {
        let array = plain(array);
        let write = match format {
            ValueFormat::Binary if !is_shown_as_text(field) => binary::writer(&array, style),
            _ => text::writer(&array, style),
        };
        EncodedColumn { nulls: array.logical_nulls(), write }
    }

    pub(super) fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    /// Writes the bytes of a value that is not NULL.
    pub(super) fn put(&self, row: usize, out: &mut BytesMut) {
        (self.write)(row, out);
    }

    /// Writes a value with its length, or −1 for NULL.
    pub(super) fn put_sized(&self, row: usize, out: &mut BytesMut) {
        match self.is_null(row) {
            true => out.put_i32(-1),
            false => put_sized(out, 0, |out| self.put(row, out)),
        }
    }
}

/// The columns of a batch in the formats that are wanted.
pub(super) fn encode_columns(
    schema: &Schema,
    batch: &RecordBatch,
    formats: &[ValueFormat],
    style: ValueStyle,
) -> Vec<EncodedColumn> {
    let fields = schema.fields().iter().zip(batch.columns()).enumerate();
    let format = |index: usize| formats.get(index).copied().unwrap_or(ValueFormat::Text);
    fields.map(|(index, (field, array))| EncodedColumn::new(array, field, format(index), style)).collect()
}

/// An array without dictionaries.
fn plain(array: &ArrayRef) -> ArrayRef {
    let values = match array.data_type() {
        DataType::Dictionary(_, values) => values.as_ref().clone(),
        DataType::RunEndEncoded(_, values) => values.data_type().clone(),
        // Lists with a place and a length each.
        DataType::ListView(element) => DataType::List(Arc::clone(element)),
        DataType::LargeListView(element) => DataType::LargeList(Arc::clone(element)),
        _ => return Arc::clone(array),
    };
    // Every array of these types has its plain form.
    cast(array, &values).map_or_else(|_| Arc::clone(array), |array| plain(&array))
}

/// Writes UTF-8 texts or bytes as they are.
fn raw(array: &ArrayRef) -> Option<ValueWriter> {
    Some(match array.data_type() {
        DataType::Utf8 => {
            let array = array.as_string::<i32>().clone();
            Box::new(move |row, out| out.put_slice(array.value(row).as_bytes()))
        }
        DataType::LargeUtf8 => {
            let array = array.as_string::<i64>().clone();
            Box::new(move |row, out| out.put_slice(array.value(row).as_bytes()))
        }
        DataType::Utf8View => {
            let array = array.as_string_view().clone();
            Box::new(move |row, out| out.put_slice(array.value(row).as_bytes()))
        }
        DataType::Binary => {
            let array = array.as_binary::<i32>().clone();
            Box::new(move |row, out| out.put_slice(array.value(row)))
        }
        DataType::LargeBinary => {
            let array = array.as_binary::<i64>().clone();
            Box::new(move |row, out| out.put_slice(array.value(row)))
        }
        DataType::BinaryView => {
            let array = array.as_binary_view().clone();
            Box::new(move |row, out| out.put_slice(array.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let array = array.as_fixed_size_binary().clone();
            Box::new(move |row, out| out.put_slice(array.value(row)))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests;

//! Values in binary.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, FieldRef, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type,
};
use bytes::{BufMut, BytesMut};

use super::super::types::{is_shown_as_text, type_of};
use super::arrays::{intervals, plain, raw, times, widened};
use super::calendar::{EPOCH_DAYS, EPOCH_MICROSECONDS};
use super::column::{PgValueColumn, ValueStyle, ValueWriter};
use super::nested::{self, Lists};
use super::number::put_numeric;
use super::text;

/// A column in binary; one that PostgreSQL has no type for stays text.
pub(super) fn column(array: &ArrayRef, field: &FieldRef, style: ValueStyle) -> PgValueColumn {
    if is_shown_as_text(field) {
        return text::column(array, style);
    }
    let array = plain(array);
    PgValueColumn::new(&array, writer(&array, style))
}

/// Writes the values of an array in binary.
pub(super) fn writer(array: &ArrayRef, style: ValueStyle) -> ValueWriter {
    match array.data_type() {
        DataType::Boolean => {
            let array = array.as_boolean().clone();
            Box::new(move |row, out| out.put_u8(u8::from(array.value(row))))
        }
        DataType::Int8 | DataType::UInt8 => writer(&widened(array, &DataType::Int16), style),
        DataType::UInt16 => writer(&widened(array, &DataType::Int32), style),
        DataType::UInt32 => writer(&widened(array, &DataType::Int64), style),
        DataType::Float16 => writer(&widened(array, &DataType::Float32), style),
        DataType::Date64 => writer(&widened(array, &DataType::Date32), style),
        DataType::Int16 => number::<Int16Type>(array, BufMut::put_i16),
        DataType::Int32 => number::<Int32Type>(array, BufMut::put_i32),
        DataType::Int64 => number::<Int64Type>(array, BufMut::put_i64),
        DataType::Float32 => number::<Float32Type>(array, BufMut::put_f32),
        DataType::Float64 => number::<Float64Type>(array, BufMut::put_f64),
        DataType::Date32 => number::<Date32Type>(array, |out, days| out.put_i32(days.saturating_sub(EPOCH_DAYS))),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            let lists = Lists::of(array);
            let elements = column(&lists.elements, &lists.field, style);
            nested::list_binary(lists, elements)
        }
        DataType::Struct(_) => {
            let fields = array.as_struct().fields().iter().zip(array.as_struct().columns());
            let fields = fields.map(|(field, values)| (type_of(field).oid(), column(values, field, style)));
            nested::record_binary(fields.collect())
        }
        _ => raw(array).or_else(|| wide(array)).unwrap_or_else(|| text::writer(array, style)),
    }
}

fn number<T: ArrowPrimitiveType>(array: &ArrayRef, put: fn(&mut BytesMut, T::Native)) -> ValueWriter {
    let array = array.as_primitive::<T>().clone();
    Box::new(move |row, out| put(out, array.value(row)))
}

/// Values of 8 bytes and more.
fn wide(array: &ArrayRef) -> Option<ValueWriter> {
    Some(match array.data_type() {
        DataType::UInt64
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => {
            let digits = text::writer(array, ValueStyle::default());
            Box::new(move |row, out| {
                let mut text = BytesMut::new();
                digits(row, &mut text);
                put_numeric(&String::from_utf8_lossy(&text), out);
            })
        }
        DataType::Time32(_) | DataType::Time64(_) => {
            let time_of = times(array);
            Box::new(move |row, out| out.put_i64(time_of(row)))
        }
        DataType::Timestamp(..) => {
            let time_of = times(array);
            Box::new(move |row, out| out.put_i64(time_of(row).saturating_sub(EPOCH_MICROSECONDS)))
        }
        DataType::Duration(_) | DataType::Interval(_) => {
            let interval_of = intervals(array);
            Box::new(move |row, out| {
                let (months, days, microseconds) = interval_of(row);
                out.put_i64(microseconds);
                out.put_i32(days);
                out.put_i32(months);
            })
        }
        _ => return None,
    })
}

//! Values as text.

use std::fmt::{Display, LowerExp, Write};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    ArrowPrimitiveType, DataType, Date32Type, Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type,
    DecimalType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow::util::display::array_value_to_string;
use bytes::{BufMut, BytesMut};

use super::arrays::{intervals, plain, raw, times, widened};
use super::calendar::{put_date, put_interval, put_time, put_timestamp};
use super::column::{PgValueColumn, ValueStyle, ValueWriter};
use super::json;
use super::nested::{self, Lists};
use super::number::put_float;

/// A column as text.
pub(super) fn column(array: &ArrayRef, style: ValueStyle) -> PgValueColumn {
    let array = plain(array);
    PgValueColumn::new(&array, writer(&array, style))
}

/// Writes the values of an array as text.
pub(super) fn writer(array: &ArrayRef, style: ValueStyle) -> ValueWriter {
    match array.data_type() {
        DataType::Boolean => {
            let array = array.as_boolean().clone();
            Box::new(move |row, out| out.put_u8(if array.value(row) { b't' } else { b'f' }))
        }
        DataType::Int8 => integer::<Int8Type>(array),
        DataType::Int16 => integer::<Int16Type>(array),
        DataType::Int32 => integer::<Int32Type>(array),
        DataType::Int64 => integer::<Int64Type>(array),
        DataType::UInt8 => integer::<UInt8Type>(array),
        DataType::UInt16 => integer::<UInt16Type>(array),
        DataType::UInt32 => integer::<UInt32Type>(array),
        DataType::UInt64 => integer::<UInt64Type>(array),
        DataType::Float16 => writer(&widened(array, &DataType::Float32), style),
        DataType::Float32 => float::<Float32Type>(array, 6),
        DataType::Float64 => float::<Float64Type>(array, 15),
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            hexadecimal(array)
        }
        kind if json::is_list_of_records(kind) => json::writer(array).unwrap_or_else(|| other(array)),
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) | DataType::Map(..) => {
            let lists = Lists::of(array);
            let elements = column(&lists.elements, style);
            nested::list_text(lists, elements)
        }
        DataType::Struct(_) => {
            let fields = array.as_struct().columns().iter();
            nested::record_text(fields.map(|field| column(field, style)).collect())
        }
        _ => raw(array).or_else(|| moment(array, style)).unwrap_or_else(|| other(array)),
    }
}

/// Dates, times, intervals.
fn moment(array: &ArrayRef, style: ValueStyle) -> Option<ValueWriter> {
    Some(match array.data_type() {
        DataType::Date32 => {
            let array = array.as_primitive::<Date32Type>().clone();
            Box::new(move |row, out| put_date(array.value(row), out))
        }
        DataType::Date64 => writer(&widened(array, &DataType::Date32), style),
        DataType::Time32(_) | DataType::Time64(_) => {
            let time_of = times(array);
            Box::new(move |row, out| put_time(time_of(row), out))
        }
        DataType::Timestamp(_, zone) => {
            let zone = zone.as_ref().map(|_| style.zone);
            let time_of = times(array);
            Box::new(move |row, out| put_timestamp(time_of(row), zone, out))
        }
        DataType::Duration(_) | DataType::Interval(_) => {
            let interval_of = intervals(array);
            Box::new(move |row, out| {
                let (months, days, microseconds) = interval_of(row);
                put_interval(months, days, microseconds, out);
            })
        }
        _ => return None,
    })
}

fn integer<T: ArrowPrimitiveType>(array: &ArrayRef) -> ValueWriter
where
    T::Native: Display,
{
    let array = array.as_primitive::<T>().clone();
    // Writing to a buffer does not fail.
    Box::new(move |row, out| _ = write!(out, "{}", array.value(row)))
}

fn float<T: ArrowPrimitiveType>(array: &ArrayRef, limit: i32) -> ValueWriter
where
    T::Native: LowerExp,
{
    let array = array.as_primitive::<T>().clone();
    Box::new(move |row, out| put_float(&format!("{:e}", array.value(row)), limit, out))
}

fn decimal<T: DecimalType>(array: &ArrayRef) -> ValueWriter {
    let array = array.as_primitive::<T>().clone();
    Box::new(move |row, out| out.put_slice(array.value_as_string(row).as_bytes()))
}

fn hexadecimal(array: &ArrayRef) -> ValueWriter {
    let Some(bytes) = raw(array) else { return other(array) };
    Box::new(move |row, out| {
        let mut value = BytesMut::new();
        bytes(row, &mut value);
        out.put_slice(b"\\x");
        value.iter().for_each(|byte| _ = write!(out, "{byte:02x}"));
    })
}

/// What PostgreSQL has nothing like.
fn other(array: &ArrayRef) -> ValueWriter {
    let array = Arc::clone(array);
    Box::new(move |row, out| out.put_slice(array_value_to_string(&array, row).unwrap_or_default().as_bytes()))
}

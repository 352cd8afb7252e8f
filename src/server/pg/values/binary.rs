//! Values in binary.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType, Date32Type, Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, IntervalDayTimeType,
    IntervalMonthDayNanoType, IntervalUnit, IntervalYearMonthType, TimeUnit,
};
use bytes::{BufMut, BytesMut};

use super::calendar::{EPOCH_DAYS, EPOCH_MICROSECONDS, microseconds};
use super::nested;
use super::number::put_numeric;
use super::text::{self, unit_of, widened};
use super::{ValueStyle, ValueWriter, raw};

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
        DataType::Int16 => {
            let array = array.as_primitive::<Int16Type>().clone();
            Box::new(move |row, out| out.put_i16(array.value(row)))
        }
        DataType::Int32 => {
            let array = array.as_primitive::<Int32Type>().clone();
            Box::new(move |row, out| out.put_i32(array.value(row)))
        }
        DataType::Int64 => {
            let array = array.as_primitive::<Int64Type>().clone();
            Box::new(move |row, out| out.put_i64(array.value(row)))
        }
        DataType::Float32 => {
            let array = array.as_primitive::<Float32Type>().clone();
            Box::new(move |row, out| out.put_f32(array.value(row)))
        }
        DataType::Float64 => {
            let array = array.as_primitive::<Float64Type>().clone();
            Box::new(move |row, out| out.put_f64(array.value(row)))
        }
        DataType::Date32 => {
            let array = array.as_primitive::<Date32Type>().clone();
            Box::new(move |row, out| out.put_i32(array.value(row).saturating_sub(EPOCH_DAYS)))
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => nested::list_binary(array, style),
        DataType::Struct(_) => nested::record_binary(array, style),
        _ => raw(array).or_else(|| wide(array)).unwrap_or_else(|| text::writer(array, style)),
    }
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
            let times = times(array);
            Box::new(move |row, out| out.put_i64(times(row)))
        }
        DataType::Timestamp(..) => {
            let times = times(array);
            Box::new(move |row, out| out.put_i64(times(row).saturating_sub(EPOCH_MICROSECONDS)))
        }
        DataType::Duration(_) | DataType::Interval(_) => {
            let intervals = intervals(array);
            Box::new(move |row, out| {
                let (months, days, microseconds) = intervals(row);
                out.put_i64(microseconds);
                out.put_i32(days);
                out.put_i32(months);
            })
        }
        _ => return None,
    })
}

/// Microseconds of times and time stamps.
pub(super) fn times(array: &ArrayRef) -> Box<dyn Fn(usize) -> i64 + Send> {
    let unit = unit_of(array.data_type());
    let numbers = widened(array, &DataType::Int64);
    let numbers = match array.data_type() {
        // Half as wide: by their own numbers first.
        DataType::Time32(_) => widened(&widened(array, &DataType::Int32), &DataType::Int64),
        _ => numbers,
    };
    let numbers = numbers.as_primitive::<Int64Type>().clone();
    Box::new(move |row| microseconds(numbers.value(row), unit))
}

/// Months, days and microseconds of intervals.
pub(super) fn intervals(array: &ArrayRef) -> Box<dyn Fn(usize) -> (i32, i32, i64) + Send> {
    match array.data_type() {
        DataType::Interval(IntervalUnit::YearMonth) => {
            let array = array.as_primitive::<IntervalYearMonthType>().clone();
            Box::new(move |row| (array.value(row), 0, 0))
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let array = array.as_primitive::<IntervalDayTimeType>().clone();
            Box::new(move |row| {
                let value = array.value(row);
                (0, value.days, i64::from(value.milliseconds) * 1000)
            })
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let array = array.as_primitive::<IntervalMonthDayNanoType>().clone();
            Box::new(move |row| {
                let value = array.value(row);
                (value.months, value.days, microseconds(value.nanoseconds, TimeUnit::Nanosecond))
            })
        }
        _ => {
            let times = times(array);
            Box::new(move |row| (0, 0, times(row)))
        }
    }
}

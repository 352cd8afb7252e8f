//! Arrays in the forms that values are written from: without dictionaries, as bytes, as numbers of one width.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Int64Type, IntervalDayTimeType, IntervalMonthDayNanoType, IntervalUnit, IntervalYearMonthType, TimeUnit,
};
use bytes::BufMut;

use super::calendar::microseconds;
use super::column::ValueWriter;

/// An array without dictionaries.
pub(super) fn plain(array: &ArrayRef) -> ArrayRef {
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

/// The same values in a wider type that has a writer.
pub(super) fn widened(array: &ArrayRef, data_type: &DataType) -> ArrayRef {
    cast(array, data_type).unwrap_or_else(|_| arrow::array::new_null_array(data_type, array.len()))
}

/// Writes UTF-8 texts or bytes as they are.
pub(super) fn raw(array: &ArrayRef) -> Option<ValueWriter> {
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

/// The unit that values of a type count.
fn unit_of(data_type: &DataType) -> TimeUnit {
    match data_type {
        DataType::Time32(unit) | DataType::Time64(unit) | DataType::Timestamp(unit, _) | DataType::Duration(unit) => {
            *unit
        }
        _ => TimeUnit::Microsecond,
    }
}

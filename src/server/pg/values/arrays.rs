//! Arrays in the forms that values are written from: without dictionaries, as bytes, as numbers of one width.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, IntervalMonthDayNanoType, IntervalUnit, TimeUnit};
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
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            let array = widened(array, &DataType::Utf8View).as_string_view().clone();
            Box::new(move |row, out| out.put_slice(array.value(row).as_bytes()))
        }
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            let array = widened(array, &DataType::BinaryView).as_binary_view().clone();
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
    if !matches!(array.data_type(), DataType::Interval(_)) {
        let times = times(array);
        return Box::new(move |row| (0, 0, times(row)));
    }
    let array = widened(array, &DataType::Interval(IntervalUnit::MonthDayNano));
    let array = array.as_primitive::<IntervalMonthDayNanoType>().clone();
    Box::new(move |row| {
        let value = array.value(row);
        (value.months, value.days, microseconds(value.nanoseconds, TimeUnit::Nanosecond))
    })
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

//! Values of columns as Python objects.
//!
//! | SQL | Python |
//! |---|---|
//! | BIGINT, INTEGER … | int |
//! | DOUBLE | float |
//! | TEXT | str |
//! | BOOLEAN | bool |
//! | BYTEA | bytes |
//! | DATE, TIMESTAMP, INTERVAL as a duration | datetime.date, datetime.datetime, datetime.timedelta |
//! | DECIMAL | decimal.Decimal |
//! | lists, structs | list, dict |
//! | NULL | None |
//!
//! Everything else is its text.

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{
    DataType, Date32Type, DurationMicrosecondType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimeUnit, TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

/// The rows of a batch as tuples.
pub fn tuples<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let columns = batch.columns().iter().map(|column| objects(py, column)).collect::<PyResult<Vec<_>>>()?;
    let mut columns: Vec<_> = columns.into_iter().map(Vec::into_iter).collect();
    (0..batch.num_rows())
        .map(|_| PyTuple::new(py, columns.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()))
        .collect()
}

type Objects<'py> = PyResult<Vec<Bound<'py, PyAny>>>;

/// The values of a column.
fn objects<'py>(py: Python<'py>, array: &ArrayRef) -> Objects<'py> {
    macro_rules! primitive {
        ($kind:ty) => {
            array.as_primitive::<$kind>().iter().map(|value| Ok(value.into_pyobject(py)?.into_any())).collect()
        };
    }
    match array.data_type() {
        DataType::Null => Ok(vec![py.None().into_bound(py); array.len()]),
        DataType::Boolean => array.as_boolean().iter().map(|value| Ok(value.into_pyobject(py)?.into_any())).collect(),
        DataType::Int8 => primitive!(Int8Type),
        DataType::Int16 => primitive!(Int16Type),
        DataType::Int32 => primitive!(Int32Type),
        DataType::Int64 => primitive!(Int64Type),
        DataType::UInt8 => primitive!(UInt8Type),
        DataType::UInt16 => primitive!(UInt16Type),
        DataType::UInt32 => primitive!(UInt32Type),
        DataType::UInt64 => primitive!(UInt64Type),
        DataType::Float32 => primitive!(Float32Type),
        DataType::Float64 => primitive!(Float64Type),
        DataType::Utf8 => {
            array.as_string::<i32>().iter().map(|value| Ok(value.into_pyobject(py)?.into_any())).collect()
        }
        DataType::Binary => {
            let bytes = |value: Option<&[u8]>| value.map(|bytes| PyBytes::new(py, bytes));
            array.as_binary::<i32>().iter().map(|value| Ok(bytes(value).into_pyobject(py)?.into_any())).collect()
        }
        DataType::Date32 => dates(py, array),
        DataType::Timestamp(_, zone) => timestamps(py, array, zone.is_some()),
        DataType::Duration(_) => durations(py, array),
        DataType::Decimal128(..) | DataType::Decimal256(..) => {
            let class = py.import("decimal")?.getattr("Decimal")?;
            texts(array)?.map(|text| made(py, text, |text| class.call1((text,)))).collect()
        }
        DataType::List(_) => {
            let lists = array.as_list::<i32>();
            let element = |values: Option<ArrayRef>| {
                made(py, values, |values| Ok(PyList::new(py, objects(py, &values)?)?.into_any()))
            };
            lists.iter().map(element).collect()
        }
        DataType::Struct(_) => structs(py, array),
        // What Python has no type of its own for.
        _ => texts(array)?.map(|text| Ok(text.into_pyobject(py)?.into_any())).collect(),
    }
}

/// NULL is None.
fn made<'py, T>(
    py: Python<'py>,
    value: Option<T>,
    make: impl FnOnce(T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    value.map_or_else(|| Ok(py.None().into_bound(py)), make)
}

fn dates<'py>(py: Python<'py>, array: &ArrayRef) -> Objects<'py> {
    /// `date(1970, 1, 1).toordinal()`
    const EPOCH: i32 = 719_163;
    let from_ordinal = py.import("datetime")?.getattr("date")?.getattr("fromordinal")?;
    let day = |days: i32| from_ordinal.call1((days.saturating_add(EPOCH),));
    array.as_primitive::<Date32Type>().iter().map(|days| made(py, days, day)).collect()
}

fn timestamps<'py>(py: Python<'py>, array: &ArrayRef, has_zone: bool) -> Objects<'py> {
    let module = py.import("datetime")?;
    let (class, delta) = (module.getattr("datetime")?, module.getattr("timedelta")?);
    let zone = if has_zone { module.getattr("timezone")?.getattr("utc")? } else { py.None().into_bound(py) };
    let epoch = class.call1((1970, 1, 1, 0, 0, 0, 0, zone))?;
    let kind = DataType::Timestamp(TimeUnit::Microsecond, has_zone.then(|| "UTC".into()));
    let array = cast(array, &kind).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let moment = |micros: i64| epoch.add(delta.call1((0, 0, micros))?);
    array.as_primitive::<TimestampMicrosecondType>().iter().map(|micros| made(py, micros, moment)).collect()
}

fn durations<'py>(py: Python<'py>, array: &ArrayRef) -> Objects<'py> {
    let delta = py.import("datetime")?.getattr("timedelta")?;
    let array = cast(array, &DataType::Duration(TimeUnit::Microsecond));
    let array = array.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let duration = |micros: i64| delta.call1((0, 0, micros));
    array.as_primitive::<DurationMicrosecondType>().iter().map(|micros| made(py, micros, duration)).collect()
}

fn structs<'py>(py: Python<'py>, array: &ArrayRef) -> Objects<'py> {
    let structs = array.as_struct();
    let columns = structs.columns().iter().map(|column| objects(py, column)).collect::<PyResult<Vec<_>>>()?;
    let names = structs.column_names();
    let row = |index: usize| -> PyResult<Bound<'py, PyAny>> {
        let fields = PyDict::new(py);
        for (name, column) in names.iter().zip(&columns) {
            fields.set_item(name, &column[index])?;
        }
        Ok(fields.into_any())
    };
    (0..structs.len()).map(|index| made(py, structs.is_valid(index).then_some(index), row)).collect()
}

/// The values as SQL shows them.
fn texts(array: &ArrayRef) -> PyResult<impl Iterator<Item = Option<String>>> {
    let wrong = |error: arrow::error::ArrowError| PyValueError::new_err(error.to_string());
    let options = FormatOptions::new();
    let formatter = ArrayFormatter::try_new(array.as_ref(), &options).map_err(wrong)?;
    let text = |index: usize| array.is_valid(index).then(|| formatter.value(index).to_string());
    Ok((0..array.len()).map(text).collect::<Vec<_>>().into_iter())
}

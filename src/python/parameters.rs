//! Python values for the `?` and `$1` of a statement.

use arrow::array::ArrayRef;
use datafusion::common::ScalarValue;
use ocellus::server::bind_parameters;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::parameter_error;

/// The text with its placeholders replaced by values.
pub fn bound(py: Python<'_>, text: &str, values: &[Bound<'_, PyAny>]) -> PyResult<String> {
    let values = values.iter().map(scalar).collect::<PyResult<Vec<ScalarValue>>>()?;
    bind_parameters(text, &values).map_err(|error| parameter_error(py, error))
}

fn scalar(value: &Bound<'_, PyAny>) -> PyResult<ScalarValue> {
    if value.is_none() {
        return Ok(ScalarValue::Null);
    }
    // Before integers: Python's booleans are some.
    if value.is_instance_of::<PyBool>() {
        return Ok(ScalarValue::Boolean(Some(value.extract()?)));
    }
    if value.is_instance_of::<PyInt>() {
        return integer(value);
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(ScalarValue::Float64(Some(value.extract()?)));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(ScalarValue::Utf8(Some(value.extract()?)));
    }
    if value.is_instance_of::<PyBytes>() {
        return Ok(ScalarValue::Binary(Some(value.extract()?)));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return list(value);
    }
    // Dates, times and decimals say what they are as text, which SQL casts where it needs to.
    let module: String = value.get_type().getattr("__module__")?.extract()?;
    if module == "datetime" || module == "decimal" || module == "_pydatetime" || module == "_pydecimal" {
        return Ok(ScalarValue::Utf8(Some(value.str()?.extract()?)));
    }
    // Scalars of numpy, pandas and pyarrow.
    for method in ["item", "as_py"] {
        if value.hasattr(method)? {
            let plain = value.call_method0(method)?;
            if plain.get_type().is(value.get_type()) {
                break;
            }
            return scalar(&plain);
        }
    }
    Err(PyTypeError::new_err(format!("a parameter cannot be a {}", value.get_type().name()?)))
}

fn integer(value: &Bound<'_, PyAny>) -> PyResult<ScalarValue> {
    match value.extract::<i64>() {
        Ok(number) => Ok(ScalarValue::Int64(Some(number))),
        Err(_) => Ok(ScalarValue::UInt64(Some(value.extract()?))),
    }
}

fn list(value: &Bound<'_, PyAny>) -> PyResult<ScalarValue> {
    let items = value.try_iter()?.map(|item| scalar(&item?)).collect::<PyResult<Vec<ScalarValue>>>()?;
    let wrong = |error: datafusion::error::DataFusionError| PyTypeError::new_err(error.to_string());
    let elements: ArrayRef = match items.is_empty() {
        true => return Err(PyTypeError::new_err("an empty list has no type: write ARRAY[] into the statement")),
        false => ScalarValue::iter_to_array(items).map_err(wrong)?,
    };
    let kind = elements.data_type().clone();
    let values = (0..elements.len()).map(|index| ScalarValue::try_from_array(&elements, index));
    let values = values.collect::<Result<Vec<ScalarValue>, _>>().map_err(wrong)?;
    Ok(ScalarValue::List(ScalarValue::new_list_nullable(&values, &kind)))
}

//! Arrow data in and out of Python, without a copy: the PyCapsule interface of the Arrow project.
//!
//! Out: capsules of a stream, an array or a schema, which pyarrow, polars, pandas and others take. In: whatever has the
//! method `__arrow_c_stream__`.

use std::sync::Arc;

use arrow::array::{Array, RecordBatch, RecordBatchReader, StructArray};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use arrow::ffi::{FFI_ArrowSchema, to_ffi};
use arrow::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

/// The method that a producer has.
const STREAM_METHOD: &str = "__arrow_c_stream__";

/// A stream of batches.
pub fn stream_capsule<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// A schema alone.
pub fn schema_capsule<'py>(py: Python<'py>, schema: &SchemaRef) -> PyResult<Bound<'py, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(schema.as_ref()).map_err(arrow_error)?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

/// One batch, as its schema and an array of structs.
pub fn batch_capsules<'py>(
    py: Python<'py>,
    batch: &RecordBatch,
) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
    let schema = schema_capsule(py, &batch.schema())?;
    let (array, _) = to_ffi(&StructArray::from(batch.clone()).to_data()).map_err(arrow_error)?;
    Ok((schema, PyCapsule::new_with_value(py, array, c"arrow_array")?))
}

/// All batches of a Python object that streams Arrow data.
pub fn read_stream(object: &Bound<'_, PyAny>) -> PyResult<(SchemaRef, Vec<RecordBatch>)> {
    let py = object.py();
    if !object.hasattr(STREAM_METHOD)? {
        let kind = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!(
            "{kind} has no method {STREAM_METHOD}: give a DataFrame of pandas or polars, an Arrow table, or anything else that \
             streams Arrow data"
        )));
    }
    let capsule = object.call_method0(STREAM_METHOD)?;
    let capsule =
        capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err(format!("{STREAM_METHOD} gave no capsule")))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a valid stream, which is moved out of it: the capsule keeps an empty one.
    let reader = unsafe { ArrowArrayStreamReader::from_raw(pointer.as_ptr()) }.map_err(arrow_error)?;
    let schema = reader.schema();
    // Whoever produces the stream takes Python's lock where it needs it.
    let batches = py.detach(|| reader.collect::<Result<Vec<RecordBatch>, ArrowError>>()).map_err(arrow_error)?;
    Ok((Arc::clone(&schema), batches))
}

fn arrow_error(error: ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

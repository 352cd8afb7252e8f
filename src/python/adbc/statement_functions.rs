//! Statements of the driver: SQL, values for its `?`, and its rows.

use std::ffi::c_char;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow::array::{RecordBatch, StructArray};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use datafusion::common::ScalarValue;
use ocellus::engine::{CancelFlag, Engine, Statement};
use ocellus::render::formats::{plain_batch, plain_schema};
use ocellus::server::bind_parameters;

use super::abi::{AdbcError, AdbcObject, StatusCode};
use super::connection_functions::DriverConnection;
use super::explained_stream::explained_stream;
use super::failure::{AdbcFailure, INVALID_ARGUMENT, INVALID_STATE, guarded};
use super::handover::{borrow, on_workers, put, text, write_schema, write_stream};
use super::result_stream::{Execution, StatementTexts};

/// A statement. It keeps its engine: its connection may be gone.
pub struct DriverStatement {
    engine: Arc<Engine>,
    text: Mutex<Option<String>>,
    /// Rows of values, for one run each; `None` when nothing was bound.
    bound: Mutex<Option<Vec<RecordBatch>>>,
    /// Stops what was started last.
    cancel: Mutex<CancelFlag>,
}

/// Held for moments only.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DriverStatement {
    fn set_text(&self, text: String) {
        *locked(&self.text) = Some(text);
        *locked(&self.bound) = None;
    }

    fn bind(&self, batches: Vec<RecordBatch>) -> Result<(), AdbcFailure> {
        let plain = batches.iter().map(|batch| plain_batch(batch, &plain_schema(&batch.schema())));
        *locked(&self.bound) = Some(plain.collect::<Result<_, _>>()?);
        Ok(())
    }

    fn text(&self) -> Result<String, AdbcFailure> {
        let text = locked(&self.text).clone();
        text.ok_or_else(|| AdbcFailure::new(INVALID_STATE, "the statement has no SQL yet"))
    }

    /// What is to be run: the text once, or once for each row of values.
    fn execution(&self) -> Result<Execution, AdbcFailure> {
        let (text, bound, engine) = (self.text()?, locked(&self.bound).clone(), Arc::clone(&self.engine));
        let texts: StatementTexts = match bound {
            None => Box::new(std::iter::once(engine.split(&text).map_err(AdbcFailure::from))),
            Some(batches) => {
                let rows =
                    batches.into_iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| batch.slice(row, 1)));
                Box::new(rows.map(move |row| bound_text(&engine, &text, &row)))
            }
        };
        let cancel = CancelFlag::default();
        *locked(&self.cancel) = cancel.clone();
        Ok(Execution::new(Arc::clone(&self.engine), texts, cancel))
    }

    /// The columns of the rows, without running anything, with the first row of values that was bound.
    fn schema(&self) -> Result<SchemaRef, AdbcFailure> {
        let (text, engine) = (self.text()?, Arc::clone(&self.engine));
        let first =
            locked(&self.bound).iter().flatten().find(|batch| batch.num_rows() > 0).map(|batch| batch.slice(0, 1));
        let mut statements = match first {
            None => self.engine.split(&text)?,
            Some(row) => bound_text(&self.engine, &text, &row)?,
        };
        let Some(last) = statements.pop() else {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "the text has no statement"));
        };
        let foreseen = on_workers(async move { engine.foresee(&last).await })?;
        Ok(foreseen.1.map_or_else(|| Arc::new(Schema::empty()), |schema| plain_schema(&schema)))
    }
}

/// The statements of a text, with the values of one row.
fn bound_text(engine: &Engine, text: &str, row: &RecordBatch) -> Result<Vec<Statement>, AdbcFailure> {
    let values = row.columns().iter().map(|column| ScalarValue::try_from_array(column, 0));
    let values: Vec<ScalarValue> = values.collect::<Result<_, _>>().map_err(|error| engine.explain(&error, ""))?;
    Ok(engine.split(&bind_parameters(text, &values)?)?)
}

/// `AdbcStatementNew`.
pub unsafe extern "C" fn new(
    connection: *mut AdbcObject,
    statement: *mut AdbcObject,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: the driver manager hands over objects and errors that it has initialized, and connections of this driver.
        unsafe {
            let engine = borrow::<DriverConnection>(connection)?.engine()?;
            let made =
                DriverStatement { engine, text: Mutex::default(), bound: Mutex::default(), cancel: Mutex::default() };
            put(statement, made)
        }
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcStatementSetSqlQuery`.
pub unsafe extern "C" fn set_sql_query(
    statement: *mut AdbcObject,
    query: *const c_char,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: as above; texts end with a zero.
        unsafe { borrow::<DriverStatement>(statement)?.set_text(text(query)?) };
        Ok(())
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcStatementPrepare`: a statement is planned when it runs, with its values.
pub unsafe extern "C" fn prepare(statement: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above.
    unsafe { guarded(error, || borrow::<DriverStatement>(statement)?.text().map(|_| ())) }
}

/// `AdbcStatementBind`.
pub unsafe extern "C" fn bind(
    statement: *mut AdbcObject,
    values: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        if values.is_null() || schema.is_null() {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "the values are missing"));
        }
        // SAFETY: as above; both structures are valid, and move here.
        let (statement, values) = unsafe {
            let (values, schema) = (FFI_ArrowArray::from_raw(values), FFI_ArrowSchema::from_raw(schema));
            (borrow::<DriverStatement>(statement)?, from_ffi(values, &schema)?)
        };
        let is_rows = matches!(values.data_type(), arrow::datatypes::DataType::Struct(_)) && values.null_count() == 0;
        if !is_rows {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "values are bound as rows: a struct without NULL"));
        }
        statement.bind(vec![RecordBatch::from(StructArray::from(values))])
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcStatementBindStream`.
pub unsafe extern "C" fn bind_stream(
    statement: *mut AdbcObject,
    values: *mut FFI_ArrowArrayStream,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        if values.is_null() {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "the values are missing"));
        }
        // SAFETY: as above; the stream is valid, and moves here.
        let (statement, values) =
            unsafe { (borrow::<DriverStatement>(statement)?, ArrowArrayStreamReader::from_raw(values)?) };
        statement.bind(values.collect::<Result<_, ArrowError>>()?)
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcStatementExecuteQuery`.
pub unsafe extern "C" fn execute_query(
    statement: *mut AdbcObject,
    rows: *mut FFI_ArrowArrayStream,
    affected: *mut i64,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: as above.
        let execution = unsafe { borrow::<DriverStatement>(statement)? }.execution()?;
        let written = if rows.is_null() {
            execution.finish()?
        } else {
            let (stream, written) = execution.stream()?;
            let slot = stream.failure_slot();
            // SAFETY: as above.
            unsafe { write_stream(rows, explained_stream(Box::new(stream), slot))? };
            written
        };
        // SAFETY: as above.
        if let Some(affected) = unsafe { affected.as_mut() } {
            *affected = written.and_then(|rows| i64::try_from(rows).ok()).unwrap_or(-1);
        }
        Ok(())
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcStatementExecuteSchema`.
pub unsafe extern "C" fn execute_schema(
    statement: *mut AdbcObject,
    schema: *mut FFI_ArrowSchema,
    error: *mut AdbcError,
) -> StatusCode {
    // SAFETY: as above.
    unsafe { guarded(error, || write_schema(schema, &*borrow::<DriverStatement>(statement)?.schema()?)) }
}

/// `AdbcStatementCancel`: by another thread, while one waits for the statement or its rows.
pub unsafe extern "C" fn cancel(statement: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    let work = || {
        // SAFETY: as above; the statement is used by reference only.
        locked(&unsafe { borrow::<DriverStatement>(statement)? }.cancel).cancel();
        Ok(())
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcStatementRelease`. Its stream goes on.
pub unsafe extern "C" fn release(statement: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above; whoever releases an object does not use it any more.
    unsafe { guarded(error, || super::handover::release::<DriverStatement>(statement)) }
}

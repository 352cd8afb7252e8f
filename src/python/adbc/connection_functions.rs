//! Connections of the driver: each has an engine, over its database as it was when the connection was opened.

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{RecordBatch, RecordBatchIterator};
use arrow::ffi::FFI_ArrowSchema;
use arrow::ffi_stream::FFI_ArrowArrayStream;
use ocellus::catalog::CATALOG;
use ocellus::engine::{CancelFlag, Engine};
use ocellus::error::Error;
use ocellus::render::formats::plain_schema;

use super::abi::{AdbcError, AdbcObject, StatusCode};
use super::database_functions::DriverDatabase;
use super::database_objects::{ObjectFilter, objects, table_types};
use super::driver_information::information;
use super::failure::{AdbcFailure, INVALID_ARGUMENT, INVALID_STATE, NOT_FOUND, NOT_IMPLEMENTED, guarded};
use super::handover::{
    borrow, on_workers, optional_text, optional_texts, put, text, write_schema, write_stream, write_text,
};
use super::result_stream::Execution;

const AUTOCOMMIT: &str = "adbc.connection.autocommit";
const CURRENT_CATALOG: &str = "adbc.connection.catalog";
const CURRENT_SCHEMA: &str = "adbc.connection.db_schema";

/// A connection.
#[derive(Debug)]
pub struct DriverConnection {
    /// `None` before it is initialized.
    engine: Mutex<Option<Arc<Engine>>>,
    /// Kept for those who ask: there are no transactions, since everything only reads.
    commits_by_itself: AtomicBool,
}

impl DriverConnection {
    /// Its engine.
    pub fn engine(&self) -> Result<Arc<Engine>, AdbcFailure> {
        let engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner).clone();
        engine.ok_or_else(|| AdbcFailure::new(INVALID_STATE, "the connection is not initialized"))
    }

    fn open(&self, database: &DriverDatabase) -> Result<(), AdbcFailure> {
        let opened = Arc::new(database.open()?);
        *self.engine.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        Ok(())
    }

    fn set(&self, key: &str, value: &str) -> Result<(), AdbcFailure> {
        match (key, value) {
            (AUTOCOMMIT, "true" | "false") => self.commits_by_itself.store(value == "true", Ordering::Relaxed),
            (CURRENT_CATALOG, CATALOG) => {}
            (CURRENT_SCHEMA, schema) => {
                let engine = self.engine()?;
                let statements = engine.split(&format!("USE \"{}\"", schema.replace('"', "\"\"")))?;
                let texts = Box::new(std::iter::once(Ok(statements)));
                Execution::new(engine, texts, CancelFlag::default()).finish()?;
            }
            (AUTOCOMMIT | CURRENT_CATALOG, other) => {
                return Err(AdbcFailure::new(INVALID_ARGUMENT, format!("{key} cannot be {other}")));
            }
            (other, _) => return Err(no_option(other)),
        }
        Ok(())
    }

    fn get(&self, key: &str) -> Result<String, AdbcFailure> {
        match key {
            AUTOCOMMIT => Ok(self.commits_by_itself.load(Ordering::Relaxed).to_string()),
            CURRENT_CATALOG => Ok(CATALOG.to_string()),
            CURRENT_SCHEMA => Ok(self.engine()?.current_schema()),
            other => Err(no_option(other)),
        }
    }

    /// There is nothing to commit or to undo.
    fn end_transaction(&self) -> Result<(), AdbcFailure> {
        match self.commits_by_itself.load(Ordering::Relaxed) {
            true => Err(AdbcFailure::new(INVALID_STATE, "there is no transaction: autocommit is on")),
            false => Ok(()),
        }
    }

    fn table_schema(
        &self,
        catalog: Option<&str>,
        schema: Option<String>,
        table: String,
    ) -> Result<arrow::datatypes::SchemaRef, AdbcFailure> {
        let engine = self.engine()?;
        let schema = schema.unwrap_or_else(|| engine.current_schema());
        let missing = AdbcFailure::new(NOT_FOUND, format!("no table {schema}.{table}"));
        if catalog.is_some_and(|catalog| catalog != CATALOG) {
            return Err(missing);
        }
        let found = on_workers(async move {
            let provider = engine.context().catalog(CATALOG).and_then(|catalog| catalog.schema(&schema));
            let Some(provider) = provider else { return Ok(None) };
            let table = provider.table(&table).await.map_err(|error| engine.explain(&error, ""))?;
            Ok::<_, Error>(table.map(|table| plain_schema(&table.schema())))
        });
        found?.ok_or(missing)
    }
}

fn no_option(key: &str) -> AdbcFailure {
    AdbcFailure::new(NOT_IMPLEMENTED, format!("no option {key} of a connection"))
}

fn reader(batch: RecordBatch) -> FFI_ArrowArrayStream {
    let schema = batch.schema();
    FFI_ArrowArrayStream::new(Box::new(RecordBatchIterator::new([Ok(batch)], schema)))
}

/// `AdbcConnectionNew`.
pub unsafe extern "C" fn new(connection: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    let made = DriverConnection { engine: Mutex::new(None), commits_by_itself: AtomicBool::new(true) };
    // SAFETY: the driver manager hands over objects and errors that it has initialized.
    unsafe { guarded(error, || put(connection, made)) }
}

/// `AdbcConnectionInit`.
pub unsafe extern "C" fn init(
    connection: *mut AdbcObject,
    database: *mut AdbcObject,
    error: *mut AdbcError,
) -> StatusCode {
    // SAFETY: as above; `new` has put the objects there.
    unsafe { guarded(error, || borrow::<DriverConnection>(connection)?.open(borrow(database)?)) }
}

/// `AdbcConnectionSetOption`.
pub unsafe extern "C" fn set_option(
    connection: *mut AdbcObject,
    key: *const c_char,
    value: *const c_char,
    error: *mut AdbcError,
) -> StatusCode {
    // SAFETY: as above; texts end with a zero.
    unsafe { guarded(error, || borrow::<DriverConnection>(connection)?.set(&text(key)?, &text(value)?)) }
}

/// `AdbcConnectionGetOption`.
pub unsafe extern "C" fn get_option(
    connection: *mut AdbcObject,
    key: *const c_char,
    value: *mut c_char,
    length: *mut usize,
    error: *mut AdbcError,
) -> StatusCode {
    // SAFETY: as above; there is as much room as the length says.
    unsafe { guarded(error, || write_text(&borrow::<DriverConnection>(connection)?.get(&text(key)?)?, value, length)) }
}

/// `AdbcConnectionCommit` and `AdbcConnectionRollback`.
pub unsafe extern "C" fn commit(connection: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above.
    unsafe { guarded(error, || borrow::<DriverConnection>(connection)?.end_transaction()) }
}

/// `AdbcConnectionCancel`: nothing that a connection does by itself takes long.
pub unsafe extern "C" fn cancel(connection: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above.
    unsafe { guarded(error, || borrow::<DriverConnection>(connection).map(|_| ())) }
}

/// `AdbcConnectionGetInfo`.
pub unsafe extern "C" fn get_info(
    connection: *mut AdbcObject,
    codes: *const u32,
    count: usize,
    rows: *mut FFI_ArrowArrayStream,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: as above; there are as many codes as the count says.
        unsafe {
            borrow::<DriverConnection>(connection)?;
            let codes = (!codes.is_null()).then(|| std::slice::from_raw_parts(codes, count));
            write_stream(rows, reader(information(codes)?))
        }
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcConnectionGetObjects`.
pub unsafe extern "C" fn get_objects(
    connection: *mut AdbcObject,
    depth: c_int,
    catalog: *const c_char,
    schema: *const c_char,
    table: *const c_char,
    table_types: *const *const c_char,
    column: *const c_char,
    rows: *mut FFI_ArrowArrayStream,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: as above; a null pointer ends the list of types.
        unsafe {
            let filter = ObjectFilter {
                depth,
                catalog: optional_text(catalog)?,
                schema: optional_text(schema)?,
                table: optional_text(table)?,
                table_types: optional_texts(table_types)?,
                column: optional_text(column)?,
            };
            let engine = borrow::<DriverConnection>(connection)?.engine()?;
            write_stream(rows, reader(objects(engine, filter)?))
        }
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcConnectionGetTableSchema`.
pub unsafe extern "C" fn get_table_schema(
    connection: *mut AdbcObject,
    catalog: *const c_char,
    schema: *const c_char,
    table: *const c_char,
    target: *mut FFI_ArrowSchema,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: as above.
        unsafe {
            let (catalog, schema) = (optional_text(catalog)?, optional_text(schema)?);
            let connection = borrow::<DriverConnection>(connection)?;
            write_schema(target, &*connection.table_schema(catalog.as_deref(), schema, text(table)?)?)
        }
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcConnectionGetTableTypes`.
pub unsafe extern "C" fn get_table_types(
    connection: *mut AdbcObject,
    rows: *mut FFI_ArrowArrayStream,
    error: *mut AdbcError,
) -> StatusCode {
    let work = || {
        // SAFETY: as above.
        unsafe {
            borrow::<DriverConnection>(connection)?;
            write_stream(rows, reader(table_types()?))
        }
    };
    // SAFETY: as above.
    unsafe { guarded(error, work) }
}

/// `AdbcConnectionRelease`. Its statements and streams have the engine too, and go on.
pub unsafe extern "C" fn release(connection: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above; whoever releases an object does not use it any more.
    unsafe { guarded(error, || super::handover::release::<DriverConnection>(connection)) }
}

//! A driver of ADBC in the shared object of the package: databases as C calls them, without Python.
//!
//! ```text
//!  driver manager ──► AdbcDriverInit ──► table of functions
//!       │
//!       └─► database (options) ──► connection (an engine) ──► statement (SQL, values) ──► stream of Arrow batches
//! ```
//! In: calls of a driver manager, such as that of the Python package `adbc_driver_manager`. Out: Arrow streams and schemas;
//! errors as status, message and code of SQL. A stream lives on its own: its connection may be gone.
//!
//! Each object is a box behind a pointer of C, used by reference only, so that one thread may cancel what another waits for.

mod abi;
mod connection_functions;
mod database_functions;
mod database_objects;
mod driver_information;
mod explained_stream;
mod failure;
mod handover;
mod result_stream;
mod statement_functions;

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use abi::{
    ABSENT, AdbcError, DriverTable, DriverTableAdditions, ExtendedDriverTable, StatusCode, VERSION_1_0, VERSION_1_1,
};
use failure::{AdbcFailure, INVALID_ARGUMENT, NOT_IMPLEMENTED, OK, guarded};

/// Fills the table of functions: the entry point of every driver.
///
/// # Safety
/// `driver` has the size of the table of that version; `error` is null, or points to an error that the caller has initialized.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn AdbcDriverInit(version: c_int, driver: *mut c_void, error: *mut AdbcError) -> StatusCode {
    let work = || {
        if driver.is_null() {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "a place for the driver is missing"));
        }
        match version {
            // SAFETY: what our caller promises.
            VERSION_1_0 => unsafe { driver.cast::<DriverTable>().write(table()) },
            VERSION_1_1 => {
                let table = ExtendedDriverTable { first: table(), additions: additions() };
                // SAFETY: as above.
                unsafe { driver.cast::<ExtendedDriverTable>().write(table) };
            }
            other => {
                let message = format!("this driver knows versions 1.0 and 1.1 of ADBC, not {other}");
                return Err(AdbcFailure::new(NOT_IMPLEMENTED, message));
            }
        }
        stay_loaded();
        Ok(())
    };
    // SAFETY: what our caller promises.
    unsafe { guarded(error, work) }
}

/// Keeps this shared object in memory: its threads would go on in code that is not there any more.
fn stay_loaded() {
    let entry = AdbcDriverInit as *const c_void;
    // SAFETY: the structure may be all zeros, and is filled by a call that gets the address of a function of this object. The
    // name that it gives stays valid while the object is loaded, and the handle is not closed, on purpose.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(entry, &mut found) != 0 && !found.dli_fname.is_null() {
            libc::dlopen(found.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

/// There is nothing to release: databases, connections and statements are released one by one.
unsafe extern "C" fn release(_driver: *mut DriverTable, _error: *mut AdbcError) -> StatusCode {
    OK
}

fn table() -> DriverTable {
    DriverTable {
        private_data: null_mut(),
        private_manager: null_mut(),
        release: Some(release),
        database_init: Some(database_functions::init),
        database_new: Some(database_functions::new),
        database_set_option: Some(database_functions::set_option),
        database_release: Some(database_functions::release),
        connection_commit: Some(connection_functions::commit),
        connection_get_info: Some(connection_functions::get_info),
        connection_get_objects: Some(connection_functions::get_objects),
        connection_get_table_schema: Some(connection_functions::get_table_schema),
        connection_get_table_types: Some(connection_functions::get_table_types),
        connection_init: Some(connection_functions::init),
        connection_new: Some(connection_functions::new),
        connection_set_option: Some(connection_functions::set_option),
        connection_read_partition: ABSENT,
        connection_release: Some(connection_functions::release),
        connection_rollback: Some(connection_functions::commit),
        statement_bind: Some(statement_functions::bind),
        statement_bind_stream: Some(statement_functions::bind_stream),
        statement_execute_query: Some(statement_functions::execute_query),
        statement_execute_partitions: ABSENT,
        statement_get_parameter_schema: ABSENT,
        statement_new: Some(statement_functions::new),
        statement_prepare: Some(statement_functions::prepare),
        statement_release: Some(statement_functions::release),
        statement_set_option: ABSENT,
        statement_set_sql_query: Some(statement_functions::set_sql_query),
        statement_set_substrait_plan: ABSENT,
    }
}

fn additions() -> DriverTableAdditions {
    DriverTableAdditions {
        error_details: [ABSENT; 2],
        error_from_stream: Some(explained_stream::error_from_stream),
        database_options: [ABSENT; 7],
        connection_cancel: Some(connection_functions::cancel),
        connection_get_option: Some(connection_functions::get_option),
        connection_get_other_options: [ABSENT; 3],
        connection_statistics: [ABSENT; 2],
        connection_set_other_options: [ABSENT; 3],
        statement_cancel: Some(statement_functions::cancel),
        statement_execute_schema: Some(statement_functions::execute_schema),
        statement_options: [ABSENT; 7],
    }
}

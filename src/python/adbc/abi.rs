//! The structures of ADBC 1.0 and 1.1 as C knows them: what a driver manager hands over, and the table of functions it gets.
//!
//! Written by hand after the header `adbc.h` of the Arrow project: the crates that declare them bring another version of Arrow,
//! and with it a second copy of half the engine's dependencies.

use std::ffi::{c_char, c_int, c_void};

use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow::ffi_stream::FFI_ArrowArrayStream;

/// How a call went: 0 is well.
pub type StatusCode = u8;

/// Versions of ADBC, as [`AdbcDriverInit`](super::AdbcDriverInit) gets them.
pub const VERSION_1_0: c_int = 1_000_000;
/// See above.
pub const VERSION_1_1: c_int = 1_001_000;

/// In `vendor_code`: the structure has the fields of version 1.1, which this driver leaves alone.
pub const HAS_PRIVATE_DATA: i32 = i32::MIN;

/// An error, as the caller provides it: the fields that every version has.
#[repr(C)]
pub struct AdbcError {
    pub message: *mut c_char,
    pub vendor_code: i32,
    pub sqlstate: [c_char; 5],
    pub release: Option<unsafe extern "C" fn(*mut AdbcError)>,
}

/// An error with the fields of version 1.1, as a driver provides it: a driver manager writes into them.
#[repr(C)]
pub struct ExtendedAdbcError {
    pub first: AdbcError,
    pub private_data: *mut c_void,
    pub private_driver: *mut c_void,
}

impl ExtendedAdbcError {
    /// No error.
    pub fn none() -> ExtendedAdbcError {
        let (private_data, private_driver) = (std::ptr::null_mut(), std::ptr::null_mut());
        ExtendedAdbcError { first: AdbcError::none(), private_data, private_driver }
    }
}

impl AdbcError {
    /// No error.
    pub fn none() -> AdbcError {
        AdbcError { message: std::ptr::null_mut(), vendor_code: 0, sqlstate: [0; 5], release: None }
    }
}

/// A database, a connection or a statement: all three have this shape.
#[repr(C)]
pub struct AdbcObject {
    /// Ours: a box, or null.
    pub private_data: *mut c_void,
    /// The driver manager's.
    pub private_driver: *mut c_void,
}

type ObjectCall = unsafe extern "C" fn(*mut AdbcObject, *mut AdbcError) -> StatusCode;
type SetText = unsafe extern "C" fn(*mut AdbcObject, *const c_char, *const c_char, *mut AdbcError) -> StatusCode;
type GetText =
    unsafe extern "C" fn(*mut AdbcObject, *const c_char, *mut c_char, *mut usize, *mut AdbcError) -> StatusCode;
type GetStream = unsafe extern "C" fn(*mut AdbcObject, *mut FFI_ArrowArrayStream, *mut AdbcError) -> StatusCode;
type GetSchema = unsafe extern "C" fn(*mut AdbcObject, *mut FFI_ArrowSchema, *mut AdbcError) -> StatusCode;

/// A function that this driver does not have: null, and the driver manager says so to whoever calls it.
pub type Absent = *const c_void;
/// The value of all of them.
pub const ABSENT: Absent = std::ptr::null();

/// The functions of version 1.0, in their order.
#[repr(C)]
pub struct DriverTable {
    pub private_data: *mut c_void,
    pub private_manager: *mut c_void,
    pub release: Option<unsafe extern "C" fn(*mut DriverTable, *mut AdbcError) -> StatusCode>,
    pub database_init: Option<ObjectCall>,
    pub database_new: Option<ObjectCall>,
    pub database_set_option: Option<SetText>,
    pub database_release: Option<ObjectCall>,
    pub connection_commit: Option<ObjectCall>,
    pub connection_get_info: Option<
        unsafe extern "C" fn(
            *mut AdbcObject,
            *const u32,
            usize,
            *mut FFI_ArrowArrayStream,
            *mut AdbcError,
        ) -> StatusCode,
    >,
    pub connection_get_objects: Option<
        unsafe extern "C" fn(
            *mut AdbcObject,
            c_int,
            *const c_char,
            *const c_char,
            *const c_char,
            *const *const c_char,
            *const c_char,
            *mut FFI_ArrowArrayStream,
            *mut AdbcError,
        ) -> StatusCode,
    >,
    pub connection_get_table_schema: Option<
        unsafe extern "C" fn(
            *mut AdbcObject,
            *const c_char,
            *const c_char,
            *const c_char,
            *mut FFI_ArrowSchema,
            *mut AdbcError,
        ) -> StatusCode,
    >,
    pub connection_get_table_types: Option<GetStream>,
    pub connection_init: Option<unsafe extern "C" fn(*mut AdbcObject, *mut AdbcObject, *mut AdbcError) -> StatusCode>,
    pub connection_new: Option<ObjectCall>,
    pub connection_set_option: Option<SetText>,
    pub connection_read_partition: Absent,
    pub connection_release: Option<ObjectCall>,
    pub connection_rollback: Option<ObjectCall>,
    pub statement_bind: Option<
        unsafe extern "C" fn(*mut AdbcObject, *mut FFI_ArrowArray, *mut FFI_ArrowSchema, *mut AdbcError) -> StatusCode,
    >,
    pub statement_bind_stream: Option<GetStream>,
    pub statement_execute_query: Option<
        unsafe extern "C" fn(*mut AdbcObject, *mut FFI_ArrowArrayStream, *mut i64, *mut AdbcError) -> StatusCode,
    >,
    pub statement_execute_partitions: Absent,
    pub statement_get_parameter_schema: Absent,
    pub statement_new: Option<unsafe extern "C" fn(*mut AdbcObject, *mut AdbcObject, *mut AdbcError) -> StatusCode>,
    pub statement_prepare: Option<ObjectCall>,
    pub statement_release: Option<ObjectCall>,
    pub statement_set_option: Absent,
    pub statement_set_sql_query:
        Option<unsafe extern "C" fn(*mut AdbcObject, *const c_char, *mut AdbcError) -> StatusCode>,
    pub statement_set_substrait_plan: Absent,
}

/// The functions that version 1.1 adds, in their order.
#[repr(C)]
pub struct DriverTableAdditions {
    /// How many details an error has, and which.
    pub error_details: [Absent; 2],
    pub error_from_stream: Option<unsafe extern "C" fn(*mut FFI_ArrowArrayStream, *mut StatusCode) -> *const AdbcError>,
    /// Reading and writing options as text, bytes, doubles and integers.
    pub database_options: [Absent; 7],
    pub connection_cancel: Option<ObjectCall>,
    pub connection_get_option: Option<GetText>,
    pub connection_get_other_options: [Absent; 3],
    pub connection_statistics: [Absent; 2],
    pub connection_set_other_options: [Absent; 3],
    pub statement_cancel: Option<ObjectCall>,
    pub statement_execute_schema: Option<GetSchema>,
    /// Reading and writing options as text, bytes, doubles and integers.
    pub statement_options: [Absent; 7],
}

/// The functions of version 1.1.
#[repr(C)]
pub struct ExtendedDriverTable {
    pub first: DriverTable,
    pub additions: DriverTableAdditions,
}

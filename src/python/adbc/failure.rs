//! Errors as a driver manager gets them: a status, a message, a code of SQL.

use std::any::Any;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow::error::ArrowError;
use ocellus::error::{Error, QueryErrorKind};
use ocellus::server::{ServerError, ServerErrorKind};

use super::abi::{AdbcError, HAS_PRIVATE_DATA, StatusCode};

/// All is well.
pub const OK: StatusCode = 0;
/// The statuses of failures, as the standard numbers them.
pub const NOT_IMPLEMENTED: StatusCode = 2;
/// What was asked for does not exist.
pub const NOT_FOUND: StatusCode = 3;
/// An argument or a statement is wrong.
pub const INVALID_ARGUMENT: StatusCode = 5;
/// The call came too early, too late, or in the child of a fork.
pub const INVALID_STATE: StatusCode = 6;
const INVALID_DATA: StatusCode = 7;
const INTERNAL: StatusCode = 9;
const IO: StatusCode = 10;
const CANCELLED: StatusCode = 11;

/// Why a call failed.
#[derive(Debug)]
pub struct AdbcFailure {
    /// One of those above, or of the standard.
    pub status: StatusCode,
    /// What is wrong, for people.
    pub message: String,
    sqlstate: &'static str,
}

impl AdbcFailure {
    /// A failure without a code of SQL.
    pub fn new(status: StatusCode, message: impl Into<String>) -> AdbcFailure {
        AdbcFailure { status, message: message.into(), sqlstate: "" }
    }

    /// The failure of a query that was cancelled.
    pub fn cancelled() -> AdbcFailure {
        let sqlstate = ServerErrorKind::Cancelled.sqlstate();
        AdbcFailure { status: CANCELLED, message: "the query was cancelled".to_string(), sqlstate }
    }

    /// Hands the failure over, if the caller wants it.
    ///
    /// # Safety
    /// `target` is null, or points to an error that the caller has initialized.
    pub unsafe fn write(self, target: *mut AdbcError) {
        // SAFETY: what our caller promises.
        let Some(target) = (unsafe { target.as_mut() }) else { return };
        if let Some(release) = target.release {
            // SAFETY: an error that has this function holds a message of whoever set it.
            unsafe { release(target) };
        }
        let message = CString::new(self.message.replace('\0', " ")).unwrap_or_default();
        target.message = message.into_raw();
        if target.vendor_code != HAS_PRIVATE_DATA {
            target.vendor_code = 0;
        }
        target.sqlstate = [0; 5];
        for (target, byte) in target.sqlstate.iter_mut().zip(self.sqlstate.bytes()) {
            *target = byte as c_char;
        }
        target.release = Some(release_error);
    }
}

/// Frees the message of an error of ours.
unsafe extern "C" fn release_error(error: *mut AdbcError) {
    // SAFETY: only errors that `write` has filled have this function, and it is removed when it was called.
    let Some(error) = (unsafe { error.as_mut() }) else { return };
    if !error.message.is_null() {
        // SAFETY: as above: the message came from `CString::into_raw`.
        drop(unsafe { CString::from_raw(error.message) });
    }
    error.message = std::ptr::null_mut();
    error.release = None;
}

/// Does the work of a call. A panic ends here: it must not reach C.
///
/// # Safety
/// `error` is null, or points to an error that the caller has initialized.
pub unsafe fn guarded(error: *mut AdbcError, work: impl FnOnce() -> Result<(), AdbcFailure>) -> StatusCode {
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(panic.as_ref())));
    let Err(failure) = outcome else { return OK };
    let status = failure.status;
    // SAFETY: what our caller promises.
    unsafe { failure.write(error) };
    status
}

fn of_panic(panic: &(dyn Any + Send)) -> AdbcFailure {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    AdbcFailure::new(INTERNAL, format!("a fault of Ocellus: {}", text.unwrap_or("it panicked")))
}

impl From<Error> for AdbcFailure {
    fn from(error: Error) -> AdbcFailure {
        let message = error.to_string();
        match error {
            Error::Usage(_) => AdbcFailure::new(INVALID_ARGUMENT, message),
            Error::Trace(_) => AdbcFailure::new(INVALID_DATA, message),
            Error::Store(_) | Error::Io { .. } => AdbcFailure::new(IO, message),
            Error::Cancelled => AdbcFailure::cancelled(),
            Error::Internal(_) => AdbcFailure::new(INTERNAL, message),
            Error::Query(query) => {
                let sqlstate = ServerErrorKind::Query(query.kind).sqlstate();
                AdbcFailure { status: status_of(query.kind), message, sqlstate }
            }
        }
    }
}

impl From<ServerError> for AdbcFailure {
    fn from(error: ServerError) -> AdbcFailure {
        AdbcFailure { status: INVALID_ARGUMENT, message: error.to_string(), sqlstate: error.sqlstate() }
    }
}

impl From<ArrowError> for AdbcFailure {
    fn from(error: ArrowError) -> AdbcFailure {
        AdbcFailure::new(INVALID_DATA, error.to_string())
    }
}

fn status_of(kind: QueryErrorKind) -> StatusCode {
    match kind {
        QueryErrorKind::UnknownTable | QueryErrorKind::UnknownColumn | QueryErrorKind::UnknownFunction => NOT_FOUND,
        QueryErrorKind::Unsupported => NOT_IMPLEMENTED,
        QueryErrorKind::InvalidValue | QueryErrorKind::OutOfRange | QueryErrorKind::DivisionByZero => INVALID_DATA,
        QueryErrorKind::DamagedStore | QueryErrorKind::OutOfMemory => IO,
        QueryErrorKind::Internal => INTERNAL,
        QueryErrorKind::Syntax
        | QueryErrorKind::AmbiguousColumn
        | QueryErrorKind::TypeMismatch
        | QueryErrorKind::ReadOnly
        | QueryErrorKind::Invalid => INVALID_ARGUMENT,
    }
}

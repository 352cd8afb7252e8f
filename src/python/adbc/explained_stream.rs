//! A stream of rows that knows why it failed: the Arrow interface has a number and a text for it, ADBC a status and a code of
//! SQL besides, which a driver manager asks for by `AdbcErrorFromArrayStream`.

use std::ffi::{c_char, c_int};
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::RecordBatchReader;
use arrow::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow::ffi_stream::FFI_ArrowArrayStream;

use super::abi::{AdbcError, ExtendedAdbcError, StatusCode};
use super::failure::{AdbcFailure, OK};

/// Where a reader of rows leaves the reason of its failure.
pub type FailureSlot = Arc<Mutex<Option<AdbcFailure>>>;

/// The private data of the stream.
struct ExplainedStream {
    rows: FFI_ArrowArrayStream,
    slot: FailureSlot,
    status: StatusCode,
    error: ExtendedAdbcError,
}

impl Drop for ExplainedStream {
    fn drop(&mut self) {
        if let Some(release) = self.error.first.release {
            // SAFETY: the error is one that `AdbcFailure::write` has filled.
            unsafe { release(&mut self.error.first) };
        }
    }
}

/// A stream of rows, which leave the reason of a failure in the slot.
pub fn explained_stream(rows: Box<dyn RecordBatchReader + Send>, slot: FailureSlot) -> FFI_ArrowArrayStream {
    let rows = FFI_ArrowArrayStream::new(rows);
    let stream = ExplainedStream { rows, slot, status: OK, error: ExtendedAdbcError::none() };
    FFI_ArrowArrayStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: Some(get_last_error),
        release: Some(release),
        private_data: Box::into_raw(Box::new(stream)).cast(),
    }
}

/// The stream of ours behind one of C; `None` when it is another's, or was released.
///
/// # Safety
/// `stream` is null, or points to a stream that nobody else uses now.
unsafe fn of<'a>(stream: *mut FFI_ArrowArrayStream) -> Option<&'a mut ExplainedStream> {
    // SAFETY: what our caller promises.
    let stream = unsafe { stream.as_mut() }?;
    let is_ours = stream.release.is_some_and(|found| std::ptr::fn_addr_eq(found, release as ReleaseStream));
    if !is_ours {
        return None;
    }
    // SAFETY: streams with this function hold a box of ours until it was called, and lose it then.
    unsafe { stream.private_data.cast::<ExplainedStream>().as_mut() }
}

type ReleaseStream = unsafe extern "C" fn(*mut FFI_ArrowArrayStream);

unsafe extern "C" fn get_schema(stream: *mut FFI_ArrowArrayStream, schema: *mut FFI_ArrowSchema) -> c_int {
    // SAFETY: whoever calls a function of a stream hands over that stream, and a place for the answer.
    unsafe {
        match of(stream).and_then(|stream| stream.rows.get_schema.map(|call| call(&mut stream.rows, schema))) {
            Some(code) => code,
            None => libc::EINVAL,
        }
    }
}

unsafe extern "C" fn get_next(stream: *mut FFI_ArrowArrayStream, batch: *mut FFI_ArrowArray) -> c_int {
    // SAFETY: as above.
    let Some(stream) = (unsafe { of(stream) }) else { return libc::EINVAL };
    let Some(call) = stream.rows.get_next else { return libc::EINVAL };
    // SAFETY: as above.
    let code = unsafe { call(&mut stream.rows, batch) };
    if let Some(failure) = stream.slot.lock().unwrap_or_else(PoisonError::into_inner).take() {
        stream.status = failure.status;
        // SAFETY: the error is ours, and was initialized.
        unsafe { failure.write(&mut stream.error.first) };
    }
    code
}

unsafe extern "C" fn get_last_error(stream: *mut FFI_ArrowArrayStream) -> *const c_char {
    // SAFETY: as above.
    unsafe {
        match of(stream).and_then(|stream| stream.rows.get_last_error.map(|call| call(&mut stream.rows))) {
            Some(text) => text,
            None => std::ptr::null(),
        }
    }
}

unsafe extern "C" fn release(stream: *mut FFI_ArrowArrayStream) {
    // SAFETY: as above; nobody uses the stream after this.
    unsafe {
        if let Some(held) = of(stream) {
            drop(Box::from_raw(held));
            (*stream).private_data = std::ptr::null_mut();
            (*stream).release = None;
        }
    }
}

/// `AdbcErrorFromArrayStream`: why a stream failed; null when it did not, or is another's. The error stays the stream's.
pub unsafe extern "C" fn error_from_stream(
    stream: *mut FFI_ArrowArrayStream,
    status: *mut StatusCode,
) -> *const AdbcError {
    // SAFETY: the driver manager hands over a stream that it is allowed to use, and a place for the status or none.
    let Some(stream) = (unsafe { of(stream) }) else { return std::ptr::null() };
    if stream.status == OK {
        return std::ptr::null();
    }
    // SAFETY: as above.
    if let Some(status) = unsafe { status.as_mut() } {
        *status = stream.status;
    }
    // All of it is the manager's to write into, beyond the fields that every version has.
    (&raw const stream.error).cast()
}

//! What crosses the border to C: our objects behind pointers, texts, and results.

use std::ffi::{CStr, c_char};

use arrow::datatypes::Schema;
use arrow::ffi::FFI_ArrowSchema;
use arrow::ffi_stream::FFI_ArrowArrayStream;
use ocellus::error::Error;

use super::abi::AdbcObject;
use super::failure::{AdbcFailure, INVALID_ARGUMENT, INVALID_STATE};
use crate::errors::FORKED;
use crate::workers::{is_forked, worker_threads};

/// Puts a value of ours behind a new object.
///
/// # Safety
/// `object` points to an object that the caller has initialized.
pub unsafe fn put<T>(object: *mut AdbcObject, value: T) -> Result<(), AdbcFailure> {
    // SAFETY: what our caller promises.
    let object = unsafe { object.as_mut() }.ok_or_else(missing)?;
    if !object.private_data.is_null() {
        return Err(AdbcFailure::new(INVALID_STATE, "the object is in use already"));
    }
    object.private_data = Box::into_raw(Box::new(value)).cast();
    Ok(())
}

/// The value of ours behind an object.
///
/// # Safety
/// `object` points to an object whose value, if it has one, [`put`] has put there as the same type; it is not released while
/// the reference lives.
pub unsafe fn borrow<'a, T: Sync>(object: *mut AdbcObject) -> Result<&'a T, AdbcFailure> {
    // SAFETY: what our caller promises.
    let object = unsafe { object.as_ref() }.ok_or_else(missing)?;
    // SAFETY: as above.
    unsafe { object.private_data.cast::<T>().as_ref() }.ok_or_else(missing)
}

/// Releases the value behind an object.
///
/// # Safety
/// As for [`borrow`], and nobody uses the object any more.
pub unsafe fn release<T>(object: *mut AdbcObject) -> Result<(), AdbcFailure> {
    // SAFETY: what our caller promises.
    let object = unsafe { object.as_mut() }.ok_or_else(missing)?;
    let value = std::mem::replace(&mut object.private_data, std::ptr::null_mut());
    if value.is_null() {
        return Err(missing());
    }
    // SAFETY: the pointer came from `Box::into_raw`, and was removed.
    drop(unsafe { Box::from_raw(value.cast::<T>()) });
    Ok(())
}

fn missing() -> AdbcFailure {
    AdbcFailure::new(INVALID_STATE, "the object is not initialized, or was released")
}

/// A text that must be given.
///
/// # Safety
/// `text` is null, or ends with a zero.
pub unsafe fn text(text: *const c_char) -> Result<String, AdbcFailure> {
    // SAFETY: what our caller promises.
    let text = unsafe { optional_text(text) }?;
    text.ok_or_else(|| AdbcFailure::new(INVALID_ARGUMENT, "a text is missing"))
}

/// A text that may be left out.
///
/// # Safety
/// As for [`text`].
pub unsafe fn optional_text(text: *const c_char) -> Result<Option<String>, AdbcFailure> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: what our caller promises.
    let bytes = unsafe { CStr::from_ptr(text) };
    let wrong = |_| AdbcFailure::new(INVALID_ARGUMENT, "a text is not UTF-8");
    bytes.to_str().map(|text| Some(text.to_string())).map_err(wrong)
}

/// A list of texts, which a null pointer ends; `None` when it is left out.
///
/// # Safety
/// `texts` is null, or points to such a list of texts that end with a zero.
pub unsafe fn optional_texts(mut texts: *const *const c_char) -> Result<Option<Vec<String>>, AdbcFailure> {
    if texts.is_null() {
        return Ok(None);
    }
    let mut list = vec![];
    // SAFETY: what our caller promises: the list goes on until the null pointer.
    while let Some(text) = unsafe { optional_text(*texts) }? {
        list.push(text);
        // SAFETY: as above.
        texts = unsafe { texts.add(1) };
    }
    Ok(Some(list))
}

/// Writes a text and its zero into the caller's bytes if they suffice, and how many it takes.
///
/// # Safety
/// `length` is null or valid; `target` has as many bytes as it says.
pub unsafe fn write_text(text: &str, target: *mut c_char, length: *mut usize) -> Result<(), AdbcFailure> {
    // SAFETY: what our caller promises.
    let length = unsafe { length.as_mut() }.ok_or_else(|| AdbcFailure::new(INVALID_ARGUMENT, "a length is missing"))?;
    let needed = text.len() + 1;
    if !target.is_null() && *length >= needed {
        // SAFETY: the target has that many bytes, and is not ours.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr().cast(), target, text.len());
            target.add(text.len()).write(0);
        }
    }
    *length = needed;
    Ok(())
}

/// Hands a stream of rows over.
///
/// # Safety
/// `target` is null, or a place for a stream.
pub unsafe fn write_stream(target: *mut FFI_ArrowArrayStream, rows: FFI_ArrowArrayStream) -> Result<(), AdbcFailure> {
    if target.is_null() {
        return Err(AdbcFailure::new(INVALID_ARGUMENT, "a place for the rows is missing"));
    }
    // SAFETY: what our caller promises; whatever was there is not ours to release.
    unsafe { target.write(rows) };
    Ok(())
}

/// Hands a schema over.
///
/// # Safety
/// `target` is null, or a place for a schema.
pub unsafe fn write_schema(target: *mut FFI_ArrowSchema, schema: &Schema) -> Result<(), AdbcFailure> {
    if target.is_null() {
        return Err(AdbcFailure::new(INVALID_ARGUMENT, "a place for the schema is missing"));
    }
    // SAFETY: as above.
    unsafe { target.write(FFI_ArrowSchema::try_from(schema)?) };
    Ok(())
}

/// Runs work on the workers and waits for it.
pub fn on_workers<T: Send + 'static, E: Into<AdbcFailure> + Send + 'static>(
    work: impl Future<Output = Result<T, E>> + Send + 'static,
) -> Result<T, AdbcFailure> {
    check_fork()?;
    let workers = worker_threads()?;
    match workers.block_on(workers.spawn(work)) {
        Ok(done) => done.map_err(Into::into),
        Err(_) => Err(Error::Internal("the work stopped without a result".to_string()).into()),
    }
}

/// A failure in the child of a fork: the workers are in the parent.
pub fn check_fork() -> Result<(), AdbcFailure> {
    if is_forked() { Err(AdbcFailure::new(INVALID_STATE, FORKED)) } else { Ok(()) }
}

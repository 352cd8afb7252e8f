//! Databases of the driver: what is to be opened, and how. Each connection opens it anew, and sees it as it is then.

use std::ffi::c_char;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ocellus::cli::{WORKER_STACK, parse_size};
use ocellus::engine::{Engine, EngineOptions, remote};
use ocellus::error::{Error, Result};

use super::abi::{AdbcError, AdbcObject, StatusCode};
use super::failure::{AdbcFailure, INVALID_ARGUMENT, NOT_IMPLEMENTED, guarded};
use super::handover::{borrow, check_fork, on_workers, put, text};
use crate::importing::{ReadingOptions, open_store};

/// The options, which are those of `ocellus.connect`.
const OPTIONS: &str = "uri, trace, memory_limit, threads, format, time_unit, resolution, collectives, origin_ms";

/// A database: where it is, and how it is opened.
#[derive(Debug, Default)]
pub struct DriverDatabase {
    settings: Mutex<DatabaseSettings>,
}

#[derive(Debug, Clone, Default)]
struct DatabaseSettings {
    source: Option<PathBuf>,
    options: EngineOptions,
    reading: ReadingOptions,
}

impl DriverDatabase {
    fn set(&self, key: &str, value: String) -> Result<(), AdbcFailure> {
        let wrong = |what: &str| AdbcFailure::new(INVALID_ARGUMENT, format!("{key}: {what}, got {value}"));
        let mut settings = self.settings.lock().unwrap_or_else(PoisonError::into_inner);
        match key {
            "uri" => {
                let path = value.strip_prefix("file://").unwrap_or(&value);
                settings.source = Some(PathBuf::from(path));
            }
            "trace" => settings.options.trace = Some(value),
            "memory_limit" => settings.options.memory_limit = Some(parse_size(&value).map_err(|what| wrong(&what))?),
            "threads" => {
                let threads = value.parse().ok().filter(|threads| *threads > 0);
                settings.options.threads = Some(threads.ok_or_else(|| wrong("expected a number of at least 1"))?);
            }
            "format" => settings.reading.format = Some(value),
            "time_unit" => settings.reading.time_unit = Some(value),
            "resolution" => settings.reading.resolution = Some(value),
            "collectives" => settings.reading.collectives = Some(value),
            "origin_ms" => {
                settings.reading.origin_ms = Some(value.parse().map_err(|_| wrong("expected an integer"))?);
            }
            other => {
                let message = format!("no option {other} of a database; there are {OPTIONS}");
                return Err(AdbcFailure::new(NOT_IMPLEMENTED, message));
            }
        }
        Ok(())
    }

    fn settings(&self) -> DatabaseSettings {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn check(&self) -> Result<(), AdbcFailure> {
        let settings = self.settings();
        settings.reading.parsed()?;
        if settings.source.is_none() {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "uri: a trace or a store is missing"));
        }
        Ok(())
    }

    /// An engine over the database as it is now. A trace is imported first if it is not in the cache.
    pub fn open(&self) -> Result<Engine, AdbcFailure> {
        check_fork()?;
        let DatabaseSettings { source, options, reading } = self.settings();
        let Some(source) = source else {
            return Err(AdbcFailure::new(INVALID_ARGUMENT, "uri: a trace or a store is missing"));
        };
        if let Some(url) = remote::url_of(&source) {
            let url = url.to_string();
            return on_workers(async move { remote::open(&url, &options).await });
        }
        let reading = reading.parsed()?;
        let opening = std::thread::Builder::new().name("ocellus-import".to_string()).stack_size(WORKER_STACK);
        let opening = opening.spawn(move || Engine::open(open_store(&[source], &reading)?, options));
        let opening = opening.map_err(|source| Error::Io { context: "cannot start a thread".to_string(), source })?;
        let opened = opening.join();
        Ok(opened.unwrap_or_else(|_| Err(Error::Internal("the import stopped without a result".to_string())))?)
    }
}

/// `AdbcDatabaseNew`.
pub unsafe extern "C" fn new(database: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: the driver manager hands over objects and errors that it has initialized.
    unsafe { guarded(error, || put(database, DriverDatabase::default())) }
}

/// `AdbcDatabaseSetOption`.
pub unsafe extern "C" fn set_option(
    database: *mut AdbcObject,
    key: *const c_char,
    value: *const c_char,
    error: *mut AdbcError,
) -> StatusCode {
    // SAFETY: as above; texts end with a zero, and `new` has put the database there.
    unsafe { guarded(error, || borrow::<DriverDatabase>(database)?.set(&text(key)?, text(value)?)) }
}

/// `AdbcDatabaseInit`.
pub unsafe extern "C" fn init(database: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above.
    unsafe { guarded(error, || borrow::<DriverDatabase>(database)?.check()) }
}

/// `AdbcDatabaseRelease`.
pub unsafe extern "C" fn release(database: *mut AdbcObject, error: *mut AdbcError) -> StatusCode {
    // SAFETY: as above; whoever releases an object does not use it any more.
    unsafe { guarded(error, || super::handover::release::<DriverDatabase>(database)) }
}

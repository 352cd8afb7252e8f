//! The lock of a running import, and folders whose import is dead.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::Path;

use super::regular_file::open_regular;
use crate::error::{Error, Result};

/// Held by a running import, in its own folder.
pub(super) const IMPORT_LOCK: &str = "lock";

/// How often a folder is made that others remove meanwhile.
const ATTEMPTS: usize = 100;

/// Whether the import that a folder belongs to is dead.
pub(super) fn is_abandoned(folder: &Path) -> bool {
    match open_regular(&folder.join(IMPORT_LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        // Killed between making the folder and its lock, or just being made: an empty one can be removed, because whoever
        // makes it makes it again. The age of others decides.
        Err(_) => {
            fs::remove_dir(folder).is_err()
                && fs::metadata(folder)
                    .and_then(|metadata| metadata.modified())
                    .is_ok_and(|made| made.elapsed().is_ok_and(|age| age.as_secs() > 60))
        }
    }
}

/// Makes the folder of an import with its lock, which is held as long as the file is open.
pub(super) fn create_locked(folder: &Path) -> Result<File> {
    let path = folder.join(IMPORT_LOCK);
    for _ in 0..ATTEMPTS {
        fs::create_dir_all(folder).map_err(|e| Error::io("create", folder, e))?;
        let lock = match File::create(&path) {
            Ok(lock) => lock,
            // Another writer took the folder, empty and without a lock, for an abandoned one.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(Error::io("create", &path, error)),
        };
        lock.lock().map_err(|e| Error::io("lock", &path, e))?;
        // The same may happen as long as the lock is free.
        if path.exists() {
            return Ok(lock);
        }
    }
    Err(Error::io("create", &path, ErrorKind::NotFound.into()))
}

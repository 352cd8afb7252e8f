//! The lock of a running import, and folders whose import is dead.

use std::fs;
use std::path::Path;

use super::regular_file::open_regular;

/// Held by a running import, in its own folder.
pub(super) const IMPORT_LOCK: &str = "lock";

/// Whether the import that a folder belongs to is dead.
pub(super) fn is_abandoned(folder: &Path) -> bool {
    match open_regular(&folder.join(IMPORT_LOCK)) {
        Ok(lock) => lock.try_lock().is_ok(),
        // Killed between making the folder and its lock, or just being made: its age decides.
        Err(_) => fs::metadata(folder)
            .and_then(|metadata| metadata.modified())
            .is_ok_and(|made| made.elapsed().is_ok_and(|age| age.as_secs() > 60)),
    }
}

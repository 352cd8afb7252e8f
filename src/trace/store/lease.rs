//! Leases: a reader keeps the files of a trace while it has plans over them.
//!
//! A lease is a shared lock on the folder of a trace. Whoever drops the trace takes it out of the
//! manifest at once, and removes the folder only when nobody holds it: then, or at a later change.
//! Where folders cannot be locked there are no leases, and a dropped trace is gone.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::regular_file::require_folder;
use crate::error::{Error, Result};

/// The folders that a reader keeps.
#[derive(Debug, Default)]
pub struct Leases {
    held: Mutex<BTreeMap<PathBuf, Option<File>>>,
}

impl Leases {
    /// Keeps a folder until these leases are dropped. Fails when the folder is gone.
    pub fn take(&self, folder: &Path) -> Result<()> {
        // The map is whole after any panic: an entry is inserted in one step.
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.contains_key(folder) {
            return Ok(());
        }
        match require_folder(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::io("open", folder, error)),
            _ => {}
        }
        let file = File::open(folder).ok();
        let locked = file.as_ref().map(File::try_lock_shared);
        let is_being_removed = matches!(locked, Some(Err(TryLockError::WouldBlock)));
        let lease = file.filter(|_| matches!(locked, Some(Ok(()))));
        // Looked at after the lock: nobody removes it from here on.
        if is_being_removed || !folder.exists() {
            return Err(Error::Store(format!(
                "{} is gone: the trace was dropped; open the store again",
                folder.display()
            )));
        }
        held.insert(folder.to_path_buf(), lease);
        Ok(())
    }
}

/// Removes a folder unless a reader keeps it. Failures are left for next time.
pub(super) fn remove_unless_leased(folder: &Path) {
    // A link or a pipe of that name is none of ours.
    let Ok(file) = require_folder(folder).and_then(|()| File::open(folder)) else { return };
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {}
        // The lock is held, or there are no locks here.
        Ok(()) | Err(TryLockError::Error(_)) => {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

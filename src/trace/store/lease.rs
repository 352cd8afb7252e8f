//! Leases: a reader keeps the files of a trace while it has plans over them.
//!
//! A lease is a shared lock on the folder of a trace. Whoever drops the trace takes it out of the
//! manifest at once, and removes the folder only when nobody holds it: then, or at a later change.
//! Where folders cannot be locked there are no leases, and a dropped trace is gone.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fs::{self, File, Metadata, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::regular_file::require_folder;
use crate::error::{Error, Result};

/// The folders that a reader keeps.
#[derive(Debug, Default)]
pub struct Leases {
    held: Mutex<BTreeMap<PathBuf, Option<Arc<File>>>>,
}

/// The leases of this program: many readers of one folder need one open file.
static OPEN: Mutex<BTreeMap<PathBuf, Weak<File>>> = Mutex::new(BTreeMap::new());

impl Leases {
    /// Keeps a folder until these leases are dropped. Fails when the folder is gone.
    pub fn take(&self, folder: &Path) -> Result<()> {
        let mut held = whole(&self.held);
        if !held.contains_key(folder) {
            held.insert(folder.to_path_buf(), lease(folder)?);
        }
        Ok(())
    }
}

/// Keeps a folder; `None` where folders cannot be locked.
fn lease(folder: &Path) -> Result<Option<Arc<File>>> {
    let mut open = whole(&OPEN);
    if let Some(shared) = open.get(folder).and_then(Weak::upgrade).filter(|file| is_at(file, folder)) {
        return Ok(Some(shared));
    }
    match require_folder(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::io("open", folder, error)),
        _ => {}
    }
    let file = File::open(folder).ok();
    let locked = file.as_ref().map(File::try_lock_shared);
    let is_being_removed = matches!(locked, Some(Err(TryLockError::WouldBlock)));
    let file = file.filter(|_| matches!(locked, Some(Ok(()))));
    // Looked at after the lock: nobody removes it from here on.
    if is_being_removed || !folder.exists() {
        return Err(Error::Store(format!("{} is gone: the trace was dropped; open the store again", folder.display())));
    }
    let file = file.map(Arc::new);
    open.retain(|_, file| file.strong_count() > 0);
    if let Some(file) = &file {
        open.insert(folder.to_path_buf(), Arc::downgrade(file));
    }
    Ok(file)
}

/// Whether an open folder is the one that is at a path now.
fn is_at(file: &File, folder: &Path) -> bool {
    #[cfg(unix)]
    fn identity(metadata: &Metadata) -> (u64, u64) {
        use std::os::unix::fs::MetadataExt;
        (metadata.dev(), metadata.ino())
    }
    // Never shared where nobody can tell.
    #[cfg(not(unix))]
    fn identity(_: &Metadata) -> f64 {
        f64::NAN
    }
    match (file.metadata(), fs::symlink_metadata(folder)) {
        (Ok(open), Ok(there)) => identity(&open) == identity(&there),
        _ => false,
    }
}

/// A map whose entries are inserted in one step each, so that it is whole after any panic.
fn whole<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
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

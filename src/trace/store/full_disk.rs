//! Dropping a trace when the disk has no space left for a new manifest.
//!
//! ```text
//!  t000002/ ──rename──► x000002/ ──empty it──► space ──► new manifest ──► no x000002
//! ```
//! The rename needs no space and decides: a trace whose folder has such a name is dropped, whatever the manifest says.
//! So the trace is there or gone at every instant, and the mark stays until the manifest no longer names the trace.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;

use super::manifest::TraceEntry;
use super::regular_file::sync_folder;
use crate::error::{Error, Result};

/// Whether an error says that the disk is full, or the share of its user.
pub(super) fn is_full(error: &Error) -> bool {
    let Error::Io { source, .. } = error else { return false };
    matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// The name that the folder of a dropped trace gets.
pub(super) fn drop_mark(folder: &str) -> String {
    format!("x{}", folder.strip_prefix('t').unwrap_or(folder))
}

/// Drops a trace by a mark, and frees its space. A trace that somebody reads stays.
pub(super) fn mark_and_clear(root: &Path, trace: &TraceEntry) -> Result<()> {
    let folder = root.join(&trace.folder);
    let marked = root.join(drop_mark(&trace.folder));
    let lock = File::open(&folder).map_err(|e| Error::io("open", &folder, e))?;
    if matches!(lock.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(Error::Store(format!(
            "the disk is full, and another program reads the trace {}: end that program or make some space, and drop it again",
            trace.name
        )));
    }
    fs::rename(&folder, &marked).map_err(|e| Error::io("move", &folder, e))?;
    if let Err(error) = sync_folder(root) {
        // The mark may not outlive a power failure, so the files must.
        let _ = fs::rename(&marked, &folder);
        return Err(error);
    }
    let files = fs::read_dir(&marked).map_err(|e| Error::io("read", &marked, e))?;
    for file in files.flatten() {
        // What stays goes with the mark.
        let _ = fs::remove_file(file.path());
    }
    Ok(())
}

/// Removes the marks of traces that the manifest does not name. Failures are left for next time.
pub(super) fn remove_drop_marks(root: &Path) {
    let Ok(entries) = fs::read_dir(root) else { return };
    for entry in entries.flatten() {
        if is_drop_mark(&entry.file_name().to_string_lossy()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_drop_mark(name: &str) -> bool {
    name.len() >= 7 && name.strip_prefix('x').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

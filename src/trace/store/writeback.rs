//! Lets the system write files to disk while they are made, so that their sync at the end has little left to wait for.

#[cfg(test)]
mod tests;

use std::fs::File;

/// Begins to write what a file has so far; nothing depends on it. Other systems than Linux begin when they want to.
pub(super) fn begin(file: &File) {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: the descriptor belongs to a file that is open as long as it is borrowed, and the call touches no memory of
        // the process. Where it fails, the sync at the end does all the work, and tells.
        unsafe { libc::sync_file_range(file.as_raw_fd(), 0, 0, libc::SYNC_FILE_RANGE_WRITE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = file;
}

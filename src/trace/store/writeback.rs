//! Lets the system write files to disk while they are made, so that their sync at the end has little left to wait for.

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

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek, Write};

    use super::*;

    #[test]
    fn files_stay_as_they_are() {
        let mut file = tempfile::tempfile().expect("a file");
        begin(&file);
        for part in [vec![1_u8; 100_000], vec![2; 3]] {
            file.write_all(&part).expect("written");
            begin(&file);
        }
        file.rewind().expect("rewound");
        let mut all = vec![];
        file.read_to_end(&mut all).expect("read");
        assert_eq!(all, [vec![1; 100_000], vec![2; 3]].concat());
    }
}

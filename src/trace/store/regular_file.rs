//! Opening the files of a store: regular files only.
//!
//! A store may come from somebody else. A pipe in the place of a file would make the reader wait for ever, and a
//! symbolic link would make it read, or write, outside the store.

#[cfg(test)]
mod tests;

use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io;
use std::path::Path;

use crate::error::{Error, Result};

/// Opens a file for reading. Whatever is no regular file is refused and never waited for.
pub fn open_regular(path: &Path) -> io::Result<File> {
    open_with(path, File::options().read(true))
}

/// Opens a file of a folder for reading; the folder must be one and no link to one.
pub fn open_in(folder: &Path, name: &str) -> io::Result<File> {
    require_folder(folder)?;
    open_regular(&folder.join(name))
}

/// What is known of a regular file of a folder that is one.
pub fn metadata_in(folder: &Path, name: &str) -> io::Result<Metadata> {
    require_folder(folder)?;
    let metadata = fs::symlink_metadata(folder.join(name))?;
    require_regular(metadata.file_type())?;
    Ok(metadata)
}

/// Opens a file as the options say, if it is a regular one.
pub(super) fn open_with(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    if let Ok(metadata) = fs::symlink_metadata(path) {
        require_regular(metadata.file_type())?;
    }
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    // It may have been replaced since it was looked at.
    require_regular(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens a file for writing that may be there, and leaves its content.
pub(crate) fn create_or_open(path: &Path) -> io::Result<File> {
    open_with(path, File::options().write(true).create(true).truncate(false))
}

/// Creates a file that is not there yet, never through a link. What was left there is removed.
pub(super) fn create_new(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => File::options().write(true).create_new(true).open(path),
    }
}

/// Checks that a folder of a store is a folder and no link to one.
pub(super) fn require_folder(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path)?.file_type() {
        found if found.is_dir() => Ok(()),
        found => Err(refused(found)),
    }
}

fn require_regular(found: FileType) -> io::Result<()> {
    if found.is_file() { Ok(()) } else { Err(refused(found)) }
}

fn refused(found: FileType) -> io::Error {
    let what = if found.is_symlink() {
        "a symbolic link"
    } else if found.is_dir() {
        "a folder"
    } else if found.is_file() {
        "a file"
    } else {
        "a pipe, a socket or a device"
    };
    io::Error::other(format!("it is {what}; a store holds regular files in folders of its own"))
}

/// Flushes a folder's entries to disk.
pub(super) fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|e| Error::io("sync", path, e))
}

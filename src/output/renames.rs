//! Renames with a promise: not over anything, or two names exchanged in one step.

use std::io;
use std::path::Path;

/// Renames unless the new name is taken.
pub(super) fn rename_to_free_name(from: &Path, to: &Path) -> io::Result<()> {
    match rename_with(from, to, RenameFlag::NoReplace) {
        Err(error) if is_unsupported(&error) => {
            // A file that appears between these two lines is lost; no call of this file system can avoid that.
            if std::fs::symlink_metadata(to).is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            std::fs::rename(from, to)
        }
        renamed => renamed,
    }
}

/// Exchanges two names. [`is_unsupported`] errors say that the file system cannot do it.
pub(super) fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    rename_with(one, other, RenameFlag::Exchange)
}

/// Whether an error says that the kernel or the file system does not know such a rename.
pub(super) fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP)) {
        return true;
    }
    error.kind() == io::ErrorKind::Unsupported
}

#[derive(Clone, Copy)]
enum RenameFlag {
    NoReplace,
    Exchange,
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn rename_with(from: &Path, to: &Path, flag: RenameFlag) -> io::Result<()> {
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    let from = CString::new(from.as_os_str().as_bytes())?;
    let to = CString::new(to.as_os_str().as_bytes())?;
    let flag = match flag {
        RenameFlag::NoReplace => libc::RENAME_NOREPLACE,
        RenameFlag::Exchange => libc::RENAME_EXCHANGE,
    };
    // SAFETY: both paths end with a zero byte and outlive the call, which keeps neither.
    match unsafe { libc::renameat2(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), flag) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn rename_with(_from: &Path, _to: &Path, flag: RenameFlag) -> io::Result<()> {
    let what = match flag {
        RenameFlag::NoReplace => "renames that keep what is there",
        RenameFlag::Exchange => "exchanges of names",
    };
    Err(io::Error::new(io::ErrorKind::Unsupported, format!("this system has no {what}")))
}

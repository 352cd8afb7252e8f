//! Names of outputs under way, the locks on them, and the removal of those whose writer is gone.
//!
//! ```text
//!  .ocellus-4711-0.partial     a file or folder that process 4711 writes, or an old one that was exchanged
//!  .ocellus-4711-1.replaced/x  the old folder x, set aside while the new one takes its place
//! ```
//! The lock decides whether the writer lives, not the number of the process: numbers are used again.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

const PREFIX: &str = ".ocellus-";
/// Ends the name of what is written.
pub(super) const PARTIAL: &str = ".partial";
/// Ends the name of a folder that holds what is being replaced.
pub(super) const REPLACED: &str = ".replaced";
/// Names that are tried: programs on other machines may use the same ones in a shared folder.
const ATTEMPTS: u64 = 10_000;

static NEXT: AtomicU64 = AtomicU64::new(0);

/// Makes a file or folder under a new name in `parent` and locks it. `make` creates it, and fails when it exists.
pub(super) fn create_locked(
    parent: &Path,
    suffix: &str,
    make: impl Fn(&Path) -> io::Result<File>,
) -> io::Result<(PathBuf, File)> {
    for _ in 0..ATTEMPTS {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{number}{suffix}", std::process::id()));
        let file = match make(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            // Removed between its making and its lock, or about to be: by a program that looked just then.
            Ok(()) if !is_at(&file, &path) => continue,
            Err(TryLockError::WouldBlock) => continue,
            Ok(()) => return Ok((path, file)),
            // Nobody can lock here, so nobody takes it for abandoned.
            Err(TryLockError::Error(error)) if cannot_lock(&error) => return Ok((path, file)),
            Err(TryLockError::Error(error)) => {
                remove(&path);
                return Err(error);
            }
        }
    }
    Err(io::Error::new(io::ErrorKind::AlreadyExists, "all names for a new file are taken"))
}

/// Makes a folder for [`create_locked`].
pub(super) fn make_folder(path: &Path) -> io::Result<File> {
    fs::create_dir(path)?;
    File::open(path).inspect_err(|_| {
        let _ = fs::remove_dir(path);
    })
}

/// Removes what programs that are gone have left in a folder. Failures are left for next time.
pub(super) fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(suffix) = suffix_of(&name.to_string_lossy()) else { continue };
        let path = entry.path();
        let is_plain = entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        // Locked while it is removed: its writer may be about to lock it, and looks afterwards.
        let Some(_lock) = is_plain.then(|| open_unlocked(&path)).flatten() else { continue };
        if suffix == PARTIAL || restore(&path) {
            remove(&path);
        }
    }
}

/// Removes a file, or a folder with all that is in it. Failures are left for the next sweep.
pub(super) fn remove(path: &Path) {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let _ = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

/// Puts what was set aside back where nothing has taken its place. False when that failed: then it stays.
pub(super) fn restore(aside: &Path) -> bool {
    let Ok(entries) = fs::read_dir(aside) else { return false };
    entries.flatten().all(|entry| {
        let place = aside.with_file_name(entry.file_name());
        fs::symlink_metadata(&place).is_ok() || fs::rename(entry.path(), &place).is_ok()
    })
}

/// The suffix of a name that [`create_locked`] gives; `None` for other names.
fn suffix_of(name: &str) -> Option<&'static str> {
    let rest = name.strip_prefix(PREFIX)?;
    let suffix = [PARTIAL, REPLACED].into_iter().find(|suffix| rest.ends_with(suffix))?;
    let (process, number) = rest.strip_suffix(suffix)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(process) && is_number(number)).then_some(suffix)
}

/// Opens and locks what nobody else has locked.
fn open_unlocked(path: &Path) -> Option<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // It was a plain file a moment ago; should it be a link or a pipe now, it is not followed and not waited for.
        options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    }
    let file = options.open(path).ok()?;
    file.try_lock().is_ok().then_some(file)
}

fn cannot_lock(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(libc::ENOLCK) {
        return true;
    }
    error.kind() == io::ErrorKind::Unsupported
}

/// Whether an open file still has its name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}

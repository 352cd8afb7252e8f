//! One file that a command writes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::partial_name::{PARTIAL, create_locked, remove, sweep};
use super::paths::{parent, resolve, sync_entry};
use super::renames::rename_to_free_name;
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::Existing;

/// A file that gets its name by [`publish`](OutputFile::publish), and is removed when it never does.
#[derive(Debug)]
pub struct OutputFile {
    /// The name that the user gave, for messages.
    shown: PathBuf,
    /// What that name leads to.
    path: PathBuf,
    file: File,
    /// Its name until it is published; `None` afterwards, and for a device or pipe, which is written to directly.
    partial: Option<PathBuf>,
    existing: Existing,
}

impl OutputFile {
    /// Refuses a folder, and a file that is there unless it may be overwritten. Devices and pipes lose nothing.
    pub fn check(path: &Path, existing: Existing) -> Result<()> {
        let refuse = |why: &str| Err(Error::Usage(format!("{} {why}", path.display())));
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => refuse("is a folder; name a file in it"),
            Ok(found) if found.is_file() && existing == Existing::Refuse => {
                refuse("already exists; --force overwrites it")
            }
            _ => Ok(()),
        }
    }

    /// Creates a file beside the wanted one, or opens the device or pipe that has the name.
    pub fn create(path: &Path, existing: Existing) -> Result<OutputFile> {
        let failed = |e| Error::io("create", path, e);
        let shown = path.to_path_buf();
        let found = fs::metadata(path).ok();
        if let Some(found) = &found {
            if found.is_dir() {
                return Err(failed(io::ErrorKind::IsADirectory.into()));
            }
            if !found.is_file() {
                let file = File::options().write(true).open(path).map_err(failed)?;
                return Ok(OutputFile { path: shown.clone(), shown, file, partial: None, existing });
            }
        }
        let place = resolve(path)?;
        let parent = parent(&place);
        sweep(parent);
        let permissions = found.map(|found| found.permissions());
        let make = |name: &Path| create_new(name, permissions.as_ref());
        let (partial, file) = create_locked(parent, PARTIAL, make).map_err(failed)?;
        Ok(OutputFile { shown, path: place, file, partial: Some(partial), existing })
    }

    /// Another handle to write by.
    pub fn writer(&self) -> Result<File> {
        self.file.try_clone().map_err(|e| Error::io("write", &self.shown, e))
    }

    /// Gives the file its name, after all of it is on disk. What is written later goes into the named file.
    pub fn publish(&mut self) -> Result<()> {
        let Some(partial) = &self.partial else { return Ok(()) };
        self.file.sync_all().map_err(|e| Error::io("write", &self.shown, e))?;
        let renamed = match self.existing {
            Existing::Refuse => rename_to_free_name(partial, &self.path),
            Existing::Replace => fs::rename(partial, &self.path),
        };
        renamed.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                Error::Usage(format!("{} appeared meanwhile; --force overwrites it", self.shown.display()))
            }
            _ => Error::io("create", &self.shown, error),
        })?;
        self.partial = None;
        sync_entry(parent(&self.path), &self.shown);
        Ok(())
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        if let Some(partial) = &self.partial {
            remove(partial);
        }
    }
}

/// A new file with the permissions of the one it replaces, else readable by others as far as the umask allows.
fn create_new(path: &Path, permissions: Option<&fs::Permissions>) -> io::Result<File> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Some(permissions) = permissions {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        options.mode(permissions.mode() & 0o666);
    }
    let file = options.open(path)?;
    if let Some(permissions) = permissions {
        // The umask may have taken some away. The file is right without them, too.
        let _ = file.set_permissions(permissions.clone());
    }
    Ok(file)
}

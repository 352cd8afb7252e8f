//! Files and folders that appear under their name when they are whole.
//!
//! They are written under another name beside it, and vanish unless they are published.

#[cfg(test)]
mod tests;

use std::fs;
use std::path::Path;

use tempfile::{NamedTempFile, TempDir, TempPath};

use ocellus_trace::error::{Error, Result};

/// A file beside the wanted one.
pub fn partial_file(path: &Path) -> Result<NamedTempFile> {
    builder(0o666).tempfile_in(parent(path)).map_err(|e| Error::io("create", path, e))
}

/// Gives a file its name, in place of what had it.
pub fn publish_file(partial: TempPath, path: &Path) -> Result<()> {
    partial.persist(path).map_err(|error| Error::io("create", path, error.error))
}

/// A folder beside the wanted one; the folder that holds both is made when it is not there.
pub fn partial_folder(path: &Path) -> Result<TempDir> {
    let parent = parent(path);
    fs::create_dir_all(parent).map_err(|e| Error::io("create", parent, e))?;
    builder(0o777).tempdir_in(parent).map_err(|e| Error::io("create", path, e))
}

/// Gives a folder its name, in place of what had it.
pub fn publish_folder(partial: TempDir, path: &Path) -> Result<()> {
    let failed = |e| Error::io("create", path, e);
    if !path.exists() {
        return fs::rename(partial.keep(), path).map_err(failed);
    }
    // The old one steps aside first: it is there until the new one is.
    let aside = partial_folder(path)?;
    let old = aside.path().join("old");
    fs::rename(path, &old).map_err(|e| Error::io("replace", path, e))?;
    let renamed = fs::rename(partial.path(), path);
    if renamed.is_err() {
        let _ = fs::rename(&old, path);
    } else {
        let _ = partial.keep();
    }
    renamed.map_err(failed)
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Readable by others, as far as the umask allows: it is no secret.
fn builder(mode: u32) -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ocellus-").suffix(".partial");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    builder
}

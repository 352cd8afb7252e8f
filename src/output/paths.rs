//! Where an output lies: links are followed, and folders are synced.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ocellus_render::note;
use ocellus_trace::error::{Error, Result};

/// More links in a row than this are a circle.
const MOST_LINKS: usize = 40;

/// The path that symbolic links lead to, whether there is something or not.
pub(super) fn resolve(path: &Path) -> Result<PathBuf> {
    let mut place = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&place) {
            Ok(target) => place = parent(&place).join(target),
            // It is no link, or there is nothing.
            Err(_) => return Ok(place),
        }
    }
    let source = io::Error::other("too many symbolic links");
    Err(Error::io("open", path, source))
}

/// The folder that holds a path.
pub(super) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Syncs the folder of an output that already has its name. A failure is no failure of the command: the output is
/// there, and only its durability is not certain.
pub(super) fn sync_entry(folder: &Path, output: &Path) {
    if let Err(error) = sync_folder(folder) {
        note(&format!(
            "warning: {} is written, but the folder that holds it cannot be synced ({error}): after a power failure it may be as it was before",
            output.display()
        ));
    }
}

/// Flushes the entries of a folder to disk.
#[cfg(unix)]
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    fs::File::open(folder)?.sync_all()
}

/// Elsewhere folders cannot be opened, and need no sync.
#[cfg(not(unix))]
pub(super) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Flushes a folder and all that is below it to disk.
pub(super) fn sync_tree(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(folder).map_err(|e| Error::io("open", folder, e))? {
        let path = entry.map_err(|e| Error::io("read", folder, e))?.path();
        if path.is_dir() {
            sync_tree(&path)?;
        } else {
            let synced = fs::File::open(&path).and_then(|file| file.sync_all());
            synced.map_err(|e| Error::io("sync", &path, e))?;
        }
    }
    sync_folder(folder).map_err(|e| Error::io("sync", folder, e))
}

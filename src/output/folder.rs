//! One folder that a command writes.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::partial_name::{PARTIAL, REPLACED, create_locked, make_folder, remove, restore, sweep};
use super::paths::{parent, resolve, sync_entry, sync_folder, sync_tree};
use super::renames::{exchange, is_unsupported};
use ocellus_trace::error::{Error, Result};
use ocellus_trace::store::Existing;

/// A folder that gets its name by [`publish`](OutputFolder::publish), and is removed when it never does.
#[derive(Debug)]
pub struct OutputFolder {
    /// The name that the user gave, for messages.
    shown: PathBuf,
    /// What that name leads to.
    place: PathBuf,
    /// Where it is written.
    partial: PathBuf,
    is_published: bool,
    existing: Existing,
    /// Folders around it that were not there, outermost first.
    made: Vec<PathBuf>,
    /// Held while it has no name.
    _lock: File,
}

impl OutputFolder {
    /// Creates a folder beside the wanted one; the folders that hold both are made when they are not there.
    pub fn create(path: &Path, existing: Existing) -> Result<OutputFolder> {
        let failed = |e| Error::io("create", path, e);
        let place = resolve(path)?;
        let parent = parent(&place);
        let made = make_missing(parent)?;
        sweep(parent);
        let locked = create_locked(parent, PARTIAL, make_folder).inspect_err(|_| unmake(&made));
        let (partial, lock) = locked.map_err(failed)?;
        let shown = path.to_path_buf();
        Ok(OutputFolder { shown, place, partial, is_published: false, existing, made, _lock: lock })
    }

    /// Where its files are written.
    pub fn path(&self) -> &Path {
        &self.partial
    }

    /// Gives the folder its name in place of what had it, after all of it is on disk.
    pub fn publish(mut self) -> Result<()> {
        sync_tree(&self.partial)?;
        let is_taken = fs::symlink_metadata(&self.place).is_ok();
        if is_taken && self.existing == Existing::Refuse && !is_empty(&self.place) {
            return Err(Error::Usage(format!("{} appeared meanwhile; --force replaces it", self.shown.display())));
        }
        if !is_taken {
            fs::rename(&self.partial, &self.place).map_err(|e| Error::io("create", &self.shown, e))?;
        } else {
            match exchange(&self.partial, &self.place) {
                // The old folder has the other name now.
                Ok(()) => remove(&self.partial),
                Err(error) if is_unsupported(&error) => self.replace_by_two_renames()?,
                Err(error) => return Err(Error::io("replace", &self.shown, error)),
            }
        }
        self.is_published = true;
        for folder in &self.made {
            // The last sync reports a failure.
            let _ = sync_folder(parent(folder));
        }
        sync_entry(parent(&self.place), &self.shown);
        Ok(())
    }

    /// The old one steps aside, to a name from which the next command brings it back if this one is killed between.
    fn replace_by_two_renames(&self) -> Result<()> {
        let failed = |e| Error::io("replace", &self.shown, e);
        let name = self.place.file_name().ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?;
        let (aside, _lock) = create_locked(parent(&self.place), REPLACED, make_folder).map_err(failed)?;
        let old = aside.join(name);
        let renamed = fs::rename(&self.place, &old).and_then(|()| fs::rename(&self.partial, &self.place));
        let is_safe = renamed.is_ok() || restore(&aside);
        if is_safe {
            remove(&aside);
        }
        renamed.map_err(|source| match is_safe {
            true => failed(source),
            false => Error::Io {
                context: format!("cannot replace {}, whose old content is in {}", self.shown.display(), old.display()),
                source,
            },
        })
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if !self.is_published {
            remove(&self.partial);
            unmake(&self.made);
        }
    }
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Makes a folder and those around it that are missing; gives the new ones, outermost first.
fn make_missing(folder: &Path) -> Result<Vec<PathBuf>> {
    let missing: Vec<&Path> =
        folder.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists()).collect();
    let mut made = vec![];
    for path in missing.into_iter().rev() {
        match fs::create_dir(path) {
            Ok(()) => made.push(path.to_path_buf()),
            // Another program was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => {}
            Err(error) => {
                unmake(&made);
                return Err(Error::io("create", path, error));
            }
        }
    }
    Ok(made)
}

/// Removes folders that were made, unless something is in them.
fn unmake(made: &[PathBuf]) {
    for path in made.iter().rev() {
        let _ = fs::remove_dir(path);
    }
}

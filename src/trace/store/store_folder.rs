//! The store directory: opening, committing, dropping and renaming traces.
//!
//! ```text
//! perf/ocellus.json          the manifest: the store is what it says
//! perf/ocellus.lock          held by the one writer
//! perf/t000001/states.parquet …
//! perf/.import-4711/…        an import under way; swept away by the next writer
//! ```
//! Every change writes its files first, syncs them, and then replaces the manifest by an atomic
//! rename. After a crash at any instant the manifest is the old one or the new one, and folders that
//! it does not name are rubbish.

#[cfg(test)]
mod tests;

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::import_lock::is_abandoned;
use super::lease::remove_unless_leased;
use super::manifest::{FORMAT_VERSION, MANIFEST, Manifest, TraceEntry};
use super::regular_file::{create_new, metadata_in, open_regular, open_with};
use super::trace_name::{check_trace_name, is_trace_folder};
use crate::error::{Error, Result};

const LOCK: &str = "ocellus.lock";
/// How long a second writer waits for the first.
const LOCK_PATIENCE: Duration = Duration::from_secs(30);

/// One state of a store: equal stamps, equal manifests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
    file: u64,
}

impl Stamp {
    /// The state of the store in a folder.
    pub fn of(root: &Path) -> Result<Stamp> {
        let path = root.join(MANIFEST);
        let metadata = fs::metadata(&path).map_err(|e| Error::io("look at", &path, e))?;
        // A change puts another file in the place of the manifest, while the old one still exists.
        #[cfg(unix)]
        let file = std::os::unix::fs::MetadataExt::ino(&metadata);
        #[cfg(not(unix))]
        let file = 0;
        Ok(Stamp { modified: metadata.modified().ok(), size: metadata.len(), file })
    }
}

/// A directory of traces.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// Opens an existing store.
    pub fn open(root: impl Into<PathBuf>) -> Result<Store> {
        let store = Store { root: root.into() };
        store.manifest()?;
        Ok(store)
    }

    /// Opens a store, or makes an empty one where there is nothing or an empty folder.
    pub fn open_or_create(root: impl Into<PathBuf>) -> Result<Store> {
        let store = Store { root: root.into() };
        if store.root.join(MANIFEST).exists() {
            return Store::open(store.root);
        }
        create_synced(&store.root)?;
        let writer = store.lock()?;
        // Another writer may have made it while this one waited.
        if !store.root.join(MANIFEST).exists() {
            refuse_foreign_folder(&store.root)?;
            writer.commit(&Manifest {
                format_version: FORMAT_VERSION,
                ocellus_version: env!("CARGO_PKG_VERSION").to_string(),
                generation: 0,
                traces: vec![],
            })?;
        }
        store.manifest()?;
        drop(writer);
        Ok(store)
    }

    /// Whether a path looks like a store.
    pub fn is_store(path: &Path) -> bool {
        path.join(MANIFEST).is_file()
    }

    /// The directory of the store.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Folder of a trace's files.
    pub fn folder(&self, trace: &TraceEntry) -> PathBuf {
        self.root.join(&trace.folder)
    }

    /// Compares the kinds and sizes of a trace's files with what the manifest says, without reading them.
    pub fn check_files(&self, trace: &TraceEntry) -> Result<()> {
        let folder = self.folder(trace);
        for file in trace.tables.iter().flat_map(|table| &table.files) {
            let path = folder.join(&file.name);
            let metadata = metadata_in(&folder, &file.name).map_err(|e| Error::io("open", &path, e))?;
            file.check_size(&path.display().to_string(), metadata.len())?;
        }
        Ok(())
    }

    /// Tells one state of the store from the next, without reading the manifest.
    pub fn stamp(&self) -> Result<Stamp> {
        Stamp::of(&self.root)
    }

    /// Reads the manifest as it is now.
    pub fn manifest(&self) -> Result<Manifest> {
        Manifest::parse(&self.root.display().to_string(), &self.manifest_text()?)
    }

    /// Whether the manifest has a checksum of its own; an older version wrote one without.
    pub fn has_checked_manifest(&self) -> Result<bool> {
        Ok(Manifest::has_checksum(&self.manifest_text()?))
    }

    fn manifest_text(&self) -> Result<String> {
        let path = self.root.join(MANIFEST);
        let read = open_regular(&path).and_then(io::read_to_string);
        let text = read.map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => Error::Store(format!(
                "{} is no store: it has no {MANIFEST}; make one with: ocellus import TRACE --store {}",
                self.root.display(),
                self.root.display()
            )),
            io::ErrorKind::InvalidData => Error::Store(format!(
                "{} is damaged: it is not UTF-8; restore it or import the traces again",
                path.display()
            )),
            _ => Error::io("read", &path, error),
        })?;
        Ok(text)
    }

    /// Removes a trace.
    pub fn drop_trace(&self, name: &str) -> Result<()> {
        let writer = self.lock()?;
        let mut manifest = self.manifest()?;
        require_trace(&manifest, name)?;
        manifest.traces.retain(|trace| trace.name != name);
        writer.commit(&manifest)
    }

    /// Gives a trace another name.
    pub fn rename_trace(&self, old: &str, new: &str) -> Result<()> {
        check_trace_name(new)?;
        let writer = self.lock()?;
        let mut manifest = self.manifest()?;
        require_trace(&manifest, old)?;
        if manifest.trace(new).is_some() {
            return Err(Error::Store(format!("a trace {new} already exists; drop it first")));
        }
        for trace in manifest.traces.iter_mut().filter(|trace| trace.name == old) {
            trace.name = new.to_string();
        }
        writer.commit(&manifest)
    }

    /// Compares every file of a trace with its checksum.
    pub fn verify(&self, trace: &TraceEntry) -> Result<()> {
        for file in trace.tables.iter().flat_map(|table| &table.files) {
            file.check_file(&self.folder(trace))?;
        }
        Ok(())
    }

    /// Becomes the one writer; waits for another one, and gives up after a while.
    pub(super) fn lock(&self) -> Result<StoreWriter> {
        let path = self.root.join(LOCK);
        let file = open_lock(&self.root, &path).map_err(|e| Error::io("open", &path, e))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if started.elapsed() < LOCK_PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::Store(format!(
                        "another program is writing to {}; try again when it is done",
                        self.root.display()
                    )));
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", &path, error)),
            }
        }
        Ok(StoreWriter { root: self.root.clone(), _lock: file })
    }
}

/// The right to change a store; given back when dropped.
#[derive(Debug)]
pub(super) struct StoreWriter {
    root: PathBuf,
    _lock: File,
}

impl StoreWriter {
    /// Makes a manifest the current one, atomically, and sweeps away what it does not name.
    pub(super) fn commit(&self, manifest: &Manifest) -> Result<()> {
        let mut manifest = manifest.clone();
        manifest.format_version = FORMAT_VERSION;
        manifest.ocellus_version = env!("CARGO_PKG_VERSION").to_string();
        manifest.generation += 1;
        manifest.traces.sort_by(|a, b| a.name.cmp(&b.name));
        let text = manifest.to_text()?;
        let temporary = self.root.join(format!(".{MANIFEST}.new"));
        let mut file = create_new(&temporary).map_err(|e| Error::io("create", &temporary, e))?;
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(|e| Error::io("write", &temporary, e))?;
        let path = self.root.join(MANIFEST);
        fs::rename(&temporary, &path).map_err(|e| Error::io("replace", &path, e))?;
        sync_folder(&self.root)?;
        self.sweep(&manifest);
        Ok(())
    }

    /// The manifest as it is while the lock is held.
    pub(super) fn manifest(&self) -> Result<Manifest> {
        Store { root: self.root.clone() }.manifest()
    }

    /// Removes folders of dropped traces that nobody reads and of imports that died. Failures are left for next time.
    fn sweep(&self, manifest: &Manifest) {
        let Ok(entries) = fs::read_dir(&self.root) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // Folders of ours have six digits and more.
            let is_trace =
                is_trace_folder(&name) && name.len() >= 7 && !manifest.traces.iter().any(|t| t.folder == name);
            let is_dead_import = name.starts_with(".import-") && is_abandoned(&entry.path());
            if is_trace {
                remove_unless_leased(&entry.path());
            } else if is_dead_import {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
}

/// Opens the lock of a store. Whoever can open a file can lock it, so it is open to those only who may write to the store:
/// readers could keep writers waiting.
fn open_lock(root: &Path, path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let writers = fs::metadata(root)?.permissions().mode() & 0o222;
        let allowed = 0o600 | writers | writers << 1;
        let file = open_with(path, options.mode(allowed))?;
        let permissions = file.metadata()?.permissions();
        if permissions.mode() & 0o777 & !allowed != 0 {
            // Only its owner may; for others it stays as an older version made it.
            let _ = file.set_permissions(fs::Permissions::from_mode(permissions.mode() & allowed));
        }
        Ok(file)
    }
    #[cfg(not(unix))]
    {
        let _ = root;
        open_with(path, &mut options)
    }
}

/// Creates a folder with those above it, and flushes the entries of what is new: a store that was reported is there
/// after a power failure.
fn create_synced(folder: &Path) -> Result<()> {
    let changed = changed_by_creating(folder);
    fs::create_dir_all(folder).map_err(|e| Error::io("create the store", folder, e))?;
    changed.into_iter().rev().try_for_each(sync_folder)
}

/// The folders that get new entries when a folder is created with those above it, the deepest first.
fn changed_by_creating(folder: &Path) -> Vec<&Path> {
    let mut changed = vec![];
    let mut missing = folder;
    while !missing.as_os_str().is_empty() && !missing.exists() {
        let parent = missing.parent().unwrap_or(Path::new(""));
        changed.push(if parent.as_os_str().is_empty() { Path::new(".") } else { parent });
        missing = parent;
    }
    changed
}

/// Flushes a folder's entries to disk.
pub(super) fn sync_folder(path: &Path) -> Result<()> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(|e| Error::io("sync", path, e))
}

fn require_trace(manifest: &Manifest, name: &str) -> Result<()> {
    if manifest.trace(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = manifest.traces.iter().map(|trace| trace.name.as_str()).collect();
    Err(Error::Store(format!("no trace {name} in the store; it has: {}", names.join(", "))))
}

fn refuse_foreign_folder(root: &Path) -> Result<()> {
    let entries = fs::read_dir(root).map_err(|e| Error::io("read", root, e))?;
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name != LOCK && !name.to_string_lossy().starts_with('.') {
            return Err(Error::Store(format!(
                "{} is neither a store nor empty; give --store another folder",
                root.display()
            )));
        }
    }
    Ok(())
}

//! The cache of imported traces: a trace file given where a store is expected is imported once.
//!
//! An entry is a store named after the file's path, size and time of change, the options, and the
//! store format; so a changed file is another entry. The least recently used entries go when the
//! cache is larger than its limit.

use std::collections::BTreeSet;
use std::fs;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{ImportOptions, OnConflict, TraceSource};
use crate::error::{Error, Result};
use crate::reader::{TraceFormat, TraceOrigin};
use crate::store::{FORMAT_VERSION, Store, TraceEntry, create_or_open, trace_name_of};

/// Bytes that the cache may hold, unless `OCELLUS_CACHE_LIMIT` says otherwise.
const DEFAULT_LIMIT: u64 = 10 << 30;
/// Entries used within this time are not removed: somebody may be reading them.
const IN_USE: Duration = Duration::from_secs(3600);
/// Its time of change is when the entry was last used.
const USED: &str = ".used";

/// A cached trace.
#[derive(Debug, Clone)]
pub struct CacheEntry {
    /// Where the trace was read from.
    pub source: String,
    /// The folder of the store.
    pub path: PathBuf,
    /// Bytes on disk.
    pub bytes: u64,
    used: SystemTime,
}

/// Folder of the cache: `$OCELLUS_CACHE`, else `ocellus` below the XDG cache folder.
pub fn folder() -> Result<PathBuf> {
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = set("OCELLUS_CACHE") {
        return Ok(folder);
    }
    let base = set("XDG_CACHE_HOME")
        .filter(|folder| folder.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".cache")));
    match base {
        Some(base) => Ok(base.join("ocellus")),
        None => Err(Error::Usage("no folder for the cache: set OCELLUS_CACHE or HOME".to_string())),
    }
}

/// The store of a trace file: imported now, or before when the file is unchanged.
pub fn open(trace: &Path, options: &ImportOptions) -> Result<Store> {
    open_all(&[trace], options)
}

/// One store of several trace files; files of the same name become traces of different names.
pub fn open_all(traces: &[&Path], options: &ImportOptions) -> Result<Store> {
    let paths: Vec<PathBuf> = traces
        .iter()
        .map(|trace| trace.canonicalize().map_err(|e| Error::io("open", trace, e)))
        .collect::<Result<_>>()?;
    let cache = folder()?;
    fs::create_dir_all(&cache).map_err(|e| Error::io("create the cache", &cache, e))?;
    let key = key(&paths, options)?;
    let entry = cache.join(&key);
    // One importer at a time; those who waited find the entry made.
    let lock_path = cache.join(format!("{key}.lock"));
    let lock = create_or_open(&lock_path).map_err(|e| Error::io("create", &lock_path, e))?;
    lock.lock().map_err(|e| Error::io("lock", &lock_path, e))?;
    let store = match ready(&entry) {
        Ok(Some(store)) => store,
        Ok(None) => fill(&entry, &paths, options)?,
        Err(damage) => {
            let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            let again = format!("the cached import of {} is damaged and is made again: {damage}", names.join(", "));
            options.progress.note(&again);
            discard(&entry)?;
            fill(&entry, &paths, options)?
        }
    };
    let used = entry.join(USED);
    let _ = create_or_open(&used).and_then(|file| file.set_modified(SystemTime::now()));
    shrink(&entry)?;
    Ok(store)
}

/// The store of an entry; `None` when there is none yet. What is damaged is an error.
fn ready(entry: &Path) -> Result<Option<Store>> {
    if !Store::is_store(entry) && !entry.join(USED).exists() {
        return Ok(None);
    }
    let store = Store::open(entry)?;
    let traces = store.manifest()?.traces;
    traces.iter().try_for_each(|trace| store.check_files(trace))?;
    if !traces.is_empty() && !entry.join(USED).exists() {
        return Err(Error::Store("a query found damage, or the import was interrupted".to_string()));
    }
    Ok(Some(store).filter(|_| !traces.is_empty()))
}

fn fill(entry: &Path, paths: &[PathBuf], options: &ImportOptions) -> Result<Store> {
    let store = Store::open_or_create(entry)?;
    let filled = import_all(&store, paths, options);
    if filled.is_err() {
        let _ = fs::remove_dir_all(entry);
    }
    filled.map(|()| store)
}

fn import_all(store: &Store, paths: &[PathBuf], options: &ImportOptions) -> Result<()> {
    let mut taken = BTreeSet::new();
    for path in paths {
        let name = match paths {
            [_] => options.name.clone(),
            _ => Some(free_name(&trace_name_of(path), &taken)),
        };
        taken.extend(name.clone());
        let options = ImportOptions { name, on_conflict: OnConflict::Replace, ..options.clone() };
        super::import(&TraceSource::Path(path.clone()), store, &options)?;
    }
    Ok(())
}

/// The name, or the first of `name_2`, `name_3` and so on that is free.
fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    std::iter::once(name.to_string()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or_default()
}

fn discard(entry: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(entry) {
        Ok(metadata) if !metadata.is_dir() => fs::remove_file(entry),
        _ => fs::remove_dir_all(entry),
    };
    removed.map_err(|e| Error::io("remove", entry, e))
}

/// Remembers that a store is damaged, if it is an entry of the cache: it is made again when it is next asked for.
pub fn distrust(store: &Path) {
    let _ = fs::remove_file(store.join(USED));
}

fn key(paths: &[PathBuf], options: &ImportOptions) -> Result<String> {
    let mut hasher = twox_hash::XxHash3_64::with_seed(0);
    for path in paths {
        hash_trace(&mut hasher, path, options)?;
    }
    hasher.write(options.name.as_deref().unwrap_or("").as_bytes());
    hasher.write_u32(FORMAT_VERSION);
    hasher.write(env!("CARGO_PKG_VERSION").as_bytes());
    Ok(format!("{:016x}", hasher.finish()))
}

/// What tells one import of a file from another.
fn hash_trace(hasher: &mut impl Hasher, path: &Path, options: &ImportOptions) -> Result<()> {
    let origin = TraceOrigin::open(path)?;
    let format = match options.format {
        Some(format) => format,
        None => TraceFormat::of(&origin)?,
    };
    hasher.write(path.as_os_str().as_encoded_bytes());
    for file in format.files(&origin)? {
        let metadata = fs::metadata(&file).map_err(|e| Error::io("open", &file, e))?;
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write_u64(metadata.len());
        let changed = metadata.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        hasher.write_u128(changed.map_or(0, |time| time.as_nanos()));
    }
    let unit = options.time_unit.map(|unit| unit.to_string()).unwrap_or_default();
    hasher.write(format!("{unit}/{}/{:?}", options.resolution, options.strictness).as_bytes());
    hasher.write(format!("{format}/{}/{:?}", options.collectives, options.origin_ms).as_bytes());
    Ok(())
}

/// What the cache holds, least recently used first.
pub fn list() -> Result<Vec<CacheEntry>> {
    let folder = folder()?;
    let Ok(files) = fs::read_dir(&folder) else {
        return Ok(vec![]);
    };
    let mut entries: Vec<CacheEntry> = files.flatten().filter_map(|file| entry_of(&file.path())).collect();
    entries.sort_by(|a, b| (a.used, &a.path).cmp(&(b.used, &b.path)));
    Ok(entries)
}

/// An entry of the cache, and nothing else that may lie in its folder.
fn entry_of(path: &Path) -> Option<CacheEntry> {
    let name = path.file_name()?.to_str()?;
    if name.len() != 16 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) || !path.is_dir() {
        return None;
    }
    let manifest = Store::open(path).ok().and_then(|store| store.manifest().ok());
    let traces: Vec<&TraceEntry> = manifest.iter().flat_map(|manifest| &manifest.traces).collect();
    let source = traces.iter().map(|trace| trace.source.as_str()).collect::<Vec<_>>().join(", ");
    let bytes = traces.iter().map(|trace| trace.stored_bytes()).sum();
    let used = fs::metadata(path.join(USED)).and_then(|file| file.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    Some(CacheEntry { source, path: path.to_path_buf(), bytes, used })
}

/// Empties the cache; returns how many bytes were freed.
pub fn clear() -> Result<u64> {
    let mut freed = 0;
    for entry in list()? {
        freed += entry.bytes;
        remove(&entry)?;
    }
    Ok(freed)
}

fn remove(entry: &CacheEntry) -> Result<()> {
    fs::remove_dir_all(&entry.path).map_err(|e| Error::io("remove", &entry.path, e))?;
    let _ = fs::remove_file(entry.path.with_extension("lock"));
    Ok(())
}

/// Removes the least recently used entries until the cache fits its limit.
fn shrink(keep: &Path) -> Result<()> {
    let limit = std::env::var("OCELLUS_CACHE_LIMIT").ok().and_then(|text| text.parse().ok()).unwrap_or(DEFAULT_LIMIT);
    let entries = list()?;
    let mut total: u64 = entries.iter().map(|entry| entry.bytes).sum();
    for entry in entries {
        if total <= limit {
            break;
        }
        let is_idle = entry.used.elapsed().is_ok_and(|age| age > IN_USE);
        if entry.path != keep && is_idle && remove(&entry).is_ok() {
            total -= entry.bytes;
        }
    }
    Ok(())
}

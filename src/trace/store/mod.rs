//! Rows become Parquet files, and files become a store.

mod attached;
mod band;
mod chunk;
mod delta;
mod dictionary;
mod full_disk;
mod import_lock;
mod lease;
mod manifest;
mod part;
mod plain;
mod small;
mod store_folder;
mod table;
mod trace;
mod tree;

use std::fs::File;
use std::hash::Hasher;
use std::io::Read;
use std::path::Path;

pub use attached::NewTable;
pub use lease::Leases;
pub use manifest::{FORMAT_VERSION, FileEntry, MANIFEST, Manifest, TableEntry, TraceEntry};
pub use store_folder::{Stamp, Store, check_trace_name, trace_name_of};
pub use trace::{Existing, TraceFacts, TraceWriter, already_there};

use crate::error::{Error, Result};

/// The checksum of a file, as the manifest writes it.
pub fn checksum_file(path: &Path) -> Result<String> {
    let mut file = File::open(path).map_err(|e| Error::io("open", path, e))?;
    let mut hasher = twox_hash::XxHash3_64::with_seed(0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer).map_err(|e| Error::io("read", path, e))?;
        if count == 0 {
            return Ok(format!("{:016x}", hasher.finish()));
        }
        hasher.write(&buffer[..count]);
    }
}

//! Rows become Parquet files, and files become a store.

mod arrow_file;
mod attached;
mod band;
mod band_runs;
mod band_summary;
mod chunk;
mod delta;
mod dictionary;
mod file_checks;
mod full_disk;
mod hashing_file;
mod import_lock;
mod lease;
mod leased_manifest;
mod manifest;
mod manifest_rules;
mod manifest_text;
mod part;
mod plain;
mod regular_file;
mod small;
mod store_folder;
mod table;
mod trace;
mod trace_name;
mod tree;

pub use attached::NewTable;
pub use band_summary::{LINK_CLASSES, bands_of};
pub use file_checks::{CheckedFooter, FileChecks, checksum_file, damaged};
pub use lease::Leases;
pub use manifest::{BandGrid, FORMAT_VERSION, FileEntry, FooterEntry, MANIFEST, Manifest, TableEntry, TraceEntry};
pub(crate) use regular_file::create_or_open;
pub use regular_file::{metadata_in, open_in};
pub use store_folder::{Stamp, Store};
pub use trace::{Existing, TraceFacts, TraceWriter, already_there};
pub use trace_name::{check_trace_name, trace_name_of};

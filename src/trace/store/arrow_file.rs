//! A Parquet file that the library encodes, from batches of Arrow.

use std::path::Path;
use std::sync::Arc;

use arrow::datatypes::Schema;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use super::hashing_file::HashingFile;
use super::manifest::FileEntry;
use crate::error::{Error, Result};

/// A writer of a small table.
pub(super) fn create_file(path: &Path, arrow_schema: &Arc<Schema>) -> Result<ArrowWriter<HashingFile>> {
    let properties = WriterProperties::builder()
        .set_created_by(format!("ocellus {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .build();
    let options = parquet::arrow::arrow_writer::ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    Ok(ArrowWriter::try_new_with_options(HashingFile::create(path)?, arrow_schema.clone(), options)?)
}

/// Ends a small table.
pub(super) fn finish_file(
    mut writer: ArrowWriter<HashingFile>,
    path: &Path,
    name: String,
    rows: u64,
) -> Result<FileEntry> {
    writer.flush()?;
    // The library buffers: all data must have arrived where it is hashed.
    writer.sync().map_err(|e| Error::io("write", path, e))?;
    let checksums = writer.inner_mut().end_data();
    writer.append_key_value_metadata(checksums);
    writer.into_inner()?.finish(path, name, rows)
}

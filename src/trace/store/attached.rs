//! Tables that are added to a trace after its import, and reading small tables back.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch};
use arrow::compute::concat_batches;
use arrow::datatypes::Schema;
use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::arrow_file::{create_file, finish_file};
use super::manifest::{FileEntry, TableEntry, TraceEntry};
use super::regular_file::{open_in, require_folder, sync_folder};
use super::small::arrow_field;
use super::store_folder::Store;
use crate::error::{Error, Result};
use crate::schema::{self, Column, ColumnSource, ExtraColumn};

/// The rows of a table.
#[derive(Debug, Clone)]
pub struct NewTable {
    /// Name of the table.
    pub name: &'static str,
    /// Columns beyond those of the schema.
    pub extra_columns: Vec<ExtraColumn>,
    /// The stored columns of the schema in its order, with the extra ones.
    pub columns: Vec<ArrayRef>,
}

impl Store {
    /// Replaces tables of a trace, all at once or not at all. `make` sees the trace as it is while no
    /// other writer can change it.
    pub fn attach(&self, trace: &str, make: impl FnOnce(&TraceEntry) -> Result<Vec<NewTable>>) -> Result<TraceEntry> {
        let lock = self.lock()?;
        let mut manifest = lock.manifest()?;
        let number = manifest.generation + 1;
        let names: Vec<String> = manifest.traces.iter().map(|trace| trace.name.clone()).collect();
        let Some(entry) = manifest.traces.iter_mut().find(|entry| entry.name == trace) else {
            return Err(Error::Store(format!("no trace {trace} in the store; it has: {}", names.join(", "))));
        };
        let folder = self.folder(entry);
        require_folder(&folder).map_err(|e| Error::io("open", &folder, e))?;
        sweep(&folder, entry);
        for table in make(entry)? {
            let written = write(&folder, &table, number)?;
            entry.tables.retain(|table| table.name != written.name);
            entry.tables.push(written);
        }
        sync_folder(&folder)?;
        let entry = entry.clone();
        lock.commit(&manifest)?;
        Ok(entry)
    }

    /// A whole file, compared with what the manifest says.
    fn read_file(&self, trace: &TraceEntry, file: &FileEntry) -> Result<Bytes> {
        let folder = self.folder(trace);
        let path = folder.join(&file.name);
        let mut opened = open_in(&folder, &file.name).map_err(|e| Error::io("open", &path, e))?;
        let name = path.display().to_string();
        file.check_size(&name, opened.metadata().map_err(|e| Error::io("open", &path, e))?.len())?;
        let mut content = Vec::with_capacity(usize::try_from(file.bytes).unwrap_or(0));
        opened.read_to_end(&mut content).map_err(|e| Error::io("read", &path, e))?;
        file.check_content(&name, &content)?;
        Ok(content.into())
    }

    /// The rows of a stored table; `None` when it has none.
    pub fn read_table(&self, trace: &TraceEntry, table: &str) -> Result<Option<RecordBatch>> {
        let mut batches = vec![];
        for file in trace.table(table).map_or(&[][..], |table| &table.files) {
            let content = self.read_file(trace, file)?;
            for batch in ParquetRecordBatchReaderBuilder::try_new(content)?.build()? {
                batches.push(batch?);
            }
        }
        match batches.first() {
            None => Ok(None),
            Some(first) => Ok(Some(concat_batches(&first.schema(), &batches)?)),
        }
    }
}

/// Removes files that earlier writers left and the manifest does not name. Failures are left for next time.
fn sweep(folder: &Path, entry: &TraceEntry) {
    let Ok(files) = fs::read_dir(folder) else { return };
    for file in files.flatten() {
        let name = file.file_name();
        let is_named = entry.tables.iter().flat_map(|table| &table.files).any(|known| name == known.name.as_str());
        if !is_named && name.to_string_lossy().ends_with(".parquet") {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// Writes a table into a file of its own name; those that readers may have open stay.
fn write(folder: &Path, table: &NewTable, number: u64) -> Result<TableEntry> {
    let definition =
        schema::table(table.name).ok_or_else(|| Error::Internal(format!("no schema for {}", table.name)))?;
    let columns: Vec<Column> = definition
        .columns_with(&table.extra_columns)
        .into_iter()
        .filter(|column| column.source == ColumnSource::Stored)
        .collect();
    let arrow_schema = Arc::new(Schema::new(columns.iter().map(arrow_field).collect::<Vec<_>>()));
    let batch = RecordBatch::try_new(arrow_schema, table.columns.clone())?;
    let rows = batch.num_rows() as u64;
    let mut entry = TableEntry {
        name: table.name.to_string(),
        rows,
        extra_columns: table.extra_columns.clone(),
        files: vec![],
        bands: None,
    };
    if rows > 0 {
        let name = format!("{}-{number}.parquet", table.name);
        let path = folder.join(&name);
        let mut writer = create_file(&path, &batch.schema())?;
        writer.write(&batch)?;
        entry.files.push(finish_file(writer, &path, name, rows)?);
    }
    Ok(entry)
}

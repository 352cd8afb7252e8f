//! The tables of a report: those of a SQLite database, or a folder of Parquet files.
//!
//! Both have the same names and columns, so that one reader serves both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::parquet_tables::ParquetTables;
use crate::error::Result;
use crate::reader::TraceOrigin;
use crate::reader::sqlite::database::{MAGIC, SqliteDatabase};
use crate::reader::table_rows::{RowConsumer, SourceTable};

/// The first bytes of a Parquet file.
const PARQUET_MAGIC: &[u8] = b"PAR1";

/// The tables of a report.
pub(super) enum ReportTables {
    Sqlite(SqliteDatabase),
    Parquet(ParquetTables),
}

impl ReportTables {
    /// All tables, by name.
    pub fn all(&self) -> &BTreeMap<String, SourceTable> {
        match self {
            ReportTables::Sqlite(database) => &database.tables,
            ReportTables::Parquet(folder) => &folder.tables,
        }
    }

    /// Whether there is such a table.
    pub fn has(&self, table: &str) -> bool {
        self.all().contains_key(table)
    }

    /// Hands over the rows of a table; none when there is no such table.
    pub fn scan(&mut self, table: &str, take: &mut RowConsumer<'_>) -> Result<()> {
        match self {
            ReportTables::Sqlite(database) => database.scan(table, take),
            ReportTables::Parquet(folder) => folder.scan(table, take),
        }
    }

    /// How many rows a table has.
    pub fn count(&mut self, table: &str) -> Result<u64> {
        let mut rows = 0;
        self.scan(table, &mut |_| {
            rows += 1;
            Ok(())
        })?;
        Ok(rows)
    }

    /// What could not be read, with where it is.
    pub fn damage(&self) -> impl Iterator<Item = &(u64, String)> {
        match self {
            ReportTables::Sqlite(database) => database.damage.iter(),
            ReportTables::Parquet(folder) => folder.damage.iter(),
        }
    }
}

/// The files of the reports below a folder: databases, and Parquet files of exports.
pub(super) fn files_below(origin: &TraceOrigin) -> Result<Vec<PathBuf>> {
    let files = origin.files()?;
    let folders = exported_folders(&files);
    let is_table = |path: &Path| path.parent().is_some_and(|parent| folders.iter().any(|folder| folder == parent));
    let is_report = |path: &PathBuf| starts_with(path, MAGIC) || is_table(path) && starts_with(path, PARQUET_MAGIC);
    Ok(files.into_iter().filter(is_report).collect())
}

/// The reports of a trace: its file, or all in its folder by name.
pub(super) fn open_reports(origin: &TraceOrigin) -> Result<Vec<(String, ReportTables)>> {
    if origin.folder().is_none() {
        return Ok(vec![(origin.name.clone(), ReportTables::Sqlite(SqliteDatabase::open(origin)?))]);
    }
    let mut reports: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for path in files_below(origin)? {
        let is_database = starts_with(&path, MAGIC);
        let report = if is_database { Some(path.as_path()) } else { path.parent() };
        reports.entry(report.unwrap_or(&path).to_path_buf()).or_default().push(path);
    }
    let mut opened = vec![];
    for (report, files) in reports {
        let tables = match files.as_slice() {
            [file] if *file == report => ReportTables::Sqlite(SqliteDatabase::open(&TraceOrigin::open(file)?)?),
            _ => ReportTables::Parquet(ParquetTables::open(&files)),
        };
        opened.push((report.display().to_string(), tables));
    }
    Ok(opened)
}

/// The folders that are exports of Nsight Systems: their Parquet files are named after tables that every export has.
pub(in crate::reader) fn exported_folders(files: &[PathBuf]) -> Vec<PathBuf> {
    let named = |name: &str, folder: &Path| files.contains(&folder.join(format!("{name}.parquet")));
    let of_strings = files.iter().filter(|path| path.file_name().is_some_and(|name| name == "StringIds.parquet"));
    let folders = of_strings.filter(|path| starts_with(path, PARQUET_MAGIC)).filter_map(|path| path.parent());
    let is_export = |folder: &&Path| named("META_DATA_EXPORT", folder) || named("EXPORT_META_DATA", folder);
    folders.filter(is_export).map(Path::to_path_buf).collect()
}

fn starts_with(path: &Path, magic: &[u8]) -> bool {
    let mut head = vec![];
    let read = std::fs::File::open(path)
        .map(|file| std::io::Read::read_to_end(&mut std::io::Read::take(file, magic.len() as u64), &mut head));
    matches!(read, Ok(Ok(_))) && head == magic
}

//! The files of a table that grows with the trace: its bands become row groups, and its summary.

use std::path::{Path, PathBuf};

use super::band::{BandColumn, CodeNames, Codes, Encoder};
use super::band_summary::{BandSummary, SummaryOptions};
use super::chunk::PAGE_ROWS;
use super::manifest::{FileEntry, TableEntry};
use super::part::PartFile;
use super::table_rows::TableBand;
use crate::error::{Error, Result};
use crate::model::{StoredTable, WorldNames};
use crate::schema::{self, ColumnSource, ExtraColumn};

/// Rows of a file: its footer is in memory until it ends.
const PART_ROWS: u64 = 2 << 20;

/// Writes one table.
pub(super) struct TableWriter {
    table: StoredTable,
    folder: PathBuf,
    rows: u64,
    encoder: Encoder,
    part: Option<PartFile>,
    files: Vec<FileEntry>,
    /// What its series have in bands of time.
    summary: Option<BandSummary>,
}

impl TableWriter {
    /// With as many rows in a page, at most, as there are for each band of the summary, at least.
    pub fn new(folder: &Path, table: StoredTable, options: SummaryOptions) -> TableWriter {
        TableWriter {
            summary: BandSummary::new(folder, table, options),
            table,
            folder: folder.to_path_buf(),
            rows: 0,
            encoder: Encoder::new(usize::try_from(options.rows_per_band).unwrap_or(PAGE_ROWS).clamp(1, PAGE_ROWS)),
            part: None,
            files: vec![],
        }
    }

    pub fn table(&self) -> StoredTable {
        self.table
    }

    /// Writes a row group.
    pub fn write(&mut self, names: &WorldNames, band: &mut TableBand) -> Result<()> {
        let TableBand { rows, extras, .. } = band;
        if rows.len() == 0 {
            return Ok(());
        }
        if let Some(summary) = &mut self.summary {
            summary.add(names, rows)?;
        }
        let is_full = self.part.as_ref().is_some_and(|part| part.extras != *extras || part.rows >= PART_ROWS);
        if is_full {
            self.finish_part()?;
        }
        let part = match &mut self.part {
            Some(part) => part,
            None => self.part.insert(PartFile::create(&self.folder, self.table.name(), self.files.len(), extras)?),
        };
        let columns = columns(self.table, extras)?;
        let encoder = &mut self.encoder;
        part.row_group(rows.len(), |group, descriptors| {
            encoder.write(names, rows, &columns, descriptors, extras, group)
        })?;
        self.rows += rows.len() as u64;
        Ok(())
    }

    fn finish_part(&mut self) -> Result<()> {
        if let Some(part) = self.part.take() {
            self.files.push(part.finish()?);
        }
        Ok(())
    }

    /// Ends the files, and gives the entries of the table and its summary for the manifest.
    pub fn finish(mut self, names: &WorldNames, extra_columns: Vec<ExtraColumn>) -> Result<Vec<TableEntry>> {
        self.finish_part()?;
        let mut entries = vec![TableEntry {
            name: self.table.name().to_string(),
            rows: self.rows,
            extra_columns,
            files: self.files,
            bands: None,
        }];
        if let Some(summary) = self.summary {
            entries.extend(summary.finish(&self.folder, self.table, names)?);
        }
        Ok(entries)
    }
}

/// The columns of a file, in the order of the schema.
fn columns(table: StoredTable, extras: &[ExtraColumn]) -> Result<Vec<BandColumn>> {
    let definition =
        schema::table(table.name()).ok_or_else(|| Error::Internal(format!("no schema for {}", table.name())))?;
    let mut columns = vec![];
    for column in definition.columns_with(extras) {
        if column.source != ColumnSource::Stored {
            continue;
        }
        let extra = extras.iter().position(|extra| extra.name == column.name);
        columns.push(match extra {
            Some(extra) => BandColumn::Extra(extra),
            None => standard_column(table, &column.name)?,
        });
    }
    if table == StoredTable::States {
        columns.push(BandColumn::Flag);
    }
    Ok(columns)
}

/// Where [`super::trace`] puts the values of a column.
fn standard_column(table: StoredTable, name: &str) -> Result<BandColumn> {
    let is_link = table == StoredTable::Links;
    Ok(match name {
        "container_id" if is_link => BandColumn::OwnerOrRoot,
        "container" if is_link => BandColumn::Text(Codes::Owners, CodeNames::ContainerOrRoot),
        "source_id" => BandColumn::Id(Codes::Place(0)),
        "source" => BandColumn::Text(Codes::Place(0), CodeNames::Container),
        "target_id" => BandColumn::Id(Codes::Place(3)),
        "target" => BandColumn::Text(Codes::Place(3), CodeNames::Container),
        "container_id" => BandColumn::Id(Codes::Place(0)),
        "container" => BandColumn::Text(Codes::Place(0), CodeNames::Container),
        "type" => BandColumn::Text(Codes::Place(1), CodeNames::Type),
        "value" if table == StoredTable::Variables => BandColumn::Double,
        "value" => BandColumn::Text(Codes::Place(2), CodeNames::Value),
        "depth" => BandColumn::Id(Codes::Depth),
        "key" => BandColumn::Key,
        "volume" => BandColumn::NullableDouble,
        "start_tick" | "tick" => BandColumn::Tick(0),
        "end_tick" => BandColumn::Tick(1),
        _ => return Err(Error::Internal(format!("nothing fills {}.{name}", table.name()))),
    })
}

//! A stored table that grows with the trace: its bands, its files, its extra columns.

use std::path::{Path, PathBuf};

use super::band::{BandColumn, BandRow, BandRows, CodeNames, Codes, Encoder};
use super::band_summary::{BandSummary, SummaryOptions};
use super::chunk::PAGE_ROWS;
use super::manifest::{FileEntry, TableEntry};
use super::part::PartFile;
use crate::error::{Error, Result};
use crate::model::{FieldKind, OwnedData, OwnedExtra, StoredTable, World};
use crate::schema::{self, ColumnSource, ColumnType, ExtraColumn};

/// Rows of a band. Small enough that a window of one hundredth of the time of a large trace touches
/// about one hundredth of the bytes, large enough that footers stay small; always the same, so that
/// memory does not grow with the trace.
const BAND: usize = 24 << 10;
/// Rows for each band of a summary, at least: those of a page, which is read whole.
pub(super) const ROWS_PER_BAND: u64 = PAGE_ROWS as u64;
/// Pages of a row group.
const GROUP_PAGES: u64 = BAND as u64 / ROWS_PER_BAND;
/// Rows of a file: its footer is in memory until it ends.
const PART_ROWS: u64 = 2 << 20;

/// Writes one table.
pub(super) struct TableWriter {
    table: StoredTable,
    folder: PathBuf,
    current: BandRows,
    late: BandRows,
    /// Rows that start before this are late.
    floor: i64,
    /// The latest time seen.
    latest: i64,
    rows: u64,
    /// The extra columns, in the order of the trace's definitions: number of the field, and the
    /// column with the type that its values have had so far.
    extras: Vec<(u32, ExtraColumn)>,
    /// By number of the field: its place in `extras`.
    extra_places: Vec<Option<usize>>,
    encoder: Encoder,
    part: Option<PartFile>,
    files: Vec<FileEntry>,
    /// What its series have in bands of time.
    summary: Option<BandSummary>,
    /// Rows of a row group.
    group_rows: usize,
}

impl TableWriter {
    /// With six times as many rows in a row group, at most, as there are for each band of its summary, at least.
    pub fn new(folder: &Path, table: StoredTable, options: SummaryOptions) -> TableWriter {
        let rows_per_band = options.rows_per_band;
        TableWriter {
            summary: BandSummary::new(folder, table, options),
            group_rows: usize::try_from(rows_per_band.saturating_mul(GROUP_PAGES)).unwrap_or(BAND).clamp(1, BAND),
            table,
            folder: folder.to_path_buf(),
            current: BandRows::default(),
            late: BandRows::default(),
            floor: i64::MIN,
            latest: i64::MIN,
            rows: 0,
            extras: vec![],
            extra_places: vec![],
            encoder: Encoder::new(usize::try_from(rows_per_band).unwrap_or(PAGE_ROWS).clamp(1, PAGE_ROWS)),
            part: None,
            files: vec![],
        }
    }

    /// Adds a row; `push` adds what rows of other tables do not have.
    #[inline(always)]
    pub fn add(
        &mut self,
        world: &World,
        row: BandRow,
        extras: &[OwnedExtra],
        push: impl FnOnce(&mut BandRows),
    ) -> Result<()> {
        let [start, end] = row.ticks;
        self.latest = self.latest.max(start).max(end);
        let is_late = start < self.floor;
        let rows = if is_late { &mut self.late } else { &mut self.current };
        rows.rows.push(row);
        push(rows);
        let count = rows.len();
        if !extras.is_empty() {
            self.add_extras(world, extras, is_late, count as u32 - 1);
        }
        if count < self.group_rows {
            return Ok(());
        }
        if is_late {
            return self.flush_late(world);
        }
        self.flush_current(world)
    }

    fn flush_current(&mut self, world: &World) -> Result<()> {
        let mut rows = std::mem::take(&mut self.current);
        self.write(world, &mut rows)?;
        rows.clear();
        self.current = rows;
        self.floor = self.latest;
        Ok(())
    }

    fn flush_late(&mut self, world: &World) -> Result<()> {
        let mut rows = std::mem::take(&mut self.late);
        self.write(world, &mut rows)?;
        rows.clear();
        self.late = rows;
        Ok(())
    }

    #[inline(never)]
    fn add_extras(&mut self, world: &World, extras: &[OwnedExtra], is_late: bool, row: u32) {
        for extra in extras {
            let column = self.extra_column(world, extra.field);
            let known = &mut self.extras[column].1.kind;
            *known = widen(*known, &extra.data);
            let rows = if is_late { &mut self.late } else { &mut self.current };
            if rows.extras.len() <= column {
                rows.extras.resize_with(column + 1, Default::default);
            }
            rows.extras[column].push(row, &extra.data);
        }
    }

    fn extra_column(&mut self, world: &World, field: u32) -> usize {
        if let Some(Some(known)) = self.extra_places.get(field as usize) {
            return *known;
        }
        let place = self.extras.len();
        self.extras.push((field, extra_column(world, field)));
        self.extra_places.resize(self.extra_places.len().max(field as usize + 1), None);
        self.extra_places[field as usize] = Some(place);
        place
    }

    /// Learns of the columns that definitions declare, whether or not a row has used them.
    fn declare_extras(&mut self, world: &World) {
        let table = match self.table {
            StoredTable::StateSegments => StoredTable::States,
            other => other,
        };
        for (number, field) in world.extra_fields.iter().enumerate() {
            if field.table == table {
                let column = self.extra_column(world, number as u32);
                let known = &mut self.extras[column].1.kind;
                if field.kind == FieldKind::Text {
                    *known = ColumnType::Text;
                }
            }
        }
    }

    /// Writes a row group.
    fn write(&mut self, world: &World, rows: &mut BandRows) -> Result<()> {
        if rows.len() == 0 {
            return Ok(());
        }
        if let Some(summary) = &mut self.summary {
            summary.add(world, rows)?;
        }
        self.declare_extras(world);
        let extras: Vec<ExtraColumn> = self.extras.iter().map(|(_, column)| column.clone()).collect();
        let is_full = self.part.as_ref().is_some_and(|part| part.extras != extras || part.rows >= PART_ROWS);
        if is_full {
            self.finish_part()?;
        }
        let part = match &mut self.part {
            Some(part) => part,
            None => self.part.insert(PartFile::create(&self.folder, self.table.name(), self.files.len(), &extras)?),
        };
        let columns = columns(self.table, &extras)?;
        let encoder = &mut self.encoder;
        part.row_group(rows.len(), |group, descriptors| {
            encoder.write(world, rows, &columns, descriptors, &extras, group)
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

    /// Writes what is left, and gives the entries of the table and its summary for the manifest.
    pub fn finish(mut self, world: &World) -> Result<Vec<TableEntry>> {
        self.flush_late(world)?;
        self.flush_current(world)?;
        self.finish_part()?;
        self.declare_extras(world);
        let mut entries = vec![TableEntry {
            name: self.table.name().to_string(),
            rows: self.rows,
            extra_columns: self.extras.into_iter().map(|(_, column)| column).collect(),
            files: self.files,
            bands: None,
        }];
        if let Some(summary) = self.summary {
            entries.extend(summary.finish(&self.folder, self.table, world)?);
        }
        Ok(entries)
    }
}

/// The column of an extra field, as declared.
pub(super) fn extra_column(world: &World, field: u32) -> ExtraColumn {
    let declared = &world.extra_fields[field as usize];
    ExtraColumn {
        name: declared.column.clone(),
        kind: declared_kind(declared.kind),
        doc: format!("Field {} of the trace.", declared.field),
    }
}

fn declared_kind(kind: FieldKind) -> ColumnType {
    match kind {
        FieldKind::Int => ColumnType::BigInt,
        FieldKind::Hex => ColumnType::UBigInt,
        FieldKind::Double | FieldKind::Date => ColumnType::Double,
        FieldKind::Text => ColumnType::Text,
    }
}

/// The type of a column once it has held this value too.
pub(super) fn widen(kind: ColumnType, data: &OwnedData) -> ColumnType {
    match (kind, data) {
        (ColumnType::Text, _) | (_, OwnedData::Text(_)) => ColumnType::Text,
        (ColumnType::BigInt, OwnedData::Int(_)) => ColumnType::BigInt,
        (ColumnType::UBigInt, OwnedData::UInt(_)) => ColumnType::UBigInt,
        _ => ColumnType::Double,
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

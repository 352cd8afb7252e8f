//! Rows of a table that grows with the trace, until there are enough for a row group.
//!
//! In: rows as they are finished. Out: bands, of rows that start in time and of those that are late, with the extra columns
//! that the table has so far.

use super::band::{BandRow, BandRows};
use super::chunk::PAGE_ROWS;
use crate::model::{FieldKind, OwnedData, OwnedExtra, StoredTable, World};
use crate::schema::{ColumnType, ExtraColumn};

/// Rows of a band. Small enough that a window of one hundredth of the time of a large trace touches
/// about one hundredth of the bytes, large enough that footers stay small; always the same, so that
/// memory does not grow with the trace.
const BAND: usize = 24 << 10;
/// Rows for each band of a summary, at least: those of a page, which is read whole.
pub(super) const ROWS_PER_BAND: u64 = PAGE_ROWS as u64;
/// Pages of a row group.
const GROUP_PAGES: u64 = BAND as u64 / ROWS_PER_BAND;
/// Which rows there are enough of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FullRows {
    /// Those that start in time.
    Current,
    /// Those that are late.
    Late,
}

/// The rows of a row group.
#[derive(Debug)]
pub(super) struct TableBand {
    pub table: StoredTable,
    pub rows: BandRows,
    /// The extra columns of the table so far.
    pub extras: Vec<ExtraColumn>,
}

/// Collects the rows of one table.
#[derive(Debug)]
pub(super) struct TableRows {
    table: StoredTable,
    current: BandRows,
    late: BandRows,
    /// Memory of rows that were stored.
    spare: BandRows,
    /// Rows that start before this are late.
    floor: i64,
    /// The latest time seen.
    latest: i64,
    /// The extra columns, in the order of the trace's definitions: number of the field, and the
    /// column with the type that its values have had so far.
    extras: Vec<(u32, ExtraColumn)>,
    /// By number of the field: its place in `extras`.
    extra_places: Vec<Option<usize>>,
    /// Rows of a row group.
    group_rows: usize,
}

impl TableRows {
    /// With six times as many rows in a row group, at most, as there are for each band of its summary, at least.
    pub fn new(table: StoredTable, rows_per_band: u64) -> TableRows {
        TableRows {
            group_rows: usize::try_from(rows_per_band.saturating_mul(GROUP_PAGES)).unwrap_or(BAND).clamp(1, BAND),
            table,
            current: BandRows::default(),
            late: BandRows::default(),
            spare: BandRows::default(),
            floor: i64::MIN,
            latest: i64::MIN,
            extras: vec![],
            extra_places: vec![],
        }
    }

    /// Adds a row; `push` adds what rows of other tables do not have. Tells when there are enough rows for a row group.
    #[inline(always)]
    pub fn add(
        &mut self,
        world: &World,
        row: BandRow,
        extras: &[OwnedExtra],
        push: impl FnOnce(&mut BandRows),
    ) -> Option<FullRows> {
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
            return None;
        }
        Some(if is_late { FullRows::Late } else { FullRows::Current })
    }

    /// Takes the rows of a row group, be they enough or not.
    pub fn take(&mut self, world: &World, which: FullRows) -> TableBand {
        let spare = std::mem::take(&mut self.spare);
        let rows = match which {
            FullRows::Late => std::mem::replace(&mut self.late, spare),
            FullRows::Current => {
                self.floor = self.latest;
                std::mem::replace(&mut self.current, spare)
            }
        };
        TableBand { table: self.table, rows, extras: self.extra_columns(world) }
    }

    /// Takes back the memory of rows that were stored.
    pub fn recycle(&mut self, mut rows: BandRows) {
        if !rows.is_large() {
            rows.clear();
            self.spare = rows;
        }
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

    #[inline(always)]
    fn extra_column(&mut self, world: &World, field: u32) -> usize {
        match self.extra_places.get(field as usize) {
            Some(Some(known)) => *known,
            _ => self.new_extra_column(world, field),
        }
    }

    #[cold]
    fn new_extra_column(&mut self, world: &World, field: u32) -> usize {
        let place = self.extras.len();
        self.extras.push((field, extra_column(world, field)));
        self.extra_places.resize(self.extra_places.len().max(field as usize + 1), None);
        self.extra_places[field as usize] = Some(place);
        place
    }

    /// The extra columns that definitions declare, whether or not a row has used them.
    pub fn extra_columns(&mut self, world: &World) -> Vec<ExtraColumn> {
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
        self.extras.iter().map(|(_, column)| column.clone()).collect()
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
#[inline(always)]
pub(super) fn widen(kind: ColumnType, data: &OwnedData) -> ColumnType {
    match (kind, data) {
        (ColumnType::Text, _) | (_, OwnedData::Text(_)) => ColumnType::Text,
        (ColumnType::BigInt, OwnedData::Int(_)) => ColumnType::BigInt,
        (ColumnType::UBigInt, OwnedData::UInt(_)) => ColumnType::UBigInt,
        _ => ColumnType::Double,
    }
}

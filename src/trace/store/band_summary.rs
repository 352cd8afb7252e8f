//! The summary of a table: what its series have in bands of time, beside the rows.
//!
//! In: the rows of `states`, `state_segments`, `events` or `variables`. Out: a file with what each series has in each band of
//! time, in levels; see [`ocellus_kernels::bands`]. A series is what agrees in container, type and, if the table has them,
//! value, depth and the flag for states that were cut; see [`columns`] for the rows.
//!
//! Rows lie by level, band and container, in small row groups. A table with few rows has no summary, and neither has one
//! with so many series that bands would have to be wide.

mod columns;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use hashbrown::HashMap;
use ocellus_kernels::bands::{BandCell, BandLimits, BandMeasure, BandTotals, TimeSums, ValueSums};

use self::columns::{SeriesKey, SummaryColumns};
use super::arrow_file::finish_file;
use super::band::BandRows;
use super::band_runs::BandRunFile;
use super::manifest::{BandGrid, TableEntry};
use crate::error::{Error, Result};
use crate::model::{StoredTable, World};

/// Series of a table that has a summary, at most.
const MOST_SERIES: usize = 1 << 16;

/// Cells of a table that are held in memory.
const HELD_CELLS: usize = 1 << 17;

/// Rows of a table for each cell of its summary, at least.
const ROWS_PER_CELL: u64 = 16;

/// Rows of a row group: the bands of a short time.
const GROUP_ROWS: usize = 8 << 10;

/// Collects the summary of a table.
pub(super) enum BandSummary {
    /// Of states and events.
    Times(SeriesBands<TimeSums>),
    /// Of variables.
    Values(SeriesBands<ValueSums>),
}

impl BandSummary {
    /// For a table in a folder, with so many rows for each band, at least; `None` for tables without summaries.
    pub(super) fn new(folder: &Path, table: StoredTable, rows_per_band: u64) -> Option<BandSummary> {
        let runs = folder.join(format!("{}.runs", bands_of(table.name())));
        match table {
            StoredTable::States | StoredTable::StateSegments | StoredTable::Events => {
                Some(BandSummary::Times(SeriesBands::new(runs, rows_per_band)))
            }
            StoredTable::Variables => Some(BandSummary::Values(SeriesBands::new(runs, rows_per_band))),
            _ => None,
        }
    }

    /// Adds the rows of a row group.
    pub(super) fn add(&mut self, rows: &BandRows) -> Result<()> {
        match self {
            BandSummary::Times(series) => series.add(rows.rows.iter().map(|row| (row.codes, row.ticks, ()))),
            BandSummary::Values(series) => {
                // Values that are no numbers count nowhere.
                let rows = rows.rows.iter().zip(&rows.doubles).filter(|(_, value)| value.is_finite());
                series.add(rows.map(|(row, value)| (row.codes, row.ticks, *value)))
            }
        }
    }

    /// Writes the summary, if there is one.
    pub(super) fn finish(self, folder: &Path, table: StoredTable, world: &World) -> Result<Option<TableEntry>> {
        match self {
            BandSummary::Times(series) => series.finish(folder, table, world),
            BandSummary::Values(series) => series.finish(folder, table, world),
        }
    }
}

/// What a series has in a band, and what the series is.
type KeyedCell<M> = (BandCell<M>, SeriesKey);

/// The bands of the series of a table.
pub(super) struct SeriesBands<M> {
    numbers: HashMap<SeriesKey, u32>,
    keys: Vec<SeriesKey>,
    /// `None` once there are too many series.
    totals: Option<BandTotals<M, BandRunFile<M>>>,
}

impl<M: BandMeasure> SeriesBands<M> {
    fn new(runs: PathBuf, rows_per_band: u64) -> SeriesBands<M> {
        let limits =
            BandLimits { cells: HELD_CELLS, rows_per_cell: ROWS_PER_CELL.min(rows_per_band / 8).max(1), rows_per_band };
        let totals = BandTotals::new(limits, BandRunFile::new(runs));
        SeriesBands { numbers: HashMap::new(), keys: vec![], totals: Some(totals) }
    }

    fn add(&mut self, rows: impl Iterator<Item = (SeriesKey, [i64; 2], M::Row)>) -> Result<()> {
        let Some(totals) = &mut self.totals else { return Ok(()) };
        for (key, [start, end], row) in rows {
            let next = self.keys.len() as u32;
            let series = *self.numbers.entry(key).or_insert_with(|| {
                self.keys.push(key);
                next
            });
            totals.add(series, start, end, &row)?;
        }
        if self.keys.len() > MOST_SERIES {
            *self = SeriesBands { numbers: HashMap::new(), keys: vec![], totals: None };
        }
        Ok(())
    }
}

impl<M: BandMeasure> SeriesBands<M>
where
    SummaryColumns: columns::MeasureColumns<M>,
{
    fn finish(self, folder: &Path, table: StoredTable, world: &World) -> Result<Option<TableEntry>> {
        let Some(totals) = self.totals else {
            return Ok(None);
        };
        let table_name = bands_of(table.name());
        let name = format!("{table_name}.parquet");
        let path = folder.join(&name);
        let summary = SummaryColumns::of(table);
        let schema = summary.schema();
        // Nothing is written before it is known that there are bands.
        let mut writer = None;
        let mut rows = 0;
        // By width: the cells that wait for their row group.
        let mut waiting: Vec<(u32, Vec<KeyedCell<M>>)> = vec![];
        let mut write = |shift: u32, cells: &[KeyedCell<M>]| -> Result<()> {
            let writer = match &mut writer {
                Some(writer) => writer,
                none => none.insert(summary.create(&path, GROUP_ROWS)?),
            };
            let columns = columns::MeasureColumns::columns(&summary, shift, cells, world);
            writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns)?)?;
            // Levels share no row group.
            writer.flush()?;
            rows += cells.len() as u64;
            Ok(())
        };
        let levels = totals.finish(|shift, cells| -> Result<()> {
            let place = waiting.iter().position(|(width, _)| *width == shift).unwrap_or_else(|| {
                waiting.push((shift, vec![]));
                waiting.len() - 1
            });
            let waiting = &mut waiting[place].1;
            let before = waiting.len();
            waiting.extend(cells.iter().map(|cell| (*cell, self.keys[cell.series as usize])));
            waiting[before..].sort_unstable_by_key(|(_, key)| *key);
            while waiting.len() >= GROUP_ROWS {
                write(shift, &waiting[..GROUP_ROWS])?;
                waiting.drain(..GROUP_ROWS);
            }
            Ok(())
        })?;
        for (shift, waiting) in waiting.iter().filter(|(_, waiting)| !waiting.is_empty()) {
            write(*shift, waiting)?;
        }
        let (Some(levels), Some(writer)) = (levels, writer) else {
            // A sum that was too large shows when some of them are written.
            if path.exists() {
                std::fs::remove_file(&path).map_err(|e| Error::io("remove", &path, e))?;
            }
            return Ok(None);
        };
        let bands = BandGrid { shift: levels.finest as u8, coarsest: levels.coarsest as u8 };
        let file = finish_file(writer, &path, name, rows)?;
        Ok(Some(TableEntry { name: table_name, rows, extra_columns: vec![], files: vec![file], bands: Some(bands) }))
    }
}

/// Name of the stored table that holds the summary of another.
pub fn bands_of(table: &str) -> String {
    format!("{table}_bands")
}

//! The summary of a table: what its series have in bands of time, beside the rows.
//!
//! In: the rows of `states`, `state_segments`, `events`, `variables` or `links`. Out: a file with what each series has in each
//! band of time, in levels; see [`ocellus_kernels::bands`]. A series is what agrees in container, type and, if the table has
//! them, value, depth and the flag for states that were cut; of links, what agrees in source, target, container, type and
//! [`link_classes`]. See [`columns`] for the rows.
//!
//! Rows lie by level, band and container, in small row groups. A table with few rows has no summary, and neither has one
//! with so many series that bands would have to be wide.

mod columns;
mod link_classes;

pub use link_classes::LINK_CLASSES;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use hashbrown::HashMap;
use ocellus_kernels::bands::{
    BandCell, BandLimits, BandMeasure, BandTotals, LinkSums, SummedLink, TimeSums, ValueSums,
};

use self::columns::{MOST_OWNERS, SeriesKey, SummaryColumns, link_key};
use self::link_classes::{is_collective_key, is_collective_value};
use super::arrow_file::finish_file;
use super::band::BandRows;
use super::band_runs::BandRunFile;
use super::manifest::{BandGrid, TableEntry};
use crate::error::{Error, Result};
use crate::model::{StoredTable, ValueId, WorldNames};
use crate::time::Resolution;

/// Series of a table that has a summary, at most.
const MOST_SERIES: usize = 1 << 16;

/// Cells of a table that are held in memory.
const HELD_CELLS: usize = 1 << 17;

/// The same of links, whose cells are larger.
const HELD_LINKS: usize = 1 << 16;

/// How many times as many bands links may have: slices read them twice, from both ends.
const LINK_BANDS: u64 = 2;

/// Volumes of whole numbers add up to this at most, where sums of a few such tables are exact in any order.
const MOST_VOLUME: f64 = (1_u64 << 50) as f64;

/// Rows of a table for each cell of its summary, at least.
const ROWS_PER_CELL: u64 = 16;

/// Rows of a row group: the bands of a short time.
const GROUP_ROWS: usize = 8 << 10;

/// How the summaries of a trace are made.
#[derive(Debug, Clone, Copy)]
pub(super) struct SummaryOptions {
    /// Rows for each band, at least.
    pub rows_per_band: u64,
    /// Of the times of the trace.
    pub resolution: Resolution,
}

/// Collects the summary of a table.
pub(super) enum BandSummary {
    /// Of states and events.
    Times(SeriesBands<TimeSums>),
    /// Of variables.
    Values(SeriesBands<ValueSums>),
    /// Of links.
    Links(LinkBands),
}

impl BandSummary {
    /// For a table in a folder; `None` for tables without summaries.
    pub(super) fn new(folder: &Path, table: StoredTable, options: SummaryOptions) -> Option<BandSummary> {
        let rows_per_band = options.rows_per_band;
        let rows_per_cell = ROWS_PER_CELL.min(rows_per_band / 8).max(1);
        let limits = BandLimits { cells: HELD_CELLS, rows_per_cell, rows_per_band };
        let runs = folder.join(format!("{}.runs", bands_of(table.name())));
        match table {
            StoredTable::States | StoredTable::StateSegments | StoredTable::Events => {
                Some(BandSummary::Times(SeriesBands::new(runs, limits)))
            }
            StoredTable::Variables => Some(BandSummary::Values(SeriesBands::new(runs, limits))),
            StoredTable::Links => Some(BandSummary::Links(LinkBands {
                series: SeriesBands::new(
                    runs,
                    BandLimits { cells: HELD_LINKS, rows_per_band: (rows_per_band / LINK_BANDS).max(1), ..limits },
                ),
                per_second: options.resolution.ticks_per_second(),
                whole_volume: Some(0.0),
            })),
            _ => None,
        }
    }

    /// Adds the rows of a row group.
    pub(super) fn add(&mut self, names: &WorldNames, rows: &BandRows) -> Result<()> {
        match self {
            BandSummary::Links(links) => links.add(names, rows),
            BandSummary::Times(series) => series.add(rows.rows.iter().map(|row| (row.codes, row.ticks, ()))),
            BandSummary::Values(series) => {
                // A value that is no number counts as a row where it begins, and has no time anywhere.
                series.add(rows.rows.iter().zip(&rows.doubles).map(|(row, value)| match value.is_finite() {
                    true => (row.codes, row.ticks, *value),
                    false => (row.codes, [row.ticks[0]; 2], 0.0),
                }))
            }
        }
    }

    /// Writes the summary, if there is one.
    pub(super) fn finish(self, folder: &Path, table: StoredTable, names: &WorldNames) -> Result<Option<TableEntry>> {
        match self {
            BandSummary::Times(series) => series.finish(folder, table, names),
            BandSummary::Values(series) => {
                let entry = series.finish(folder, table, names)?;
                Ok(entry.map(|entry| with_grid(entry, |bands| bands.counts_rows = true)))
            }
            BandSummary::Links(links) => {
                let entry = links.series.finish(folder, table, names)?;
                Ok(entry.map(|entry| with_grid(entry, |bands| bands.whole_volume = links.whole_volume.is_some())))
            }
        }
    }
}

/// A summary of which more is known.
fn with_grid(mut entry: TableEntry, know: impl FnOnce(&mut BandGrid)) -> TableEntry {
    if let Some(bands) = &mut entry.bands {
        know(bands);
    }
    entry
}

/// The bands of links.
pub(super) struct LinkBands {
    series: SeriesBands<LinkSums>,
    per_second: i64,
    /// The sum of all volumes without their signs, while all are whole numbers and it is not too large.
    whole_volume: Option<f64>,
}

impl LinkBands {
    fn add(&mut self, names: &WorldNames, rows: &BandRows) -> Result<()> {
        // NaN stands for no volume; infinite ones add up to nothing.
        if rows.owners.iter().any(|owner| *owner > MOST_OWNERS)
            || rows.doubles.iter().any(|volume| volume.is_infinite())
        {
            self.series = SeriesBands { numbers: HashMap::new(), keys: vec![], totals: None };
        }
        let per_second = self.per_second;
        let mut whole_volume = self.whole_volume;
        let mut key_begin = 0;
        // The class of the value of the link before: it is mostly that of the next.
        let mut known = None;
        let links = rows.rows.iter().zip(&rows.doubles).zip(rows.owners.iter().zip(&rows.key_ends));
        self.series.add(links.map(|((row, volume), (owner, key_end))| {
            let key = &rows.keys[key_begin as usize..*key_end as usize];
            key_begin = *key_end;
            let value = row.codes[2];
            let is_collective = match known {
                Some((known, is_collective)) if known == value => is_collective,
                _ => is_collective_value(names.value_name(ValueId(value))),
            };
            known = Some((value, is_collective));
            let series = link_key(row.codes, *owner, [is_collective, is_collective_key(key)]);
            let volume = (!volume.is_nan()).then_some(*volume);
            whole_volume = whole_volume.and_then(|whole| with_whole(whole, volume.unwrap_or(0.0)));
            (series, row.ticks, SummedLink { start: row.ticks[0], volume, per_second })
        }))?;
        self.whole_volume = whole_volume;
        Ok(())
    }
}

/// The sum of volumes without their signs, with one more; `None` when it is no whole number, or the sum is too large.
fn with_whole(whole: f64, volume: f64) -> Option<f64> {
    let is_whole = volume == volume.trunc() && (volume != 0.0 || volume.is_sign_positive());
    Some(whole + volume.abs()).filter(|sum| is_whole && *sum <= MOST_VOLUME)
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
    fn new(runs: PathBuf, limits: BandLimits) -> SeriesBands<M> {
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
    fn finish(self, folder: &Path, table: StoredTable, names: &WorldNames) -> Result<Option<TableEntry>> {
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
            let columns = columns::MeasureColumns::columns(&summary, shift, cells, names);
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
        let bands = BandGrid { shift: levels.finest as u8, coarsest: levels.coarsest as u8, ..BandGrid::default() };
        let file = finish_file(writer, &path, name, rows)?;
        Ok(Some(TableEntry { name: table_name, rows, extra_columns: vec![], files: vec![file], bands: Some(bands) }))
    }
}

/// Name of the stored table that holds the summary of another.
pub fn bands_of(table: &str) -> String {
    format!("{table}_bands")
}

//! The summary of a table of states: its time in bands, beside the rows.
//!
//! In: the rows of `states` or `state_segments`. Out: a file with the time that each series spends in each band of time,
//! in levels; see [`ocellus_kernels::bands`]. A series is what agrees in container, type, value, depth and the flag for
//! states that were cut. A row looks like a state that begins with the band and lasts as long as the series does there:
//!
//! ```text
//!  level, container_id, container, type, value, depth, start_tick: begin of the band, end_tick: begin + time, is_cut,
//!  states: how many begin in the band
//! ```
//! Rows lie by level, band and container, in small row groups. A table with few rows has no summary, and neither has one
//! with so many series that bands would have to be wide.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int64Array, RecordBatch, StringArray, UInt32Array,
};
use arrow::datatypes::{DataType, Field, Schema, UInt32Type};
use hashbrown::HashMap;
use ocellus_kernels::bands::{BandCell, BandLimits, BandTotals};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::WriterProperties;

use super::arrow_file::finish_file;
use super::band::BandRow;
use super::hashing_file::HashingFile;
use super::manifest::{BandGrid, TableEntry};
use crate::error::Result;
use crate::model::{ContainerId, StoredTable, TypeId, ValueId, World};

/// Series of a table that has a summary, at most.
const MOST_SERIES: usize = 1 << 16;

/// What is held of a table, in cells.
const MOST_CELLS: usize = 1 << 18;

/// Rows of a table for each cell of its summary, at least.
const ROWS_PER_CELL: u64 = 16;

/// Rows of a row group: the bands of a short time.
const GROUP_ROWS: usize = 8 << 10;

/// Container, type and value; the last number holds the depth, and the flag in the lowest bit.
type SeriesKey = [u32; 4];

/// Collects the summary of a table.
pub(super) struct BandSummary {
    numbers: HashMap<SeriesKey, u32>,
    keys: Vec<SeriesKey>,
    /// `None` once there are too many series.
    totals: Option<BandTotals>,
}

impl BandSummary {
    /// With so many rows for each band, at least.
    pub(super) fn new(rows_per_band: u64) -> BandSummary {
        let limits = BandLimits {
            entries: MOST_CELLS,
            rows_per_cell: ROWS_PER_CELL.min(rows_per_band / 8).max(1),
            rows_per_band,
        };
        BandSummary { numbers: HashMap::new(), keys: vec![], totals: Some(BandTotals::new(limits)) }
    }

    /// Adds the rows of a row group.
    pub(super) fn add(&mut self, rows: &[BandRow]) {
        let Some(totals) = &mut self.totals else { return };
        for row in rows {
            let next = self.keys.len() as u32;
            let series = *self.numbers.entry(row.codes).or_insert_with(|| {
                self.keys.push(row.codes);
                next
            });
            totals.add(series, row.ticks[0], row.ticks[1]);
        }
        if self.keys.len() > MOST_SERIES {
            *self = BandSummary { numbers: HashMap::new(), keys: vec![], totals: None };
        }
    }

    /// Writes the summary, if there is one.
    pub(super) fn finish(self, folder: &Path, table: StoredTable, world: &World) -> Result<Option<TableEntry>> {
        let Some(levels) = self.totals.and_then(BandTotals::finish) else {
            return Ok(None);
        };
        let (Some(finest), Some(coarsest)) = (levels.first(), levels.last()) else {
            return Ok(None);
        };
        let bands = BandGrid { shift: finest.shift as u8, coarsest: coarsest.shift as u8 };
        let table_name = bands_of(table.name());
        let name = format!("{table_name}.parquet");
        let path = folder.join(&name);
        let schema = Arc::new(schema());
        let mut writer = create(&path, &schema)?;
        let mut rows = 0;
        for mut level in levels {
            let cells = &mut level.cells;
            cells.sort_unstable_by_key(|cell| (cell.band, self.keys[cell.series as usize]));
            for some in cells.chunks(GROUP_ROWS) {
                let some: Vec<(BandCell, SeriesKey)> =
                    some.iter().map(|cell| (*cell, self.keys[cell.series as usize])).collect();
                writer.write(&RecordBatch::try_new(Arc::clone(&schema), columns(level.shift, &some, world))?)?;
            }
            // Levels share no row group.
            writer.flush()?;
            rows += cells.len() as u64;
        }
        let file = finish_file(writer, &path, name, rows)?;
        Ok(Some(TableEntry { name: table_name, rows, extra_columns: vec![], files: vec![file], bands: Some(bands) }))
    }
}

/// Name of the stored table that holds the summary of another.
pub fn bands_of(table: &str) -> String {
    format!("{table}_bands")
}

fn schema() -> Schema {
    let text = |name| Field::new(name, DataType::Dictionary(DataType::UInt32.into(), DataType::Utf8.into()), false);
    Schema::new(vec![
        Field::new("level", DataType::Int32, false),
        Field::new("container_id", DataType::Int32, false),
        text("container"),
        text("type"),
        text("value"),
        Field::new("depth", DataType::Int32, false),
        Field::new("start_tick", DataType::Int64, false),
        Field::new("end_tick", DataType::Int64, false),
        Field::new("is_cut", DataType::Boolean, false),
        Field::new("states", DataType::Int64, false),
    ])
}

fn create(path: &Path, schema: &Arc<Schema>) -> Result<ArrowWriter<HashingFile>> {
    let ticks = ["start_tick", "end_tick"];
    let mut properties = WriterProperties::builder()
        .set_created_by(format!("ocellus {}", env!("CARGO_PKG_VERSION")))
        .set_compression(Compression::SNAPPY)
        .set_max_row_group_row_count(Some(GROUP_ROWS));
    for column in ticks {
        properties = properties
            .set_column_dictionary_enabled(column.into(), false)
            .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
    }
    let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
    Ok(ArrowWriter::try_new_with_options(HashingFile::create(path)?, Arc::clone(schema), options)?)
}

fn columns(shift: u32, cells: &[(BandCell, SeriesKey)], world: &World) -> Vec<ArrayRef> {
    let integers = |number: &dyn Fn(&SeriesKey) -> u32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(cells.iter().map(|(_, key)| number(key) as i32)))
    };
    let longs = |tick: &dyn Fn(&BandCell) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(cells.iter().map(|(cell, _)| tick(cell))))
    };
    let begin = |cell: &BandCell| cell.band << shift;
    vec![
        Arc::new(Int32Array::from_value(shift as i32, cells.len())),
        integers(&|key| key[0]),
        texts(cells, 0, |code| world.container_name(ContainerId(code))),
        texts(cells, 1, |code| world.type_name(TypeId(code))),
        texts(cells, 2, |code| world.value_name(ValueId(code))),
        integers(&|key| key[3] >> 1),
        longs(&begin),
        longs(&|cell| begin(cell).saturating_add(cell.ticks)),
        Arc::new(BooleanArray::from_iter(cells.iter().map(|(_, key)| Some(key[3] & 1 == 1)))),
        longs(&|cell| cell.count.into()),
    ]
}

/// A column of names, each once.
fn texts<'a>(cells: &[(BandCell, SeriesKey)], place: usize, name: impl Fn(u32) -> &'a str) -> ArrayRef {
    let mut known: HashMap<u32, u32> = HashMap::new();
    let mut names = vec![];
    let codes = cells.iter().map(|(_, key)| {
        *known.entry(key[place]).or_insert_with(|| {
            names.push(name(key[place]));
            names.len() as u32 - 1
        })
    });
    let codes: UInt32Array = UInt32Array::from_iter_values(codes);
    let names = StringArray::from_iter_values(names);
    Arc::new(DictionaryArray::<UInt32Type>::new(codes, Arc::new(names)))
}

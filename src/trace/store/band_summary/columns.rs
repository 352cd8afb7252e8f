//! The columns of summaries. A row looks like a row of the table that begins with the band and has what the series has there:
//!
//! ```text
//!  states     level, container_id, container, type, value, depth, start_tick, end_tick, is_cut, states
//!  events     level, container_id, container, type, value, tick, events
//!  variables  level, container_id, container, type, start_tick, end_tick, value, integral_rest, minimum, maximum, variables
//!  links      level, container_id, container, type, value, key, source_id, source, target_id, target, start_tick, end_tick,
//!             volume, links, volume_rest, weighted, weighted_rest, rate, rate_rest
//! ```
//! `start_tick` and `tick` are the begin of the band, `end_tick` is that plus the time in it, `states`, `events` and `variables`
//! how many begin in it. The integral over the band, value times ticks, is the sum of `value` and `integral_rest`.
//!
//! The same of links: `volume` is NULL where none has one, `weighted` is volume times ticks and `rate` volume per second. A row
//! with one link has the times of this link. Where that crosses a border of bands, it is no band, but a link by itself.

use std::path::Path;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray, UInt32Array,
};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef, UInt32Type};
use hashbrown::HashMap;
use ocellus_kernels::bands::{BandCell, LinkSums, TimeSums, ValueSums};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, Encoding};
use parquet::file::properties::WriterProperties;

use super::super::hashing_file::HashingFile;
use super::link_classes::class_text;
use crate::error::Result;
use crate::model::{ContainerId, StoredTable, TypeId, ValueId, WorldNames};

/// Container, type and value; the last number holds the depth, and the flag in the lowest bit. Of links: see [`link_key`].
pub(in crate::store) type SeriesKey = [u32; 4];

/// Containers of links for which a key has room.
pub(super) const MOST_OWNERS: u32 = u32::MAX >> 2;

/// The series of a link: source, type and target; the last number holds its container, and the classes in the lowest bits.
/// `codes` and `owner` are as they wait for their row group.
pub(super) fn link_key(codes: [u32; 4], owner: u32, [value, key]: [bool; 2]) -> SeriesKey {
    let [source, kind, _, target] = codes;
    [source, kind, target, owner << 2 | u32::from(key) << 1 | u32::from(value)]
}

/// Columns that hold ticks.
const TICKS: [&str; 3] = ["start_tick", "end_tick", "tick"];

/// The columns of the summary of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum SummaryColumns {
    States,
    Events,
    Variables,
    Links,
}

/// How a measure becomes columns.
pub(in crate::store) trait MeasureColumns<M> {
    /// The columns of some cells of bands that are `2^shift` ticks wide.
    fn columns(&self, shift: u32, cells: &[(BandCell<M>, SeriesKey)], names: &WorldNames) -> Vec<ArrayRef>;
}

impl SummaryColumns {
    pub(super) fn of(table: StoredTable) -> SummaryColumns {
        match table {
            StoredTable::Events => SummaryColumns::Events,
            StoredTable::Variables => SummaryColumns::Variables,
            StoredTable::Links => SummaryColumns::Links,
            _ => SummaryColumns::States,
        }
    }

    pub(super) fn schema(self) -> SchemaRef {
        let text = |name| Field::new(name, DataType::Dictionary(DataType::UInt32.into(), DataType::Utf8.into()), false);
        let integer = |name| Field::new(name, DataType::Int32, false);
        let long = |name| Field::new(name, DataType::Int64, false);
        let double = |name| Field::new(name, DataType::Float64, false);
        let container = integer("container_id").with_nullable(self == SummaryColumns::Links);
        let mut fields = vec![integer("level"), container, text("container"), text("type")];
        fields.extend(match self {
            SummaryColumns::States => vec![
                text("value"),
                integer("depth"),
                long("start_tick"),
                long("end_tick"),
                Field::new("is_cut", DataType::Boolean, false),
                long("states"),
            ],
            SummaryColumns::Events => vec![text("value"), long("tick"), long("events")],
            SummaryColumns::Variables => vec![
                long("start_tick"),
                long("end_tick"),
                double("value"),
                double("integral_rest"),
                double("minimum"),
                double("maximum"),
                long("variables"),
            ],
            SummaryColumns::Links => vec![
                text("value"),
                text("key"),
                integer("source_id"),
                text("source"),
                integer("target_id"),
                text("target"),
                long("start_tick"),
                long("end_tick"),
                double("volume").with_nullable(true),
                long("links"),
                double("volume_rest"),
                double("weighted"),
                double("weighted_rest"),
                double("rate"),
                double("rate_rest"),
            ],
        });
        Arc::new(Schema::new(fields))
    }

    /// A file for them.
    pub(super) fn create(self, path: &Path, group_rows: usize) -> Result<ArrowWriter<HashingFile>> {
        let schema = self.schema();
        let mut properties = WriterProperties::builder()
            .set_created_by(format!("ocellus {}", env!("CARGO_PKG_VERSION")))
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(group_rows));
        for column in TICKS {
            properties = properties
                .set_column_dictionary_enabled(column.into(), false)
                .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
        }
        let options = ArrowWriterOptions::new().with_properties(properties.build()).with_skip_arrow_metadata(true);
        Ok(ArrowWriter::try_new_with_options(HashingFile::create(path)?, schema, options)?)
    }
}

impl MeasureColumns<TimeSums> for SummaryColumns {
    fn columns(&self, shift: u32, cells: &[(BandCell<TimeSums>, SeriesKey)], names: &WorldNames) -> Vec<ArrayRef> {
        let begin = |cell: &BandCell<TimeSums>| cell.band << shift;
        let mut columns = first_columns(shift, cells, names);
        columns.push(texts(cells, &|key| key[2], |code| names.value_name(ValueId(code))));
        match self {
            SummaryColumns::Events => columns.push(longs(cells, &begin)),
            _ => columns.extend([
                integers(cells, &|key| key[3] >> 1),
                longs(cells, &begin),
                longs(cells, &|cell| begin(cell).saturating_add(cell.measure.ticks)),
                Arc::new(BooleanArray::from_iter(cells.iter().map(|(_, key)| Some(key[3] & 1 == 1)))) as ArrayRef,
            ]),
        }
        columns.push(longs(cells, &|cell| cell.measure.count.into()));
        columns
    }
}

impl MeasureColumns<ValueSums> for SummaryColumns {
    fn columns(&self, shift: u32, cells: &[(BandCell<ValueSums>, SeriesKey)], names: &WorldNames) -> Vec<ArrayRef> {
        let begin = |cell: &BandCell<ValueSums>| cell.band << shift;
        let doubles = |number: fn(&ValueSums) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(cells.iter().map(|(cell, _)| number(&cell.measure))))
        };
        let mut columns = first_columns(shift, cells, names);
        columns.extend([
            longs(cells, &begin),
            longs(cells, &|cell| begin(cell).saturating_add(cell.measure.time.ticks)),
            doubles(|sums| sums.integral.halves().0),
            doubles(|sums| sums.integral.halves().1),
            doubles(|sums| sums.extremes.minimum),
            doubles(|sums| sums.extremes.maximum),
            longs(cells, &|cell| cell.measure.time.count.into()),
        ]);
        columns
    }
}

impl MeasureColumns<LinkSums> for SummaryColumns {
    fn columns(&self, shift: u32, cells: &[(BandCell<LinkSums>, SeriesKey)], names: &WorldNames) -> Vec<ArrayRef> {
        // That of one link is when it starts.
        let begin = |cell: &BandCell<LinkSums>| match cell.measure.time.count {
            1 => cell.measure.start,
            _ => cell.band << shift,
        };
        let doubles = |number: fn(&LinkSums) -> f64| -> ArrayRef {
            Arc::new(Float64Array::from_iter_values(cells.iter().map(|(cell, _)| number(&cell.measure))))
        };
        let sums = || cells.iter().map(|(cell, _)| &cell.measure);
        let volumes = sums().map(|sums| (sums.volumes > 0).then(|| sums.volume.halves().0));
        let owner = |key: &SeriesKey| key[3] >> 2;
        let owners = cells.iter().map(|(_, key)| owner(key).checked_sub(1).map(|owner| owner as i32));
        let container = |code: u32| names.container_name(ContainerId(code));
        vec![
            Arc::new(Int32Array::from_value(shift as i32, cells.len())),
            Arc::new(owners.collect::<Int32Array>()),
            texts(cells, &owner, |code| container(code.wrapping_sub(1))),
            texts(cells, &|key| key[1], |code| names.type_name(TypeId(code))),
            texts(cells, &|key| key[3] & 1, |class| class_text(0, class == 1)),
            texts(cells, &|key| key[3] >> 1 & 1, |class| class_text(1, class == 1)),
            integers(cells, &|key| key[0]),
            texts(cells, &|key| key[0], container),
            integers(cells, &|key| key[2]),
            texts(cells, &|key| key[2], container),
            longs(cells, &begin),
            longs(cells, &|cell| begin(cell).saturating_add(cell.measure.time.ticks)),
            Arc::new(volumes.collect::<Float64Array>()),
            longs(cells, &|cell| cell.measure.time.count.into()),
            doubles(|sums| sums.volume.halves().1),
            doubles(|sums| sums.weighted.halves().0),
            doubles(|sums| sums.weighted.halves().1),
            doubles(|sums| sums.rate.halves().0),
            doubles(|sums| sums.rate.halves().1),
        ]
    }
}

/// What summaries of what happens in one container begin with: level, container and type.
fn first_columns<M>(shift: u32, cells: &[(BandCell<M>, SeriesKey)], names: &WorldNames) -> Vec<ArrayRef> {
    vec![
        Arc::new(Int32Array::from_value(shift as i32, cells.len())),
        integers(cells, &|key| key[0]),
        texts(cells, &|key| key[0], |code| names.container_name(ContainerId(code))),
        texts(cells, &|key| key[1], |code| names.type_name(TypeId(code))),
    ]
}

fn integers<M>(cells: &[(BandCell<M>, SeriesKey)], number: &dyn Fn(&SeriesKey) -> u32) -> ArrayRef {
    Arc::new(Int32Array::from_iter_values(cells.iter().map(|(_, key)| number(key) as i32)))
}

fn longs<M>(cells: &[(BandCell<M>, SeriesKey)], number: &dyn Fn(&BandCell<M>) -> i64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(cells.iter().map(|(cell, _)| number(cell))))
}

/// A column of names, each once.
fn texts<'a, M>(
    cells: &[(BandCell<M>, SeriesKey)],
    code: &dyn Fn(&SeriesKey) -> u32,
    name: impl Fn(u32) -> &'a str,
) -> ArrayRef {
    let mut known: HashMap<u32, u32> = HashMap::new();
    let mut names = vec![];
    let codes = cells.iter().map(|(_, key)| {
        let code = code(key);
        *known.entry(code).or_insert_with(|| {
            names.push(name(code));
            names.len() as u32 - 1
        })
    });
    let codes: UInt32Array = UInt32Array::from_iter_values(codes);
    let names = StringArray::from_iter_values(names);
    Arc::new(DictionaryArray::<UInt32Type>::new(codes, Arc::new(names)))
}

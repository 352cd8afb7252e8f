//! Rows on their way into row groups: buffered, clustered by container, encoded.
//!
//! A row group is a band of start time. Rows are finished in the order in which they end; those that
//! began before the band did are late and share row groups of their own, so that one long state does
//! not spoil the bounds of a band:
//!
//! ```text
//! time ───────────────►
//!      [ band 1 ][ band 2 ][ band 3 ]
//!        -- --     -- ---    --- -
//!            ------------------            late: its own row group
//! ```

use bytes::Bytes;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescPtr;

use super::delta;
use super::dictionary::{self, Entries, LocalCodes};
use super::part::HashingFile;
use crate::error::{Error, Result};
use crate::model::{ContainerId, OwnedData, TypeId, ValueId, World};
use crate::schema::{ExtraColumn, Kind};

/// What the codes of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Names {
    Container,
    /// Codes are one more than the container; 0 is the root.
    ContainerOrRoot,
    Type,
    Value,
}

/// A column of a file, and where its values are in [`Rows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    /// The codes as numbers.
    Id(usize),
    /// One less than the codes, as numbers; 0 is the root, which is NULL.
    IdOrRoot(usize),
    /// The codes as names.
    Text(usize, Names),
    Tick(usize),
    Double,
    NullableDouble,
    Flag,
    Key,
    Extra(usize),
}

/// A further field: the rows that have it.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    pub values: Vec<(u32, OwnedData)>,
}

/// Rows that wait for their row group, column by column. A table uses what it needs.
#[derive(Debug, Default)]
pub(super) struct Rows {
    /// The first column of codes is what rows are clustered by.
    pub codes: [Vec<u32>; 5],
    pub ticks: [Vec<i64>; 2],
    /// NaN stands for NULL in a nullable column of finite numbers.
    pub doubles: Vec<f64>,
    pub flags: Vec<bool>,
    pub keys: Vec<u8>,
    pub key_ends: Vec<u32>,
    pub extras: Vec<Sparse>,
}

impl Rows {
    pub fn len(&self) -> usize {
        self.codes[0].len()
    }

    pub fn clear(&mut self) {
        self.codes.iter_mut().for_each(Vec::clear);
        self.ticks.iter_mut().for_each(Vec::clear);
        self.doubles.clear();
        self.flags.clear();
        self.keys.clear();
        self.key_ends.clear();
        self.extras.iter_mut().for_each(|sparse| sparse.values.clear());
    }
}

/// Encodes rows; keeps its buffers from one row group to the next.
#[derive(Debug, Default)]
pub(super) struct Encoder {
    order: Vec<u32>,
    starts: Vec<u32>,
    locals: LocalCodes,
    /// Which column of codes `locals` holds.
    assigned: Option<usize>,
    ticks: Vec<i64>,
    doubles: Vec<f64>,
    levels: Vec<i16>,
}

type Group<'a> = SerializedRowGroupWriter<'a, HashingFile>;

impl Encoder {
    /// Writes all columns of a row group.
    pub fn write(
        &mut self,
        world: &World,
        rows: &Rows,
        columns: &[Column],
        descriptors: &[ColumnDescPtr],
        extras: &[ExtraColumn],
        group: &mut Group<'_>,
    ) -> Result<()> {
        self.cluster(&rows.codes[0]);
        self.assigned = None;
        for (column, descriptor) in columns.iter().zip(descriptors) {
            match *column {
                Column::Id(codes) => self.dictionary(rows, codes, &Entries::Code, descriptor, group)?,
                Column::Text(codes, names) => {
                    let text = |code| name_of(world, names, code);
                    self.dictionary(rows, codes, &Entries::Text(&text), descriptor, group)?;
                }
                Column::IdOrRoot(codes) => self.ids(&rows.codes[codes], group)?,
                Column::Tick(ticks) => {
                    self.ticks.clear();
                    self.ticks.extend(self.order.iter().map(|row| rows.ticks[ticks][*row as usize]));
                    let (bytes, close) = delta::encode(descriptor, &self.ticks)?;
                    group.append_column(&bytes, close)?;
                }
                Column::Double => self.doubles(&rows.doubles, group)?,
                Column::NullableDouble => self.nullable_doubles(&rows.doubles, group)?,
                Column::Flag => {
                    let flags: Vec<bool> = self.order.iter().map(|row| rows.flags[*row as usize]).collect();
                    write_typed::<BoolType>(group, &flags, None)?;
                }
                Column::Key => self.keys(rows, group)?,
                Column::Extra(extra) => {
                    let values = rows.extras.get(extra).map_or(&[][..], |sparse| &sparse.values);
                    self.extra(values, extras[extra].kind, group)?;
                }
            }
        }
        Ok(())
    }

    /// Orders the rows by container, keeping their order within each: a counting sort.
    fn cluster(&mut self, containers: &[u32]) {
        self.locals.assign(containers.iter().copied());
        let mut ranks: Vec<(u32, u32)> = self.locals.distinct.iter().copied().zip(0..).collect();
        ranks.sort_unstable();
        let mut counts = vec![0_u32; ranks.len()];
        for local in &self.locals.locals {
            counts[*local as usize] += 1;
        }
        self.starts.clear();
        self.starts.resize(ranks.len(), 0);
        let mut next = 0;
        for (_, local) in ranks {
            self.starts[local as usize] = next;
            next += counts[local as usize];
        }
        self.order.clear();
        self.order.resize(containers.len(), 0);
        for (row, local) in self.locals.locals.iter().enumerate() {
            let place = &mut self.starts[*local as usize];
            self.order[*place as usize] = row as u32;
            *place += 1;
        }
    }

    fn dictionary(
        &mut self,
        rows: &Rows,
        codes: usize,
        entries: &Entries<'_, '_>,
        descriptor: &ColumnDescPtr,
        group: &mut Group<'_>,
    ) -> Result<()> {
        if self.assigned != Some(codes) {
            let column = &rows.codes[codes];
            self.locals.assign(self.order.iter().map(|row| column[*row as usize]));
            self.assigned = Some(codes);
        }
        let (bytes, close) = dictionary::encode(descriptor, &mut self.locals, entries)?;
        group.append_column(&bytes, close)?;
        Ok(())
    }

    fn ids(&mut self, codes: &[u32], group: &mut Group<'_>) -> Result<()> {
        self.levels.clear();
        let mut ids = Vec::with_capacity(codes.len());
        for row in &self.order {
            let code = codes[*row as usize];
            self.levels.push(i16::from(code != 0));
            if code != 0 {
                ids.push((code - 1) as i32);
            }
        }
        write_typed::<Int32Type>(group, &ids, Some(&self.levels))
    }

    fn doubles(&mut self, doubles: &[f64], group: &mut Group<'_>) -> Result<()> {
        self.doubles.clear();
        self.doubles.extend(self.order.iter().map(|row| doubles[*row as usize]));
        write_typed::<DoubleType>(group, &self.doubles, None)
    }

    fn nullable_doubles(&mut self, doubles: &[f64], group: &mut Group<'_>) -> Result<()> {
        self.doubles.clear();
        self.levels.clear();
        for row in &self.order {
            let value = doubles[*row as usize];
            self.levels.push(i16::from(!value.is_nan()));
            if !value.is_nan() {
                self.doubles.push(value);
            }
        }
        write_typed::<DoubleType>(group, &self.doubles, Some(&self.levels))
    }

    fn keys(&mut self, rows: &Rows, group: &mut Group<'_>) -> Result<()> {
        let text = Bytes::copy_from_slice(&rows.keys);
        let keys: Vec<ByteArray> = self
            .order
            .iter()
            .map(|row| {
                let row = *row as usize;
                let start = if row == 0 { 0 } else { rows.key_ends[row - 1] };
                ByteArray::from(text.slice(start as usize..rows.key_ends[row] as usize))
            })
            .collect();
        write_typed::<ByteArrayType>(group, &keys, None)
    }

    fn extra(&mut self, sparse: &[(u32, OwnedData)], kind: Kind, group: &mut Group<'_>) -> Result<()> {
        // By row: one more than the place of its value, 0 for none.
        let mut places = vec![0_u32; self.order.len()];
        for (place, (row, _)) in sparse.iter().enumerate() {
            places[*row as usize] = place as u32 + 1;
        }
        let ordered = || self.order.iter().map(|row| places[*row as usize]);
        self.levels.clear();
        self.levels.extend(ordered().map(|place| i16::from(place > 0)));
        let values = ordered().filter(|place| *place > 0).map(|place| &sparse[place as usize - 1].1);
        let levels = Some(self.levels.as_slice());
        match kind {
            Kind::BigInt | Kind::UBigInt => {
                write_typed::<Int64Type>(group, &values.map(as_integer).collect::<Vec<_>>(), levels)
            }
            Kind::Double => write_typed::<DoubleType>(group, &values.map(as_double).collect::<Vec<_>>(), levels),
            _ => {
                let texts: Vec<ByteArray> = values.map(|data| ByteArray::from(as_text(data).into_bytes())).collect();
                write_typed::<ByteArrayType>(group, &texts, levels)
            }
        }
    }
}

fn name_of(world: &World, names: Names, code: u32) -> &str {
    match names {
        Names::Container => world.container_name(ContainerId(code)),
        Names::ContainerOrRoot => world.container_name(ContainerId(code.wrapping_sub(1))),
        Names::Type => world.type_name(TypeId(code)),
        Names::Value => world.value_name(ValueId(code)),
    }
}

/// The bits of an integer; unsigned ones keep theirs.
fn as_integer(data: &OwnedData) -> i64 {
    match data {
        OwnedData::Int(value) => *value,
        OwnedData::UInt(value) => *value as i64,
        OwnedData::Double(value) => *value as i64,
        OwnedData::Text(text) => text.parse().unwrap_or_default(),
    }
}

pub(super) fn as_double(data: &OwnedData) -> f64 {
    match data {
        OwnedData::Int(value) => *value as f64,
        OwnedData::UInt(value) => *value as f64,
        OwnedData::Double(value) => *value,
        OwnedData::Text(text) => text.parse().unwrap_or(f64::NAN),
    }
}

pub(super) fn as_text(data: &OwnedData) -> String {
    match data {
        OwnedData::Int(value) => value.to_string(),
        OwnedData::UInt(value) => format!("{value:#x}"),
        OwnedData::Double(value) => value.to_string(),
        OwnedData::Text(text) => text.clone(),
    }
}

/// Writes the next column through the library's own encoders.
fn write_typed<T: parquet::data_type::DataType>(
    group: &mut Group<'_>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<()> {
    let mut column = group.next_column()?.ok_or_else(too_many_columns)?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()?;
    Ok(())
}

fn too_many_columns() -> Error {
    Error::Internal("the columns of a row group do not fit its schema".to_string())
}

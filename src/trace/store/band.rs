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
//! Within a row group, rows that came after each other share a page: a page is a short time, too.

use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescPtr;

use super::delta;
use super::dictionary::{self, Entries, LocalCodes};
use super::hashing_file::HashingFile;
use super::plain::{self, LONGEST_BOUND, NumberCodes, NumberEncoding, Texts};
use super::sparse::{Sparse, ValuesByRow};
use crate::error::{Error, Result};
use crate::model::{ContainerId, TypeId, ValueId, WorldNames};
use crate::schema::{ColumnType, ExtraColumn};

/// What the codes of a column stand for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeNames {
    Container,
    /// Codes are one more than the container; 0 is the root.
    ContainerOrRoot,
    Type,
    Value,
}

/// Which codes of [`BandRows`] a column is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Codes {
    /// Those at a place of the row.
    Place(usize),
    /// All but the lowest bit of the last code of the row.
    Depth,
    Owners,
}

/// A column of a file, and where its values are in [`BandRows`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BandColumn {
    /// The codes as numbers.
    Id(Codes),
    /// One less than the owners' codes, as numbers; 0 is the root, which is NULL.
    OwnerOrRoot,
    /// The codes as names.
    Text(Codes, CodeNames),
    Tick(usize),
    Double,
    NullableDouble,
    /// The lowest bit of the last code of the row.
    Flag,
    Key,
    Extra(usize),
}

/// What the rows of all tables have. One piece of memory, so that a row is added in one go.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandRow {
    /// The first is what rows are clustered by.
    pub codes: [u32; 4],
    pub ticks: [i64; 2],
}

/// Rows that wait for their row group. A table uses what it needs.
#[derive(Debug, Default)]
pub(super) struct BandRows {
    pub rows: Vec<BandRow>,
    /// Containers of links: 0 is the root, others are one more.
    pub owners: Vec<u32>,
    /// NaN stands for NULL in a nullable column of finite numbers.
    pub doubles: Vec<f64>,
    pub keys: Vec<u8>,
    pub key_ends: Vec<u32>,
    pub extras: Vec<Sparse>,
}

impl BandRows {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has so much text that one of its kind at a time is enough: the number of rows says nothing about that.
    pub fn is_large(&self) -> bool {
        let texts = self.extras.iter().map(|values| values.texts.size()).sum::<usize>();
        self.keys.len() + texts > LARGE_TEXTS
    }

    pub fn clear(&mut self) {
        self.rows.clear();
        self.owners.clear();
        self.doubles.clear();
        self.keys.clear();
        self.key_ends.clear();
        self.extras.iter_mut().for_each(Sparse::clear);
    }
}

/// Bytes of text that make rows large.
const LARGE_TEXTS: usize = 8 << 20;
/// Bytes of the texts of a dictionary; more are compressed.
const LARGEST_DICTIONARY: usize = 16 << 10;

/// Encodes rows; keeps its buffers from one row group to the next.
#[derive(Debug)]
pub(super) struct Encoder {
    /// Rows of a page.
    page_rows: usize,
    order: Vec<u32>,
    locals: LocalCodes,
    /// Which codes `locals` holds.
    assigned: Option<Codes>,
    number_codes: NumberCodes,
    numbers: Vec<u64>,
    /// By row: whether it has a value, or is flagged.
    present: Vec<bool>,
    /// Of the extra field at hand.
    by_row: ValuesByRow,
    codes: Vec<u32>,
}

type RowGroupWriter<'a> = SerializedRowGroupWriter<'a, HashingFile>;

impl Encoder {
    /// For pages of so many rows.
    pub fn new(page_rows: usize) -> Encoder {
        Encoder {
            page_rows,
            order: vec![],
            locals: LocalCodes::default(),
            assigned: None,
            number_codes: NumberCodes::default(),
            numbers: vec![],
            present: vec![],
            by_row: ValuesByRow::default(),
            codes: vec![],
        }
    }

    /// Writes all columns of a row group.
    pub fn write(
        &mut self,
        names: &WorldNames,
        rows: &mut BandRows,
        columns: &[BandColumn],
        descriptors: &[ColumnDescPtr],
        extras: &[ExtraColumn],
        group: &mut RowGroupWriter<'_>,
    ) -> Result<()> {
        self.cluster(&rows.rows);
        let pages = self.page_rows;
        for (column, descriptor) in columns.iter().zip(descriptors) {
            let (bytes, close) = match *column {
                BandColumn::Id(codes) => {
                    self.assign(rows, codes);
                    dictionary::encode(descriptor, &mut self.locals, &Entries::Code, None, pages)?
                }
                BandColumn::Text(codes, kind) => {
                    self.assign(rows, codes);
                    let text = |code| name_of(names, kind, code);
                    dictionary::encode(descriptor, &mut self.locals, &Entries::Text(&text), None, pages)?
                }
                BandColumn::OwnerOrRoot => {
                    let owners = || self.order.iter().map(|row| rows.owners[*row as usize]);
                    self.present.clear();
                    self.present.extend(owners().map(|owner| owner != 0));
                    let there: Vec<u32> = owners().filter(|owner| *owner != 0).map(|owner| owner - 1).collect();
                    self.locals.assign(there.into_iter());
                    self.assigned = None;
                    dictionary::encode(descriptor, &mut self.locals, &Entries::Code, Some(&self.present), pages)?
                }
                BandColumn::Tick(tick) => {
                    delta::encode(descriptor, self.order.iter().map(|row| rows.rows[*row as usize].ticks[tick]), pages)?
                }
                BandColumn::Double => {
                    self.numbers.clear();
                    self.numbers.extend(self.order.iter().map(|row| rows.doubles[*row as usize].to_bits()));
                    plain::encode_numbers(
                        descriptor,
                        &mut self.number_codes,
                        &self.numbers,
                        NumberEncoding::Float,
                        None,
                        pages,
                    )?
                }
                BandColumn::NullableDouble => {
                    let doubles = self.order.iter().map(|row| rows.doubles[*row as usize]);
                    let values = doubles.map(|double| (!double.is_nan()).then_some(double.to_bits()));
                    split(values, &mut self.numbers, &mut self.present);
                    self.numbers(NumberEncoding::Float, descriptor)?
                }
                BandColumn::Flag => {
                    self.present.clear();
                    self.present.extend(self.order.iter().map(|row| rows.rows[*row as usize].codes[3] & 1 == 1));
                    plain::encode_flags(descriptor, &self.present, pages)?
                }
                BandColumn::Key => {
                    let texts = Texts { bytes: &rows.keys, ends: &rows.key_ends };
                    plain::encode_texts(descriptor, texts, &self.order, pages)?
                }
                BandColumn::Extra(extra) => {
                    if rows.extras.len() <= extra {
                        rows.extras.resize_with(extra + 1, Sparse::default);
                    }
                    let values = &mut rows.extras[extra];
                    match meaning(extras[extra].kind) {
                        Some(meaning) => self.extra_numbers(values, meaning, descriptor)?,
                        None => match self.extra_texts(values, descriptor)? {
                            Some(encoded) => encoded,
                            None => {
                                self.long_texts(values, group)?;
                                continue;
                            }
                        },
                    }
                }
            };
            group.append_column(&bytes, close)?;
        }
        Ok(())
    }

    /// Orders the rows of each page by container, keeping their order within each: a counting sort.
    fn cluster(&mut self, rows: &[BandRow]) {
        self.locals.assign(rows.iter().map(|row| row.codes[0]));
        let mut distinct: Vec<(u32, u32)> = self.locals.distinct.iter().copied().zip(0..).collect();
        distinct.sort_unstable();
        let mut ranks = vec![0_u32; distinct.len()];
        for (rank, (_, local)) in (0..).zip(&distinct) {
            ranks[*local as usize] = rank;
        }
        self.order.clear();
        self.order.resize(rows.len(), 0);
        let mut runs = vec![];
        let mut places = vec![];
        for (page, locals) in self.locals.locals.chunks_mut(self.page_rows).enumerate() {
            let first = page * self.page_rows;
            places.clear();
            places.resize(distinct.len(), 0_u32);
            for local in locals.iter_mut() {
                *local = ranks[*local as usize];
                places[*local as usize] += 1;
            }
            // Counts become the places where the rows of each container begin.
            let mut next = first as u32;
            for (rank, place) in (0..).zip(&mut places) {
                let count = std::mem::replace(place, next);
                next += count;
                if count > 0 {
                    runs.push((rank, count));
                }
            }
            for (row, local) in (first as u32..).zip(locals.iter()) {
                let place = &mut places[*local as usize];
                self.order[*place as usize] = row;
                *place += 1;
            }
        }
        self.locals.assign_runs(distinct.into_iter().map(|(code, _)| code), &runs);
        self.assigned = Some(Codes::Place(0));
    }

    /// Numbers the codes of a column, unless the column before had the same ones.
    fn assign(&mut self, rows: &BandRows, codes: Codes) {
        if self.assigned == Some(codes) {
            return;
        }
        let order = self.order.iter().map(|row| *row as usize);
        match codes {
            Codes::Place(place) => self.locals.assign(order.map(|row| rows.rows[row].codes[place])),
            Codes::Depth => self.locals.assign(order.map(|row| rows.rows[row].codes[3] >> 1)),
            Codes::Owners => self.locals.assign(order.map(|row| rows.owners[row])),
        }
        self.assigned = Some(codes);
    }

    /// Encodes the numbers of the rows that are present.
    fn numbers(&mut self, meaning: NumberEncoding, descriptor: &ColumnDescPtr) -> Result<EncodedBand> {
        Ok(plain::encode_numbers(
            descriptor,
            &mut self.number_codes,
            &self.numbers,
            meaning,
            Some(&self.present),
            self.page_rows,
        )?)
    }

    fn extra_numbers(
        &mut self,
        values: &Sparse,
        meaning: NumberEncoding,
        descriptor: &ColumnDescPtr,
    ) -> Result<EncodedBand> {
        values.numbers(self.order.len(), meaning, &mut self.by_row);
        self.by_row.in_order(&self.order, &mut self.present, &mut self.numbers, |bits| bits);
        self.numbers(meaning, descriptor)
    }

    /// Encodes texts with a dictionary; `None` where they hardly repeat or are long.
    fn extra_texts(&mut self, values: &mut Sparse, descriptor: &ColumnDescPtr) -> Result<Option<EncodedBand>> {
        values.text_codes(self.order.len(), &mut self.by_row);
        self.by_row.in_order(&self.order, &mut self.present, &mut self.codes, |bits| bits as u32);
        let (texts, different) = (&values.texts, values.texts.len());
        let is_short = |code| texts.text(code).len() <= LONGEST_BOUND;
        if texts.size() > LARGEST_DICTIONARY
            || different * 4 > self.codes.len().max(64)
            || !(0..different as u32).all(is_short)
        {
            return Ok(None);
        }
        self.locals.assign(self.codes.iter().copied());
        self.assigned = None;
        let text = |code| std::str::from_utf8(texts.text(code)).unwrap_or_default();
        let entries = Entries::Text(&text);
        Ok(Some(dictionary::encode(descriptor, &mut self.locals, &entries, Some(&self.present), self.page_rows)?))
    }

    /// Writes the texts that [`Encoder::extra_texts`] has found through the library's own encoders, which compress.
    fn long_texts(&mut self, values: &Sparse, group: &mut RowGroupWriter<'_>) -> Result<()> {
        let levels: Vec<i16> = self.present.iter().map(|has_value| i16::from(*has_value)).collect();
        let different = 0..values.texts.len() as u32;
        let different: Vec<ByteArray> =
            different.map(|code| ByteArray::from(values.texts.text(code).to_vec())).collect();
        let texts: Vec<ByteArray> = self.codes.iter().map(|code| different[*code as usize].clone()).collect();
        let mut column = group.next_column()?.ok_or_else(too_many_columns)?;
        column.typed::<ByteArrayType>().write_batch(&texts, Some(&levels), None)?;
        column.close()?;
        Ok(())
    }
}

type EncodedBand = (bytes::Bytes, parquet::column::writer::ColumnCloseResult);

/// Splits values into those that are there, and which they are.
fn split(values: impl Iterator<Item = Option<u64>>, there: &mut Vec<u64>, present: &mut Vec<bool>) {
    there.clear();
    present.clear();
    for value in values {
        present.push(value.is_some());
        there.extend(value);
    }
}

/// How the numbers of an extra column are meant; `None` for text.
fn meaning(kind: ColumnType) -> Option<NumberEncoding> {
    match kind {
        ColumnType::BigInt => Some(NumberEncoding::Signed),
        ColumnType::UBigInt => Some(NumberEncoding::Unsigned),
        ColumnType::Double => Some(NumberEncoding::Float),
        _ => None,
    }
}

fn name_of(names: &WorldNames, kind: CodeNames, code: u32) -> &str {
    match kind {
        CodeNames::Container => names.container_name(ContainerId(code)),
        CodeNames::ContainerOrRoot => names.container_name(ContainerId(code.wrapping_sub(1))),
        CodeNames::Type => names.type_name(TypeId(code)),
        CodeNames::Value => names.value_name(ValueId(code)),
    }
}

fn too_many_columns() -> Error {
    Error::Internal("the columns of a row group do not fit its schema".to_string())
}

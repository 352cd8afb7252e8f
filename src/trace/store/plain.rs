//! Numbers, flags and keys: columns whose values no code stands for.
//!
//! Numbers of eight bytes get a dictionary while they repeat, and else stand as they are (`PLAIN`).
//! Flags are bits (`PLAIN`); keys are their lengths and then their bytes (`DELTA_LENGTH_BYTE_ARRAY`).

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use super::chunk::{Chunk, PageSlice, pack_bits, page_slices};
use super::delta::delta_page;
use super::dictionary::{bit_width, data_page};

/// The bytes of a column chunk, and its metadata.
type EncodedColumn = Result<(Bytes, ColumnCloseResult), ParquetError>;

/// How the eight bytes of a number are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NumberEncoding {
    Signed,
    Unsigned,
    Float,
}

impl NumberEncoding {
    /// A number of the same order; `None` for what has no place in it.
    #[inline(always)]
    fn rank(self, bits: u64) -> Option<u64> {
        const SIGN: u64 = 1 << 63;
        match self {
            NumberEncoding::Unsigned => Some(bits),
            NumberEncoding::Signed => Some(bits ^ SIGN),
            NumberEncoding::Float if f64::from_bits(bits).is_nan() => None,
            // Negative numbers the other way round; -0 before +0.
            NumberEncoding::Float => Some(if bits & SIGN == 0 { bits | SIGN } else { !bits }),
        }
    }

    fn bits(self, rank: u64) -> u64 {
        const SIGN: u64 = 1 << 63;
        match self {
            NumberEncoding::Unsigned => rank,
            NumberEncoding::Signed => rank ^ SIGN,
            NumberEncoding::Float => {
                if rank & SIGN == 0 {
                    !rank
                } else {
                    rank & !SIGN
                }
            }
        }
    }

    /// Smallest and largest number.
    fn bounds(self, numbers: &[u64]) -> Option<(u64, u64)> {
        let ranks = numbers.iter().filter_map(|bits| self.rank(*bits));
        let (low, high) = ranks.fold((u64::MAX, 0), |(low, high), rank| (low.min(rank), high.max(rank)));
        (low <= high).then(|| (self.bits(low), self.bits(high)))
    }

    fn statistics(self, bounds: Option<(u64, u64)>, nulls: u64) -> Statistics {
        let (low, high) = bounds.unzip();
        match self {
            NumberEncoding::Float => {
                Statistics::double(low.map(f64::from_bits), high.map(f64::from_bits), None, Some(nulls), false)
            }
            _ => Statistics::int64(low.map(|low| low as i64), high.map(|high| high as i64), None, Some(nulls), false),
        }
    }
}

const SLOTS: usize = 4096;
/// A dictionary of more entries saves little.
const MOST_ENTRIES: usize = SLOTS / 2;

/// Numbers the different numbers of a row group.
#[derive(Debug, Default)]
pub(super) struct NumberCodes {
    /// Number, row group, and place in `distinct`; a number stands in the first free slot from its hash on.
    slots: Vec<(u64, u32, u32)>,
    group: u32,
    distinct: Vec<u64>,
    locals: Vec<u32>,
}

impl NumberCodes {
    /// Tells whether the numbers are few enough for a dictionary.
    fn assign(&mut self, numbers: &[u64]) -> bool {
        self.distinct.clear();
        self.locals.clear();
        if self.slots.is_empty() || self.group == u32::MAX {
            self.slots = vec![(0, 0, 0); SLOTS];
            self.group = 0;
        }
        self.group += 1;
        self.locals.reserve(numbers.len());
        for number in numbers {
            match self.local(*number) {
                Some(local) => self.locals.push(local),
                None => return false,
            }
        }
        !numbers.is_empty()
    }

    #[inline(always)]
    fn local(&mut self, number: u64) -> Option<u32> {
        let mut place = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize;
        loop {
            let (known, group, local) = self.slots[place % SLOTS];
            if group != self.group {
                return self.add(number, place % SLOTS);
            }
            if known == number {
                return Some(local);
            }
            place += 1;
        }
    }

    #[cold]
    fn add(&mut self, number: u64, place: usize) -> Option<u32> {
        let local = self.distinct.len();
        if local == MOST_ENTRIES {
            return None;
        }
        self.distinct.push(number);
        self.slots[place] = (number, self.group, local as u32);
        Some(local as u32)
    }
}

/// Encodes a column of numbers of eight bytes. `present` marks which rows have one, in a column that
/// may be NULL.
pub(super) fn encode_numbers(
    descriptor: &ColumnDescPtr,
    codes: &mut NumberCodes,
    numbers: &[u64],
    meaning: NumberEncoding,
    present: Option<&[bool]>,
    page_rows: usize,
) -> EncodedColumn {
    let rows = present.map_or(numbers.len(), <[bool]>::len);
    let mut chunk = Chunk::new(descriptor.clone());
    let has_dictionary = codes.assign(numbers);
    if has_dictionary {
        chunk.dictionary(plain_page(&codes.distinct), codes.distinct.len())?;
    }
    let width = bit_width(codes.distinct.len());
    for slice in page_slices(rows, present, page_rows) {
        let (page, encoding) = match has_dictionary {
            true => (data_page(&codes.locals[slice.values.clone()], width), Encoding::RLE_DICTIONARY),
            false => (plain_page(&numbers[slice.values.clone()]), Encoding::PLAIN),
        };
        let bounds = meaning.bounds(&numbers[slice.values.clone()]);
        let bounds = bounds.map(|(low, high)| (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec()));
        chunk.data(&slice, page, encoding, bounds)?;
    }
    let bounds = meaning.bounds(if has_dictionary { &codes.distinct } else { numbers });
    chunk.finish(meaning.statistics(bounds, (rows - numbers.len()) as u64))
}

fn plain_page(numbers: &[u64]) -> Bytes {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>().into()
}

/// Encodes a required column of flags.
pub(super) fn encode_flags(descriptor: &ColumnDescPtr, flags: &[bool], page_rows: usize) -> EncodedColumn {
    let mut chunk = Chunk::new(descriptor.clone());
    let bounds = |flags: &[bool]| (flags.iter().all(|flag| *flag), flags.contains(&true));
    for slice in page_slices(flags.len(), None, page_rows) {
        let flags = &flags[slice.values.clone()];
        let page: Vec<u8> = flags.chunks(8).map(pack_bits).collect();
        let (low, high) = bounds(flags);
        chunk.data(&slice, page.into(), Encoding::PLAIN, Some((vec![u8::from(low)], vec![u8::from(high)])))?;
    }
    let (low, high) = bounds(flags);
    chunk.finish(Statistics::boolean(Some(low), Some(high), None, Some(0), false))
}

/// Texts one after the other, with the end of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Texts<'a> {
    pub bytes: &'a [u8],
    pub ends: &'a [u32],
}

impl<'a> Texts<'a> {
    #[inline(always)]
    fn get(self, row: u32) -> &'a [u8] {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        &self.bytes[start..self.ends[row] as usize]
    }
}

/// Longer bounds would only make the footer larger.
pub(super) const LONGEST_BOUND: usize = 64;

/// Encodes a required column of texts, in the order of the rows given.
pub(super) fn encode_texts(
    descriptor: &ColumnDescPtr,
    texts: Texts<'_>,
    order: &[u32],
    page_rows: usize,
) -> EncodedColumn {
    let mut chunk = Chunk::new(descriptor.clone());
    let mut page = vec![];
    for slice in page_slices(order.len(), None, page_rows) {
        text_page(&mut page, texts, &order[slice.values.clone()], &slice);
        chunk.data(&slice, Bytes::copy_from_slice(&page), Encoding::DELTA_LENGTH_BYTE_ARRAY, None)?;
    }
    let bounds = text_bounds(texts, order).filter(|(low, high)| low.len().max(high.len()) <= LONGEST_BOUND);
    let (low, high) = bounds.map(|(low, high)| (low.to_vec(), high.to_vec())).unzip();
    chunk.finish(Statistics::byte_array(low.map(ByteArray::from), high.map(ByteArray::from), None, Some(0), false))
}

fn text_page(page: &mut Vec<u8>, texts: Texts<'_>, order: &[u32], slice: &PageSlice) {
    page.clear();
    delta_page(page, &mut order.iter().map(|row| texts.get(*row).len() as i64), slice.rows);
    for row in order {
        page.extend_from_slice(texts.get(*row));
    }
}

/// The first and the last text by their bytes. Most differ in their first eight.
fn text_bounds<'a>(texts: Texts<'a>, order: &[u32]) -> Option<(&'a [u8], &'a [u8])> {
    let first = texts.get(*order.first()?);
    let (mut low, mut high) = ((prefix(first), first), (prefix(first), first));
    for row in order {
        let text = texts.get(*row);
        let candidate = (prefix(text), text);
        if candidate.0 <= low.0 && candidate < low {
            low = candidate;
        }
        if candidate.0 >= high.0 && candidate > high {
            high = candidate;
        }
    }
    Some((low.1, high.1))
}

#[inline(always)]
fn prefix(text: &[u8]) -> u64 {
    match text.first_chunk() {
        Some(bytes) => u64::from_be_bytes(*bytes),
        None => text.iter().fold(0, |prefix, byte| prefix << 8 | u64::from(*byte)) << (64 - 8 * text.len().max(1)),
    }
}

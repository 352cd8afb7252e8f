//! Dictionary columns from codes that are known already.
//!
//! The simulator has numbered every container, type and value. The Parquet library would hash each
//! value of each row again to find its place in the dictionary (about 20 ns a value); here a table
//! look-up and the run-length encoding do it in one or two.
//!
//! ```text
//! chunk = dictionary page (PLAIN) , data page { data page }
//! data page = bit width (1 byte) , { run }                            RLE_DICTIONARY, version 1
//! run = varint(count << 1) value | varint(groups << 1 | 1) packed     8 values a group
//! ```

use bytes::Bytes;
use parquet::basic::{Encoding, Type as PhysicalType};
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use super::chunk::{Chunk, PageSlice, page_slices, write_varint};

/// Codes of a row group, numbered by first appearance.
#[derive(Debug, Default)]
pub(super) struct LocalCodes {
    /// By row: the place in `distinct`.
    pub locals: Vec<u32>,
    /// The codes that occur.
    pub distinct: Vec<u32>,
    /// The data pages, once they were asked for: the columns of id and of name share them.
    pages: Vec<Bytes>,
    /// By code: the row group in which it was last seen, and its place there.
    seen: Vec<(u32, u32)>,
    group: u32,
}

impl LocalCodes {
    /// Numbers the codes of a new row group.
    pub fn assign(&mut self, codes: impl ExactSizeIterator<Item = u32>) {
        self.distinct.clear();
        self.pages.clear();
        if self.group == u32::MAX {
            self.seen.clear();
            self.group = 0;
        }
        self.group += 1;
        let mut locals = std::mem::take(&mut self.locals);
        locals.clear();
        locals.extend(codes.map(|code| self.local(code)));
        self.locals = locals;
    }

    /// Takes the codes of a new row group in runs: each the place of a code, and its number of repetitions.
    pub fn assign_runs(&mut self, distinct: impl Iterator<Item = u32>, runs: &[(u32, u32)]) {
        self.distinct.clear();
        self.distinct.extend(distinct);
        self.pages.clear();
        self.locals.clear();
        for (local, count) in runs {
            self.locals.extend(std::iter::repeat_n(*local, *count as usize));
        }
    }

    fn encode_pages(&mut self, slices: &[PageSlice]) {
        if self.pages.is_empty() {
            let width = bit_width(self.distinct.len());
            self.pages.extend(slices.iter().map(|slice| data_page(&self.locals[slice.values.clone()], width)));
        }
    }

    #[inline(always)]
    fn local(&mut self, code: u32) -> u32 {
        let index = code as usize;
        match self.seen.get(index) {
            Some((group, local)) if *group == self.group => *local,
            _ => self.add(code),
        }
    }

    #[cold]
    fn add(&mut self, code: u32) -> u32 {
        let index = code as usize;
        if index >= self.seen.len() {
            self.seen.resize((index + 1).next_power_of_two(), (0, 0));
        }
        let local = self.distinct.len() as u32;
        self.distinct.push(code);
        self.seen[index] = (self.group, local);
        local
    }
}

/// What the codes of a column stand for.
pub(super) enum Entries<'a, 'w> {
    Text(&'a dyn Fn(u32) -> &'w str),
    /// The code itself, as a number.
    Code,
}

/// Encodes a dictionary column: the bytes of its chunk, and its metadata. `present` marks which rows
/// have a code, in a column that may be NULL.
pub(super) fn encode(
    descriptor: &ColumnDescPtr,
    codes: &mut LocalCodes,
    entries: &Entries<'_, '_>,
    present: Option<&[bool]>,
    page_rows: usize,
) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
    let rows = present.map_or(codes.locals.len(), <[bool]>::len);
    let slices = page_slices(rows, present, page_rows);
    codes.encode_pages(&slices);
    let mut chunk = Chunk::new(descriptor.clone());
    chunk.dictionary(dictionary_page(&codes.distinct, entries), codes.distinct.len())?;
    let (smallest, largest) = bounds(&codes.distinct, entries);
    let is_one_page = codes.pages.len() == 1;
    for (page, slice) in codes.pages.iter().zip(&slices) {
        let locals = &codes.locals[slice.values.clone()];
        let bounds = match entries {
            Entries::Code if !is_one_page => code_bounds(locals.iter().map(|local| codes.distinct[*local as usize])),
            _ => (smallest.clone(), largest.clone()),
        };
        let bounds = (!locals.is_empty()).then_some(bounds);
        chunk.data(slice, page.clone(), Encoding::RLE_DICTIONARY, bounds)?;
    }
    let nulls = (rows - codes.locals.len()) as u64;
    let bounds = (!codes.distinct.is_empty()).then_some((smallest, largest));
    chunk.finish(statistics(descriptor.physical_type(), bounds, nulls))
}

fn dictionary_page(distinct: &[u32], entries: &Entries<'_, '_>) -> Bytes {
    let mut page = Vec::with_capacity(distinct.len() * 16);
    for code in distinct {
        match entries {
            Entries::Text(text) => {
                let text = text(*code);
                page.extend_from_slice(&(text.len() as u32).to_le_bytes());
                page.extend_from_slice(text.as_bytes());
            }
            Entries::Code => page.extend_from_slice(&(*code as i32).to_le_bytes()),
        }
    }
    page.into()
}

/// Smallest and largest entry, as Parquet writes them.
fn bounds(distinct: &[u32], entries: &Entries<'_, '_>) -> (Vec<u8>, Vec<u8>) {
    match entries {
        Entries::Text(text) => {
            let smallest = distinct.iter().map(|code| text(*code)).min().unwrap_or_default();
            let largest = distinct.iter().map(|code| text(*code)).max().unwrap_or_default();
            (smallest.as_bytes().to_vec(), largest.as_bytes().to_vec())
        }
        Entries::Code => code_bounds(distinct.iter().copied()),
    }
}

fn code_bounds(codes: impl Iterator<Item = u32>) -> (Vec<u8>, Vec<u8>) {
    let (low, high) = codes.fold((u32::MAX, 0), |(low, high), code| (low.min(code), high.max(code)));
    ((low as i32).to_le_bytes().to_vec(), (high as i32).to_le_bytes().to_vec())
}

fn statistics(physical: PhysicalType, bounds: Option<(Vec<u8>, Vec<u8>)>, nulls: u64) -> Statistics {
    let number = |bytes: Vec<u8>| bytes.try_into().ok().map(i32::from_le_bytes);
    let (smallest, largest) = bounds.unzip();
    match physical {
        PhysicalType::INT32 => {
            Statistics::int32(smallest.and_then(number), largest.and_then(number), None, Some(nulls), false)
        }
        _ => Statistics::byte_array(
            smallest.map(ByteArray::from),
            largest.map(ByteArray::from),
            None,
            Some(nulls),
            false,
        ),
    }
}

/// Bits of the largest place in a dictionary; at least one, which every reader understands.
pub(super) fn bit_width(entries: usize) -> u32 {
    (usize::BITS - entries.saturating_sub(1).leading_zeros()).max(1)
}

pub(super) fn data_page(locals: &[u32], width: u32) -> Bytes {
    let mut page = Vec::with_capacity(locals.len() * width as usize / 8 + 16);
    page.push(width as u8);
    let mut literals = 0;
    let mut at = 0;
    while at < locals.len() {
        let run = run_length(&locals[at..]);
        if run < 8 {
            at = (at + 8).min(locals.len());
            continue;
        }
        write_literals(&mut page, &locals[literals..at], width);
        write_varint(&mut page, (run as u64) << 1);
        page.extend_from_slice(&locals[at].to_le_bytes()[..width.div_ceil(8) as usize]);
        at += run;
        literals = at;
    }
    write_literals(&mut page, &locals[literals..], width);
    page.into()
}

#[inline]
fn run_length(locals: &[u32]) -> usize {
    let first = locals[0];
    locals.iter().position(|local| *local != first).unwrap_or(locals.len())
}

fn write_literals(page: &mut Vec<u8>, locals: &[u32], width: u32) {
    if locals.is_empty() {
        return;
    }
    write_varint(page, (locals.len().div_ceil(8) as u64) << 1 | 1);
    for group in locals.chunks(8) {
        let mut bits: u64 = 0;
        let mut filled = 0;
        let start = page.len();
        for local in group {
            bits |= u64::from(*local) << filled;
            filled += width;
            while filled >= 32 {
                page.extend_from_slice(&(bits as u32).to_le_bytes());
                bits >>= 32;
                filled -= 32;
            }
        }
        page.extend_from_slice(&(bits as u32).to_le_bytes());
        page.resize(start + width as usize, 0);
    }
}

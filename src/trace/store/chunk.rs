//! A column chunk put together from pages that were encoded here and not by the Parquet library.
//!
//! Pages are of version 1 and uncompressed. In a column that may be NULL, levels mark which rows have a
//! value, before the values:
//!
//! ```text
//! page   = [ levels ] , values
//! levels = length (4 bytes) , run                             RLE, one bit a row
//! ```

use std::ops::Range;

use bytes::Bytes;
use parquet::basic::{BoundaryOrder, Compression, Encoding, PageType};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::Result;
use parquet::file::metadata::{ColumnChunkMetaData, ColumnIndexBuilder, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::statistics::Statistics;
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;

/// Rows of a data page: few, so that a question about an instant reads little; not so few that pages cost more than rows.
pub(super) const PAGE_ROWS: usize = 4 << 10;

/// A chunk that pages are added to.
pub(super) struct Chunk {
    descriptor: ColumnDescPtr,
    sink: TrackedWrite<Vec<u8>>,
    column_index: ColumnIndexBuilder,
    offset_index: OffsetIndexBuilder,
    dictionary_offset: Option<i64>,
    first_data_page: Option<i64>,
    encoding: Encoding,
    pages: i32,
    rows: usize,
    /// Whether all pages recorded the bounds of their values.
    is_bounded: bool,
}

/// A data page to be: how many rows it has, which of the values are theirs, and the levels before them.
pub(super) struct PageSlice {
    pub rows: usize,
    pub values: Range<usize>,
    levels: Vec<u8>,
}

/// Cuts a column into pages of so many rows. `present` marks which rows have a value, in a column that may be NULL.
pub(super) fn page_slices(rows: usize, present: Option<&[bool]>, page_rows: usize) -> Vec<PageSlice> {
    let mut slices = vec![];
    let mut value = 0;
    for start in (0..rows).step_by(page_rows) {
        let end = rows.min(start + page_rows);
        let (levels, values) = match present {
            Some(present) => levels(&present[start..end]),
            None => (vec![], end - start),
        };
        slices.push(PageSlice { rows: end - start, values: value..value + values, levels });
        value += values;
    }
    slices
}

/// The levels of a page, and how many of its rows have a value.
fn levels(present: &[bool]) -> (Vec<u8>, usize) {
    let count = present.iter().filter(|is_there| **is_there).count();
    let mut levels = vec![0; 4];
    if count == 0 || count == present.len() {
        write_varint(&mut levels, (present.len() as u64) << 1);
        levels.push(u8::from(count > 0));
    } else {
        write_varint(&mut levels, (present.len().div_ceil(8) as u64) << 1 | 1);
        levels.extend(present.chunks(8).map(pack_bits));
    }
    let len = levels.len() as u32 - 4;
    levels[..4].copy_from_slice(&len.to_le_bytes());
    (levels, count)
}

/// Up to eight bits, the first the lowest.
#[inline(always)]
pub(super) fn pack_bits(bits: &[bool]) -> u8 {
    bits.iter().enumerate().fold(0, |byte, (place, bit)| byte | u8::from(*bit) << place)
}

impl Chunk {
    pub fn new(descriptor: ColumnDescPtr) -> Chunk {
        Chunk {
            column_index: ColumnIndexBuilder::new(descriptor.physical_type()),
            descriptor,
            sink: TrackedWrite::new(Vec::new()),
            offset_index: OffsetIndexBuilder::new(),
            dictionary_offset: None,
            first_data_page: None,
            encoding: Encoding::PLAIN,
            pages: 0,
            rows: 0,
            is_bounded: true,
        }
    }

    /// Adds the dictionary; it comes first.
    pub fn dictionary(&mut self, page: Bytes, entries: usize) -> Result<()> {
        let spec = self.write(Page::DictionaryPage {
            buf: page,
            num_values: entries as u32,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        })?;
        self.dictionary_offset = Some(spec.offset as i64);
        Ok(())
    }

    /// Adds a data page, with the bounds of its values as Parquet writes them, where they are known.
    pub fn data(
        &mut self,
        slice: &PageSlice,
        values: Bytes,
        encoding: Encoding,
        bounds: Option<(Vec<u8>, Vec<u8>)>,
    ) -> Result<()> {
        let page = if slice.levels.is_empty() { values } else { [&slice.levels, &values[..]].concat().into() };
        let spec = self.write(Page::DataPage {
            buf: page,
            num_values: slice.rows as u32,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        })?;
        self.encoding = encoding;
        self.first_data_page.get_or_insert(spec.offset as i64);
        let nulls = (slice.rows - slice.values.len()) as i64;
        match bounds {
            Some((low, high)) => self.column_index.append(false, low, high, nulls),
            None if slice.values.is_empty() => self.column_index.append(true, vec![], vec![], nulls),
            None => self.is_bounded = false,
        }
        self.offset_index.append_offset_and_size(spec.offset as i64, spec.compressed_size as i32);
        self.offset_index.append_row_count(slice.rows as i64);
        self.pages += 1;
        self.rows += slice.rows;
        Ok(())
    }

    fn write(&mut self, page: Page) -> Result<PageWriteSpec> {
        let size = page.buffer().len();
        SerializedPageWriter::new(&mut self.sink).write_page(CompressedPage::new(page, size))
    }

    /// The bytes of the chunk, and what the row group must know of it.
    pub fn finish(mut self, statistics: Statistics) -> Result<(Bytes, ColumnCloseResult)> {
        self.column_index.set_boundary_order(BoundaryOrder::UNORDERED);
        let bytes = Bytes::from(self.sink.into_inner()?);
        let stats = |page_type, encoding, count| PageEncodingStats { page_type, encoding, count };
        let mut encodings = vec![Encoding::RLE, self.encoding];
        let mut page_stats = vec![stats(PageType::DATA_PAGE, self.encoding, self.pages)];
        if self.dictionary_offset.is_some() {
            encodings.push(Encoding::PLAIN);
            page_stats.insert(0, stats(PageType::DICTIONARY_PAGE, Encoding::PLAIN, 1));
        }
        let metadata = ColumnChunkMetaData::builder(self.descriptor)
            .set_encodings(encodings)
            .set_page_encoding_stats(page_stats)
            .set_compression(Compression::UNCOMPRESSED)
            .set_num_values(self.rows as i64)
            .set_total_compressed_size(bytes.len() as i64)
            .set_total_uncompressed_size(bytes.len() as i64)
            .set_dictionary_page_offset(self.dictionary_offset)
            .set_data_page_offset(self.first_data_page.unwrap_or(0))
            .set_statistics(statistics)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: bytes.len() as u64,
            rows_written: self.rows as u64,
            metadata,
            bloom_filter: None,
            column_index: if self.is_bounded { Some(self.column_index.build()?) } else { None },
            offset_index: Some(self.offset_index.build()),
        };
        Ok((bytes, close))
    }
}

/// Writes a number seven bits at a time, the lowest first.
pub(super) fn write_varint(page: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        page.push(value as u8 | 0x80);
        value >>= 7;
    }
    page.push(value as u8);
}

#[cfg(test)]
mod tests;

//! Ticks as packed differences: `DELTA_BINARY_PACKED`, a fifth of the library's instructions.
//!
//! ```text
//! page  = block size , miniblocks a block , count , zigzag first value , { block }
//! block = zigzag smallest difference , a bit width per miniblock , { miniblock }
//! ```
//! A block holds 128 differences in four miniblocks; each stores the differences above the smallest,
//! in as many bits as its largest needs. The last miniblock is filled up with zeros; those behind it
//! have width 0.

use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::statistics::Statistics;
use parquet::schema::types::ColumnDescPtr;

use super::chunk::{Chunk, page_slices, write_varint};

const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Encodes a required column of 64-bit integers: the bytes of its chunk, and its metadata.
pub(super) fn encode(
    descriptor: &ColumnDescPtr,
    mut values: impl ExactSizeIterator<Item = i64>,
    page_rows: usize,
) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
    let mut chunk = Chunk::new(descriptor.clone());
    let (mut smallest, mut largest) = (i64::MAX, i64::MIN);
    for slice in page_slices(values.len(), None, page_rows) {
        let mut page = Vec::with_capacity(slice.rows * 4 + 32);
        let (low, high) = delta_page(&mut page, &mut values, slice.rows);
        (smallest, largest) = (smallest.min(low), largest.max(high));
        let bounds = (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec());
        chunk.data(&slice, page.into(), Encoding::DELTA_BINARY_PACKED, Some(bounds))?;
    }
    chunk.finish(Statistics::int64(Some(smallest), Some(largest), None, Some(0), false))
}

/// Writes the next `count` values; gives the smallest and the largest.
pub(super) fn delta_page(page: &mut Vec<u8>, values: &mut impl Iterator<Item = i64>, count: usize) -> (i64, i64) {
    let mut last = values.next().unwrap_or(0);
    let (mut low, mut high) = (last, last);
    write_varint(page, BLOCK as u64);
    write_varint(page, (BLOCK / MINIBLOCK) as u64);
    write_varint(page, count as u64);
    write_varint(page, zigzag(last));
    let mut left = count.saturating_sub(1);
    while left > 0 {
        let count = left.min(BLOCK);
        let mut differences = [0_i64; BLOCK];
        let mut smallest = i64::MAX;
        // One pass for everything: values come from all over the memory.
        for (difference, value) in differences[..count].iter_mut().zip(&mut *values) {
            low = low.min(value);
            high = high.max(value);
            *difference = value.wrapping_sub(last);
            smallest = smallest.min(*difference);
            last = value;
        }
        write_block(page, &differences, count, smallest);
        left -= count;
    }
    (low, high)
}

fn write_block(page: &mut Vec<u8>, differences: &[i64; BLOCK], count: usize, smallest: i64) {
    write_varint(page, zigzag(smallest));
    let mut above = differences.map(|difference| difference.wrapping_sub(smallest) as u64);
    above[count..].fill(0);
    let widths = page.len();
    page.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
    for (index, miniblock) in above.as_chunks::<MINIBLOCK>().0.iter().enumerate() {
        if index * MINIBLOCK < count {
            let all = miniblock.iter().fold(0, |all, value| all | value);
            let width = u64::BITS - all.leading_zeros();
            page[widths + index] = width as u8;
            pack(page, miniblock, width);
        }
    }
}

/// Packs 32 values of `width` bits, the lowest bits first.
fn pack(page: &mut Vec<u8>, values: &[u64; MINIBLOCK], width: u32) {
    let mut words = [0; MINIBLOCK];
    if width <= 32 {
        // Two values fit into one word, and halve the steps.
        let pairs: [u64; MINIBLOCK / 2] = std::array::from_fn(|pair| values[2 * pair] | values[2 * pair + 1] << width);
        pack_words(&mut words, &pairs, 2 * width);
    } else {
        pack_words(&mut words, values, width);
    }
    let end = page.len() + width as usize * MINIBLOCK / 8;
    for word in &words[..width.div_ceil(2) as usize] {
        page.extend_from_slice(&word.to_le_bytes());
    }
    page.truncate(end);
}

#[inline(always)]
fn pack_words(words: &mut [u64; MINIBLOCK], values: &[u64], width: u32) {
    let (mut bits, mut filled, mut next) = (0, 0, 0);
    for value in values {
        bits |= value << filled;
        let free = u64::BITS - filled;
        if width < free {
            filled += width;
            continue;
        }
        words[next % MINIBLOCK] = bits;
        next += 1;
        // All 64 bits may be gone.
        bits = (value >> 1) >> (free - 1);
        filled = width - free;
    }
    if filled > 0 {
        words[next % MINIBLOCK] = bits;
    }
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

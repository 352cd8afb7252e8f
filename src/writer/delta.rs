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

use super::chunk::{Chunk, PAGE_ROWS, write_varint};

const BLOCK: usize = 128;
const MINIBLOCK: usize = 32;

/// Encodes a required column of 64-bit integers: the bytes of its chunk, and its metadata.
pub(super) fn encode(descriptor: &ColumnDescPtr, values: &[i64]) -> Result<(Bytes, ColumnCloseResult), ParquetError> {
    let mut chunk = Chunk::new(descriptor.clone());
    let (mut smallest, mut largest) = (i64::MAX, i64::MIN);
    for page in values.chunks(PAGE_ROWS) {
        let low = page.iter().copied().min().unwrap_or(0);
        let high = page.iter().copied().max().unwrap_or(0);
        (smallest, largest) = (smallest.min(low), largest.max(high));
        let (low, high) = (low.to_le_bytes().to_vec(), high.to_le_bytes().to_vec());
        chunk.data(delta_page(page), page.len(), Encoding::DELTA_BINARY_PACKED, low, high)?;
    }
    chunk.finish(Statistics::int64(Some(smallest), Some(largest), None, Some(0), false))
}

fn delta_page(values: &[i64]) -> Bytes {
    let mut page = Vec::with_capacity(values.len() * 4 + 32);
    write_varint(&mut page, BLOCK as u64);
    write_varint(&mut page, (BLOCK / MINIBLOCK) as u64);
    write_varint(&mut page, values.len() as u64);
    write_varint(&mut page, zigzag(values.first().copied().unwrap_or(0)));
    let mut at = 1;
    while at < values.len() {
        let count = (values.len() - at).min(BLOCK);
        let mut differences = [0_i64; BLOCK];
        for (place, difference) in differences[..count].iter_mut().enumerate() {
            *difference = values[at + place].wrapping_sub(values[at + place - 1]);
        }
        write_block(&mut page, &differences, count);
        at += count;
    }
    page.into()
}

fn write_block(page: &mut Vec<u8>, differences: &[i64; BLOCK], count: usize) {
    let smallest = differences[..count].iter().copied().min().unwrap_or(0);
    write_varint(page, zigzag(smallest));
    let mut above = [0_u64; BLOCK];
    for (place, difference) in above[..count].iter_mut().zip(differences) {
        *place = difference.wrapping_sub(smallest) as u64;
    }
    let widths = page.len();
    page.extend_from_slice(&[0; BLOCK / MINIBLOCK]);
    for (index, miniblock) in above.chunks(MINIBLOCK).enumerate() {
        if index * MINIBLOCK < count {
            let all = miniblock.iter().fold(0, |all, value| all | value);
            let width = u64::BITS - all.leading_zeros();
            page[widths + index] = width as u8;
            pack(page, miniblock, width);
        }
    }
}

/// Packs 32 values of `width` bits, the lowest bits first.
fn pack(page: &mut Vec<u8>, values: &[u64], width: u32) {
    let mut bits: u128 = 0;
    let mut filled = 0;
    for value in values {
        bits |= u128::from(*value) << filled;
        filled += width;
        if filled >= 64 {
            page.extend_from_slice(&(bits as u64).to_le_bytes());
            bits >>= 64;
            filled -= 64;
        }
    }
    // 32 values of an odd width leave half a word.
    page.extend_from_slice(&(bits as u64).to_le_bytes()[..filled as usize / 8]);
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

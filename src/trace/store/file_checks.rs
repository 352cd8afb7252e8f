//! Whether the bytes of a file are those that were written.
//!
//! ```text
//! file = data                      , footer (page indexes, metadata)
//!        block  block  block  blo    └──────────────┬──────────────┘
//!        └──┬─┘ └──┬─┘                one checksum, in the manifest, which has one of its own
//!     a checksum each, in the footer's metadata
//! ```
//! So a reader checks what it reads and no more: a query over a hundredth of a trace reads, and hashes, a hundredth. A
//! checksum of the whole file would make every small query read everything. The checksums that Parquet defines for
//! pages are no way out: they leave out the headers of pages, and the library does not write them. A range that is
//! asked for is widened to whole blocks, and a block that was right once is not hashed again while its footer is in
//! memory. Blocks are small beside a column of a row group, so that widening costs little, and large beside their
//! checksum: 8 bytes of 16 KiB. To hash the 14 MB of 2 million states takes 0.6 ms; a query that reads them all
//! takes 50 ms and more.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use parquet::file::metadata::{
    FileMetaData, KeyValue, PageIndexPolicy, ParquetMetaData, ParquetMetaDataBuilder, ParquetMetaDataReader,
};
use twox_hash::XxHash3_64;

use super::manifest::{FileEntry, FooterEntry};
use super::regular_file::open_in;
use crate::error::{Error, Result};

/// Bytes of a block.
pub(super) const BLOCK: u64 = 16 << 10;
/// The key of a footer's metadata that holds the checksums of blocks: their size, then 16 hexadecimal digits each.
const BLOCK_CHECKSUMS: &str = "ocellus.block_checksums";

/// The footer of a file, checked, and what it says of the file's other bytes.
#[derive(Debug)]
pub struct CheckedFooter {
    metadata: Arc<ParquetMetaData>,
    checks: Arc<FileChecks>,
}

/// What the bytes of a file are compared with.
#[derive(Debug)]
pub struct FileChecks {
    /// Of the file, for messages.
    name: String,
    bytes: u64,
    /// `None` when an older version wrote the file, without them.
    blocks: Option<BlockChecksums>,
}

#[derive(Debug)]
struct BlockChecksums {
    /// Where the footer begins.
    data: u64,
    /// Of the footer.
    footer: String,
    checksums: Vec<u64>,
    /// A bit for each block that was right.
    seen: Vec<AtomicU64>,
}

/// The checksum of a block.
pub(super) fn block_checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// What a footer says of the blocks.
pub(super) fn block_checksums_entry(checksums: &[u64]) -> KeyValue {
    let mut text = format!("{BLOCK}:");
    checksums.iter().for_each(|checksum| text.push_str(&format!("{checksum:016x}")));
    KeyValue::new(BLOCK_CHECKSUMS.to_string(), text)
}

/// The checksum of a file, as the manifest writes it.
pub fn checksum_file(path: &Path) -> Result<String> {
    let mut file = File::open(path).map_err(|e| Error::io("open", path, e))?;
    checksum(&mut file).map_err(|e| Error::io("read", path, e))
}

fn checksum(file: &mut File) -> io::Result<String> {
    let mut hasher = XxHash3_64::with_seed(0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok(format!("{:016x}", hasher.finish()));
        }
        hasher.write(&buffer[..count]);
    }
}

/// The error for a file that is not as the manifest says.
pub fn damaged(file: &str, what: impl std::fmt::Display) -> Error {
    Error::Store(format!("{file} is damaged: {what}; import the trace again (one in the cache: run the command again)"))
}

impl FileEntry {
    /// Compares the size of a file with what the manifest says.
    pub fn check_size(&self, file: &str, found: u64) -> Result<()> {
        match found == self.bytes {
            true => Ok(()),
            false => Err(damaged(file, format!("it has {found} bytes, the manifest says {}", self.bytes))),
        }
    }

    /// Compares a whole file with what the manifest says.
    pub(super) fn check_content(&self, file: &str, content: &[u8]) -> Result<()> {
        self.check_size(file, content.len() as u64)?;
        self.check_checksum(file, &format!("{:016x}", XxHash3_64::oneshot(content)))
    }

    fn check_checksum(&self, file: &str, found: &str) -> Result<()> {
        // Stores made by hand have none.
        match self.checksum.is_empty() || found == self.checksum {
            true => Ok(()),
            false => Err(damaged(file, format!("its checksum is {found}, the manifest says {}", self.checksum))),
        }
    }

    /// Compares a whole file of a folder with what the manifest says.
    pub(super) fn check_file(&self, folder: &Path) -> Result<()> {
        let path = folder.join(&self.name);
        let name = path.display().to_string();
        let failed = |e| Error::io("open", &path, e);
        let mut file = open_in(folder, &self.name).map_err(failed)?;
        self.check_size(&name, file.metadata().map_err(failed)?.len())?;
        self.check_checksum(&name, &checksum(&mut file).map_err(|e| Error::io("read", &path, e))?)?;
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file);
        let metadata = metadata.map_err(|error| damaged(&name, format!("its footer cannot be read: {error}")))?;
        CheckedFooter::unchecked(&name, self, metadata).map(|_| ())
    }

    /// Where the footer is; `None` when an older version wrote the file and did not say.
    pub fn footer_range(&self) -> Option<Range<u64>> {
        let footer = self.footer.as_ref()?;
        Some(self.bytes.saturating_sub(footer.bytes)..self.bytes)
    }
}

impl CheckedFooter {
    /// Reads the bytes of [`FileEntry::footer_range`]. `file` is for messages.
    pub fn read(file: &str, entry: &FileEntry, footer: &Bytes) -> Result<CheckedFooter> {
        let wrong = |what: &str| damaged(file, what);
        let FooterEntry { bytes, checksum } =
            entry.footer.as_ref().ok_or_else(|| wrong("nothing is known of its footer"))?;
        if footer.len() as u64 != *bytes || format!("{:016x}", XxHash3_64::oneshot(footer)) != *checksum {
            return Err(wrong("its footer is not the one that was written"));
        }
        let mut reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Optional);
        let metadata = reader.try_parse_sized(footer, entry.bytes).and_then(|()| reader.finish());
        let metadata = metadata.map_err(|error| wrong(&format!("its footer cannot be read: {error}")))?;
        let data = entry.bytes - bytes;
        let blocks =
            key_values(&metadata).find(|pair| pair.key == BLOCK_CHECKSUMS).and_then(|pair| pair.value.as_deref());
        let blocks = blocks.and_then(|text| BlockChecksums::parse(text, data, checksum));
        let blocks = blocks.ok_or_else(|| wrong("its footer has no checksums of its blocks"))?;
        CheckedFooter::new(file, entry, metadata, Some(blocks))
    }

    /// The footer of a file that an older version wrote; only the number of rows is compared.
    pub fn unchecked(file: &str, entry: &FileEntry, metadata: ParquetMetaData) -> Result<CheckedFooter> {
        CheckedFooter::new(file, entry, metadata, None)
    }

    fn new(
        file: &str,
        entry: &FileEntry,
        metadata: ParquetMetaData,
        blocks: Option<BlockChecksums>,
    ) -> Result<CheckedFooter> {
        let groups: i64 = metadata.row_groups().iter().map(|group| group.num_rows()).fold(0, i64::saturating_add);
        let rows = metadata.file_metadata().num_rows();
        if [rows, groups].iter().any(|rows| u64::try_from(*rows) != Ok(entry.rows)) {
            return Err(damaged(file, format!("it has {rows} rows, the manifest says {}", entry.rows)));
        }
        let checks = FileChecks { name: file.to_string(), bytes: entry.bytes, blocks };
        Ok(CheckedFooter { metadata: Arc::new(without_checksums(metadata)), checks: Arc::new(checks) })
    }

    /// The metadata of the file, with its page indexes.
    pub fn metadata(&self) -> &Arc<ParquetMetaData> {
        &self.metadata
    }

    /// What to compare the file's bytes with.
    pub fn checks(&self) -> &Arc<FileChecks> {
        &self.checks
    }

    /// Bytes that this takes in memory.
    pub fn memory_size(&self) -> usize {
        let blocks = self.checks.blocks.as_ref().map_or(0, |blocks| blocks.checksums.len() * 9);
        self.metadata.memory_size() + blocks + size_of::<FileChecks>()
    }
}

impl FileChecks {
    /// What must be read to check a range: whole blocks, except where they were right before.
    pub fn covering(&self, range: &Range<u64>) -> Range<u64> {
        let Some(blocks) = self.blocks.as_ref().filter(|_| range.start < range.end) else {
            return range.clone();
        };
        let start = match range.start {
            start if start >= blocks.data => blocks.data,
            start if blocks.is_seen(start / BLOCK) => start,
            start => start / BLOCK * BLOCK,
        };
        let end = match range.end {
            end if end > blocks.data => self.bytes,
            end if blocks.is_seen((end - 1) / BLOCK) => end,
            end => end.next_multiple_of(BLOCK).min(blocks.data),
        };
        start..end
    }

    /// Compares bytes of a range that [`FileChecks::covering`] gave.
    pub fn check(&self, start: u64, bytes: &[u8]) -> Result<()> {
        let Some(blocks) = &self.blocks else { return Ok(()) };
        let end = start + bytes.len() as u64;
        let part = |range: Range<u64>| &bytes[(range.start - start) as usize..(range.end - start) as usize];
        let mut at = start;
        while at < end.min(blocks.data) {
            let block = at / BLOCK;
            let whole = block * BLOCK..((block + 1) * BLOCK).min(blocks.data);
            if !blocks.is_seen(block) {
                let is_covered = start <= whole.start && whole.end <= end;
                if !is_covered || !blocks.is_right(block, part(whole.clone())) {
                    return Err(self.damaged(&whole));
                }
                blocks.mark_seen(block);
            }
            at = whole.end;
        }
        let footer = blocks.data..self.bytes;
        if end > footer.start {
            let is_covered = start <= footer.start && end == footer.end;
            if !is_covered || format!("{:016x}", XxHash3_64::oneshot(part(footer.clone()))) != blocks.footer {
                return Err(self.damaged(&footer));
            }
        }
        Ok(())
    }

    fn damaged(&self, range: &Range<u64>) -> Error {
        damaged(&self.name, format!("bytes {} to {} are not those that were written", range.start, range.end))
    }
}

impl BlockChecksums {
    /// `None` when the text is not about as many blocks of this size as the data has.
    fn parse(text: &str, data: u64, footer: &str) -> Option<BlockChecksums> {
        let (size, digits) = text.split_once(':')?;
        let count = usize::try_from(data.div_ceil(BLOCK)).ok()?;
        if size.parse() != Ok(BLOCK) || digits.len() != count.checked_mul(16)? {
            return None;
        }
        let checksum = |place: usize| u64::from_str_radix(digits.get(place * 16..place * 16 + 16)?, 16).ok();
        let checksums = (0..count).map(checksum).collect::<Option<Vec<u64>>>()?;
        let seen = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Some(BlockChecksums { data, footer: footer.to_string(), checksums, seen })
    }

    fn is_seen(&self, block: u64) -> bool {
        let word = self.seen.get((block / 64) as usize);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (block % 64) & 1 == 1)
    }

    fn mark_seen(&self, block: u64) {
        if let Some(word) = self.seen.get((block / 64) as usize) {
            word.fetch_or(1 << (block % 64), Ordering::Relaxed);
        }
    }

    fn is_right(&self, block: u64, bytes: &[u8]) -> bool {
        self.checksums.get(block as usize) == Some(&block_checksum(bytes))
    }
}

fn key_values(metadata: &ParquetMetaData) -> impl Iterator<Item = &KeyValue> {
    metadata.file_metadata().key_value_metadata().into_iter().flatten()
}

/// The metadata without the checksums of blocks, which are large and of use here only.
fn without_checksums(metadata: ParquetMetaData) -> ParquetMetaData {
    let others: Vec<KeyValue> = key_values(&metadata).filter(|pair| pair.key != BLOCK_CHECKSUMS).cloned().collect();
    let file = metadata.file_metadata();
    let file = FileMetaData::new(
        file.version(),
        file.num_rows(),
        file.created_by().map(str::to_string),
        (!others.is_empty()).then_some(others),
        file.schema_descr_ptr(),
        file.column_orders().cloned(),
    );
    let mut whole = metadata.into_builder();
    let built = ParquetMetaDataBuilder::new(file)
        .set_column_index(whole.take_column_index())
        .set_offset_index(whole.take_offset_index());
    built.set_row_groups(whole.take_row_groups()).build()
}

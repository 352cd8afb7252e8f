//! A file on its way to disk, and its checksums; see [`super::file_checks`].

use std::fs::File;
use std::hash::Hasher;
use std::io::{BufWriter, Write};
use std::path::Path;

use parquet::file::metadata::KeyValue;
use twox_hash::XxHash3_64;

use super::file_checks::{BLOCK, block_checksum, block_checksums_entry};
use super::manifest::{FileEntry, FooterEntry};
use super::regular_file::create_new;
use super::writeback;
use crate::error::{Error, Result};

/// Bytes after which the system begins to write them to disk.
const WRITEBACK: u64 = 1 << 20;

/// Where the bytes of a file go: to disk, and into its checksums.
pub(super) struct HashingFile {
    file: BufWriter<File>,
    hasher: XxHash3_64,
    bytes: u64,
    /// Bytes of the block that is not full yet.
    open_block: Vec<u8>,
    /// Checksums of the blocks before it.
    blocks: Vec<u64>,
    /// The footer, once it has begun.
    footer: Option<FooterHash>,
}

struct FooterHash {
    start: u64,
    hasher: XxHash3_64,
}

impl HashingFile {
    pub fn create(path: &Path) -> Result<HashingFile> {
        let file = create_new(path).map_err(|e| Error::io("create", path, e))?;
        Ok(HashingFile {
            file: BufWriter::with_capacity(1 << 18, file),
            hasher: XxHash3_64::with_seed(0),
            bytes: 0,
            open_block: Vec::with_capacity(BLOCK as usize),
            blocks: vec![],
            footer: None,
        })
    }

    /// Ends the data: what follows is the footer, and its checksum does not depend on the data. Gives what the footer must
    /// say of the data.
    pub fn end_data(&mut self) -> KeyValue {
        if !self.open_block.is_empty() {
            self.blocks.push(block_checksum(&self.open_block));
            self.open_block.clear();
        }
        self.footer = Some(FooterHash { start: self.bytes, hasher: XxHash3_64::with_seed(0) });
        block_checksums_entry(&self.blocks)
    }

    /// Syncs the file; gives its entry of the manifest.
    pub fn finish(mut self, path: &Path, name: String, rows: u64) -> Result<FileEntry> {
        self.file.flush().and_then(|()| self.file.get_ref().sync_all()).map_err(|e| Error::io("write", path, e))?;
        let footer = self.footer.map(|footer| FooterEntry {
            bytes: self.bytes - footer.start,
            checksum: format!("{:016x}", footer.hasher.finish()),
        });
        Ok(FileEntry { name, rows, bytes: self.bytes, checksum: format!("{:016x}", self.hasher.finish()), footer })
    }

    fn hash_blocks(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = BLOCK as usize - self.open_block.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            if now.len() == BLOCK as usize {
                self.blocks.push(block_checksum(now));
            } else {
                self.open_block.extend_from_slice(now);
                if self.open_block.len() == BLOCK as usize {
                    self.blocks.push(block_checksum(&self.open_block));
                    self.open_block.clear();
                }
            }
            bytes = later;
        }
    }
}

impl Write for HashingFile {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let count = self.file.write(buffer)?;
        let written = &buffer[..count];
        self.hasher.write(written);
        match &mut self.footer {
            Some(footer) => footer.hasher.write(written),
            None => self.hash_blocks(written),
        }
        let before = self.bytes;
        self.bytes += count as u64;
        if before / WRITEBACK != self.bytes / WRITEBACK {
            writeback::begin(self.file.get_ref());
        }
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

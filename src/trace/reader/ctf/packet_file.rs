//! A file of packets, of which any part can be read.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::PathBuf;

use crate::error::{Error, Result};

/// A file of packets.
pub(super) struct PacketFile {
    path: PathBuf,
    file: File,
    /// Bytes of the file when it was opened.
    pub len: u64,
}

impl PacketFile {
    pub fn open(path: PathBuf) -> Result<PacketFile> {
        let file = File::open(&path).map_err(|e| Error::io("open", &path, e))?;
        let len = file.metadata().map_err(|e| Error::io("open", &path, e))?.len();
        Ok(PacketFile { path, file, len })
    }

    /// The name of the file, for messages.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Reads so many bytes from an offset on, or those that there are, in place of what was read before.
    pub fn read(&mut self, offset: u64, len: u64, into: &mut Vec<u8>) -> Result<()> {
        let failed = |e| Error::io("read", &self.path, e);
        let there = len.min(self.len.saturating_sub(offset));
        self.file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        // In one go: `read_to_end` feels its way with small reads where it does not know how much there is.
        into.resize(usize::try_from(there).unwrap_or(usize::MAX), 0);
        let mut filled = 0;
        while filled < into.len() {
            match self.file.read(&mut into[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(error)),
            }
        }
        into.truncate(filled);
        Ok(())
    }
}

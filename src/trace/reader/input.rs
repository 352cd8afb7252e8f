//! The bytes of a trace being read.
//!
//! Out: windows of a few megabytes, each of whole lines. Plain files are mapped window by window, so
//! that memory does not grow with the file; everything else is read into buffers.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use memmap2::{Mmap, MmapOptions};

use crate::error::{Error, Result};

/// How much of a trace is in memory at a time.
const WINDOW: usize = 1 << 20;

enum InputSource {
    Plain(Arc<File>),
    Stream(Box<dyn Read + Send>),
}

/// A piece of a trace that ends with a line, or with the trace.
pub struct InputWindow {
    bytes: WindowBytes,
    /// Offset in the uncompressed trace.
    pub offset: u64,
    /// The window is the beginning of a line that is longer than the window; the rest of the line is
    /// skipped.
    pub is_cut: bool,
}

enum WindowBytes {
    Mapped(Mmap, usize),
    Owned(Vec<u8>),
}

impl InputWindow {
    /// The text of the window.
    pub fn bytes(&self) -> &[u8] {
        match &self.bytes {
            WindowBytes::Mapped(map, len) => &map[..*len],
            WindowBytes::Owned(bytes) => bytes,
        }
    }
}

/// A trace being read.
pub struct TraceInput {
    source: InputSource,
    /// Name of the source, for messages.
    pub name: String,
    /// Bytes in all, where that is known.
    pub total: Option<u64>,
    /// Where the next window starts.
    offset: u64,
    /// The beginning of a line whose rest is still in the stream.
    carry: Vec<u8>,
    /// A window that was looked at and not taken yet.
    head: Option<InputWindow>,
    /// Why a compressed stream ended too early.
    pub damage: Option<String>,
    is_at_end: bool,
}

impl TraceInput {
    /// Reads a regular file of `bytes` bytes.
    pub(super) fn plain(file: Arc<File>, name: &str, bytes: u64) -> TraceInput {
        TraceInput::new(InputSource::Plain(file), name, Some(bytes))
    }

    /// Reads what a decoder gives.
    pub(super) fn stream(stream: Box<dyn Read + Send>, name: &str) -> TraceInput {
        TraceInput::new(InputSource::Stream(stream), name, None)
    }

    fn new(source: InputSource, name: &str, total: Option<u64>) -> TraceInput {
        let (carry, name) = (vec![], name.to_string());
        TraceInput { source, name, total, offset: 0, carry, head: None, damage: None, is_at_end: false }
    }

    /// Offset of what comes next.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The first bytes, without taking them.
    pub fn head(&mut self) -> Result<&[u8]> {
        if self.head.is_none() {
            self.head = self.next_window()?;
        }
        Ok(self.head.as_ref().map_or(&[], |window| &window.bytes()[..window.bytes().len().min(1 << 16)]))
    }

    /// The next window, or `None` at the end.
    pub fn next_window(&mut self) -> Result<Option<InputWindow>> {
        if let Some(window) = self.head.take() {
            return Ok(Some(window));
        }
        match &self.source {
            InputSource::Plain(file) => {
                let file = Arc::clone(file);
                self.map_window(&file)
            }
            InputSource::Stream(_) => self.read_window(),
        }
    }

    fn map_window(&mut self, file: &File) -> Result<Option<InputWindow>> {
        let total = self.total.unwrap_or(0);
        let left = total.saturating_sub(self.offset);
        if left == 0 {
            return Ok(None);
        }
        let len = left.min(WINDOW as u64) as usize;
        // SAFETY: the map is read only. If another program truncates the file meanwhile, the system
        // ends this process with SIGBUS; the store is then as it was before, as after any crash.
        let map = unsafe { MmapOptions::new().offset(self.offset).len(len).map(file) }
            .map_err(|source| Error::Io { context: format!("cannot map {}", self.name), source })?;
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Sequential);
        let is_last = len as u64 == left;
        let offset = self.offset;
        let (whole, is_cut) = match memchr::memrchr(b'\n', &map) {
            _ if is_last => (len, false),
            Some(end) => (end + 1, false),
            None => (len, true),
        };
        self.offset += whole as u64;
        if is_cut {
            self.offset = skip_line_in_file(file, self.offset, &self.name)?;
        }
        Ok(Some(InputWindow { bytes: WindowBytes::Mapped(map, whole), offset, is_cut }))
    }

    fn read_window(&mut self) -> Result<Option<InputWindow>> {
        let mut bytes = std::mem::take(&mut self.carry);
        bytes.reserve(WINDOW.saturating_sub(bytes.len()));
        while bytes.len() < WINDOW && !self.is_at_end {
            self.fill(&mut bytes, WINDOW);
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let offset = self.offset;
        let mut is_cut = false;
        if !self.is_at_end {
            match memchr::memrchr(b'\n', &bytes) {
                Some(end) => self.carry = bytes.split_off(end + 1),
                None => is_cut = true,
            }
        }
        self.offset += bytes.len() as u64;
        if is_cut {
            self.skip_line_in_stream();
        }
        Ok(Some(InputWindow { bytes: WindowBytes::Owned(bytes), offset, is_cut }))
    }

    /// Reads once, up to `limit` bytes in all.
    fn fill(&mut self, bytes: &mut Vec<u8>, limit: usize) {
        let InputSource::Stream(stream) = &mut self.source else { return };
        let start = bytes.len();
        bytes.resize(limit.min(start + (1 << 18)), 0);
        match stream.read(&mut bytes[start..]) {
            Ok(count) => {
                bytes.truncate(start + count);
                self.is_at_end = count == 0;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => bytes.truncate(start),
            Err(error) => {
                bytes.truncate(start);
                self.is_at_end = true;
                self.damage = Some(error.to_string());
            }
        }
    }

    fn skip_line_in_stream(&mut self) {
        let mut bytes = vec![];
        while !self.is_at_end {
            bytes.clear();
            self.fill(&mut bytes, WINDOW);
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                self.carry = bytes.split_off(end + 1);
                self.offset += bytes.len() as u64;
                return;
            }
            self.offset += bytes.len() as u64;
        }
    }
}

/// The offset after the next LF.
fn skip_line_in_file(file: &File, from: u64, name: &str) -> Result<u64> {
    let failed = |source| Error::Io { context: format!("cannot read {name}"), source };
    let mut file = file.try_clone().map_err(failed)?;
    file.seek(SeekFrom::Start(from)).map_err(failed)?;
    let mut buffer = vec![0; 1 << 18];
    let mut offset = from;
    loop {
        let count = file.read(&mut buffer).map_err(failed)?;
        if count == 0 {
            return Ok(offset);
        }
        if let Some(end) = memchr::memchr(b'\n', &buffer[..count]) {
            return Ok(offset + end as u64 + 1);
        }
        offset += count as u64;
    }
}

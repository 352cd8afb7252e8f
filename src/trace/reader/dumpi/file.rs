//! The binary file of one rank: its sections, and its calls one by one.
//!
//! ```text
//! magic u64 │ biases, calls, end │ header │ footer │ counters, sizes, addresses │ index
//! index = magic, [ sizes ], [ addresses ], [ counter names ], header, body, footer, keyvals
//! ```
//! A file without a readable index was cut: its calls are read as far as they go. Memory is one
//! window per file; the file is opened for each window, so that any number of ranks can be merged.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::call::{MpiCall, Numbering, ReadFailure, RecordFormat, decode};
use crate::error::{Error, Result};

pub(super) const MAGIC: &[u8; 8] = b"\xff\xaa\xddDUMPI";
const FOOTER_MAGIC: u64 = 0xf007_fee7;
const BODY: u64 = 8;
/// The largest record that is believed.
const LONGEST_RECORD: usize = 64 << 20;
/// The largest section besides the calls that is believed.
const LONGEST_SECTION: u64 = 16 << 20;

/// Where the sections of a file start; 0 for one that is not there.
#[derive(Debug, Clone, Copy, Default)]
struct Index {
    sizes: u64,
    addresses: u64,
    counters: u64,
    header: u64,
    body: u64,
    footer: u64,
    keyvals: u64,
}

/// What a file says beside its calls.
#[derive(Debug, Clone, Default)]
pub(super) struct FileMetadata {
    pub version: Option<[u8; 3]>,
    /// Seconds since 1970.
    pub started: Option<i64>,
    pub host: String,
    /// Position in the network, where the machine reports it.
    pub mesh: Vec<i32>,
    /// Bytes of a datatype, by its number.
    pub sizes: Vec<u32>,
    pub counters: Vec<String>,
    /// Names of compiled functions.
    pub addresses: Vec<(u64, String)>,
    pub keyvals: Vec<(String, String)>,
    /// Calls by function, as the footer counts them.
    pub footer: Option<Vec<u32>>,
    /// What was wrong, and where.
    pub faults: Vec<(u64, String)>,
}

/// The file of a rank.
#[derive(Debug, Clone)]
pub(super) struct RankFile {
    pub path: PathBuf,
    pub bytes: u64,
    pub about: FileMetadata,
    frame: RecordFormat,
    /// Where the calls start and where they end at the latest.
    first: u64,
    last: u64,
}

impl RankFile {
    /// Reads everything but the calls.
    pub(super) fn open(path: &Path) -> Result<RankFile> {
        let failed = |e| Error::io("read", path, e);
        let mut file = File::open(path).map_err(failed)?;
        let bytes = file.metadata().map_err(failed)?.len();
        let mut sections = FileSections { file: &mut file, bytes };
        let mut about = FileMetadata::default();
        if sections.take(0, 8).as_deref() != Some(MAGIC) {
            return Err(Error::Trace(format!(
                "{} does not start as a DUMPI file does; it is no rank of this trace",
                path.display()
            )));
        }
        let index = match sections.index() {
            Some(index) => index,
            None => {
                about.faults.push((bytes, "the file has no index at its end: it was cut".to_string()));
                Index { body: BODY, ..Index::default() }
            }
        };
        let last = if index.header > 2 { index.header - 2 } else { bytes };
        let end = if index.header > 2 { sections.number(last, 2) } else { None };
        let numbering = end.and_then(|end| Numbering::of_end(end as u16)).unwrap_or(Numbering::NEWEST);
        sections.read_about(&index, numbering, &mut about);
        let biases = (sections.number(index.body, 4), sections.number(index.body + 4, 4));
        let frame =
            RecordFormat { numbering, cpu_bias: biases.0.unwrap_or(0) as i64, wall_bias: biases.1.unwrap_or(0) as i64 };
        Ok(RankFile { path: path.to_path_buf(), bytes, about, frame, first: index.body + 8, last })
    }

    /// Starts to read the calls, through a window of `window` bytes.
    pub(super) fn calls(&self, window: usize) -> CallReader {
        CallReader {
            path: self.path.clone(),
            frame: self.frame,
            buffer: vec![],
            at: 0,
            offset: self.first,
            limit: self.last.max(self.first).min(self.bytes),
            window,
            is_over: false,
        }
    }
}

/// Reads pieces of a file; a piece that is not there is none.
struct FileSections<'a> {
    file: &'a mut File,
    bytes: u64,
}

impl FileSections<'_> {
    fn take(&mut self, from: u64, count: u64) -> Option<Vec<u8>> {
        let count = count.min(LONGEST_SECTION);
        if from.checked_add(count)? > self.bytes {
            return None;
        }
        let mut bytes = vec![0; count as usize];
        self.file.seek(SeekFrom::Start(from)).ok()?;
        self.file.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn number(&mut self, from: u64, bytes: u64) -> Option<u64> {
        let taken = self.take(from, bytes)?;
        Some(taken.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// The newest index has all seven sections; older ones lack the first ones.
    fn index(&mut self) -> Option<Index> {
        for sections in [7_u64, 6, 5, 4] {
            let start = self.bytes.checked_sub(8 * (sections + 1))?;
            if self.take(start, 8)?.as_slice() != MAGIC {
                continue;
            }
            let mut places = [0; 7];
            for place in 0..sections {
                places[(7 - sections + place) as usize] = self.number(start + 8 * (place + 1), 8)?;
            }
            let [sizes, addresses, counters, header, body, footer, keyvals] = places;
            let is_sound = body >= BODY && header > body && places.iter().all(|place| *place < self.bytes);
            return is_sound.then_some(Index { sizes, addresses, counters, header, body, footer, keyvals });
        }
        None
    }

    fn read_about(&mut self, index: &Index, numbering: Numbering, about: &mut FileMetadata) {
        if index.header > 0 && self.header(index.header, about).is_none() {
            about.faults.push((index.header, "the header cannot be read".to_string()));
        }
        if index.footer > 0 {
            about.footer = self.footer(index.footer, numbering);
            if about.footer.is_none() {
                about.faults.push((index.footer, "the footer cannot be read: its counts are not checked".to_string()));
            }
        }
        about.sizes = self.list(index.sizes, |cursor| cursor.number(4).map(|size| size as u32));
        about.counters = self.list(index.counters, |cursor| cursor.text());
        about.addresses = self.list(index.addresses, |cursor| Some((cursor.number(8)?, cursor.text()?)));
        about.keyvals = self.list(index.keyvals, |cursor| Some((cursor.text()?, cursor.text()?)));
    }

    fn header(&mut self, from: u64, about: &mut FileMetadata) -> Option<()> {
        let bytes = self.rest(from)?;
        let mut cursor = FileCursor { rest: &bytes };
        let version = [cursor.number(1)? as u8, cursor.number(1)? as u8, cursor.number(1)? as u8];
        about.version = Some(version);
        about.started = i64::try_from(cursor.number(8)?).ok();
        about.host = cursor.text()?;
        cursor.text()?;
        for _ in 0..cursor.number(4)? {
            let coordinate = cursor.number(4)? as u32 as i32;
            about.mesh.push(coordinate);
        }
        Some(())
    }

    fn footer(&mut self, from: u64, numbering: Numbering) -> Option<Vec<u32>> {
        if self.number(from, 8)? != FOOTER_MAGIC {
            return None;
        }
        let counts = self.take(from + 8, 4 * numbering.counts())?;
        let count = |bytes: &[u8]| bytes.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
        Some(counts.chunks_exact(4).map(count).collect())
    }

    /// A section that is a count and that number of items; what can be read of it.
    fn list<T>(&mut self, from: u64, item: impl Fn(&mut FileCursor<'_>) -> Option<T>) -> Vec<T> {
        let Some(bytes) = Some(from).filter(|from| *from > 0).and_then(|from| self.rest(from)) else {
            return vec![];
        };
        let mut cursor = FileCursor { rest: &bytes };
        let count = cursor.number(4).unwrap_or(0);
        (0..count).map_while(|_| item(&mut cursor)).collect()
    }

    /// The file from a place on, as far as a section can reach.
    fn rest(&mut self, from: u64) -> Option<Vec<u8>> {
        self.take(from, self.bytes.checked_sub(from)?)
    }
}

/// Takes numbers and text from the front.
struct FileCursor<'a> {
    rest: &'a [u8],
}

impl FileCursor<'_> {
    fn number(&mut self, bytes: usize) -> Option<u64> {
        let (taken, rest) = self.rest.split_at_checked(bytes)?;
        self.rest = rest;
        Some(taken.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number(2)? as usize;
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(String::from_utf8_lossy(taken).into_owned())
    }
}

/// The calls of a file, one by one.
pub(super) struct CallReader {
    path: PathBuf,
    frame: RecordFormat,
    buffer: Vec<u8>,
    /// What of the buffer is read.
    at: usize,
    /// Offset in the file of the end of the buffer.
    offset: u64,
    limit: u64,
    window: usize,
    is_over: bool,
}

impl CallReader {
    /// Offset of the next call.
    pub(super) fn byte(&self) -> u64 {
        self.offset - (self.buffer.len() - self.at) as u64
    }

    /// Reads the next call; `Some` of what is wrong when the rest cannot be read.
    pub(super) fn next(&mut self, call: &mut MpiCall) -> Result<ReadOutcome> {
        if self.is_over {
            return Ok(ReadOutcome::End);
        }
        loop {
            match decode(&self.buffer[self.at..], self.byte(), &self.frame, call) {
                Ok(length) => {
                    self.at += length;
                    return Ok(ReadOutcome::Call);
                }
                Err(ReadFailure::End) => return Ok(self.over(ReadOutcome::End)),
                Err(ReadFailure::Bad(what)) => {
                    let what = format!("{what}; the rest of the file cannot be read");
                    return Ok(self.over(ReadOutcome::Fault(what)));
                }
                Err(ReadFailure::Short) if self.offset < self.limit => {
                    if self.buffer.len() - self.at > LONGEST_RECORD {
                        let what = "the call is longer than 64 MiB; the rest of the file cannot be read".to_string();
                        return Ok(self.over(ReadOutcome::Fault(what)));
                    }
                    self.fill()?;
                }
                Err(ReadFailure::Short) if self.at == self.buffer.len() => return Ok(self.over(ReadOutcome::End)),
                Err(ReadFailure::Short) => {
                    return Ok(self.over(ReadOutcome::Fault("the file ends within a call".to_string())));
                }
            }
        }
    }

    fn over(&mut self, next: ReadOutcome) -> ReadOutcome {
        self.is_over = true;
        next
    }

    /// Drops what is read and takes at least as much again as is left.
    fn fill(&mut self) -> Result<()> {
        let failed = |e| Error::io("read", &self.path, e);
        self.buffer.drain(..self.at);
        self.at = 0;
        let wanted = (self.window.max(self.buffer.len()) as u64).min(self.limit - self.offset);
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.offset)).map_err(failed)?;
        let count = file.take(wanted).read_to_end(&mut self.buffer).map_err(failed)?;
        self.offset += count as u64;
        if (count as u64) < wanted {
            self.limit = self.offset;
        }
        Ok(())
    }
}

/// What came next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ReadOutcome {
    Call,
    End,
    /// The rest is lost.
    Fault(String),
}

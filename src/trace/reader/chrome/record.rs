//! Events in a compact form, sorted by time: in memory as long as they fit, else through temporary files.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use crate::error::{Error, Result};
use crate::reader::StreamMerge;

/// An event, its names replaced by numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ChromeRecord {
    pub start: i64,
    /// Of a complete event; else the start.
    pub end: i64,
    /// Where in the file.
    pub byte: u64,
    pub thread: u32,
    pub name: u32,
    pub category: u32,
    pub phase: u8,
    /// Scope of an instant, or how a flow is bound.
    pub mode: u8,
    /// Id of an asynchronous event or of a flow.
    pub id: Vec<u8>,
    /// The JSON of the arguments.
    pub arguments: Vec<u8>,
}

/// Bytes of a record without its id and arguments.
const FIXED: usize = 46;

impl ChromeRecord {
    fn write(&self, to: &mut Vec<u8>) {
        to.extend_from_slice(&self.start.to_le_bytes());
        to.extend_from_slice(&self.end.to_le_bytes());
        to.extend_from_slice(&self.byte.to_le_bytes());
        for number in [self.thread, self.name, self.category, self.id.len() as u32, self.arguments.len() as u32] {
            to.extend_from_slice(&number.to_le_bytes());
        }
        to.extend_from_slice(&[self.phase, self.mode]);
        to.extend_from_slice(&self.id);
        to.extend_from_slice(&self.arguments);
    }

    fn read(from: &mut impl Read) -> io::Result<Option<ChromeRecord>> {
        let mut fixed = [0; FIXED];
        if from.read(&mut fixed[..1])? == 0 {
            return Ok(None);
        }
        from.read_exact(&mut fixed[1..])?;
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|place| fixed[at + place]));
        let short = |at: usize| u32::from_le_bytes(std::array::from_fn(|place| fixed[at + place]));
        let mut record = ChromeRecord {
            start: long(0) as i64,
            end: long(8) as i64,
            byte: long(16),
            thread: short(24),
            name: short(28),
            category: short(32),
            phase: fixed[44],
            mode: fixed[45],
            id: vec![0; short(36) as usize],
            arguments: vec![0; short(40) as usize],
        };
        from.read_exact(&mut record.id)?;
        from.read_exact(&mut record.arguments)?;
        Ok(Some(record))
    }
}

/// Takes records in the order of the file.
pub(super) struct RecordSorter {
    bytes: Vec<u8>,
    /// Time and place in `bytes`.
    index: Vec<(i64, usize)>,
    runs: Vec<File>,
    /// Bytes that may be held in memory.
    limit: usize,
}

impl RecordSorter {
    pub fn new(limit: usize) -> RecordSorter {
        RecordSorter { bytes: vec![], index: vec![], runs: vec![], limit }
    }

    pub fn push(&mut self, record: &ChromeRecord) -> Result<()> {
        self.index.push((record.start, self.bytes.len()));
        record.write(&mut self.bytes);
        if self.bytes.len() + self.index.len() * 16 > self.limit { self.spill() } else { Ok(()) }
    }

    /// The records by time, those of one time in the order of the file.
    pub fn sorted(mut self) -> Result<Sorted> {
        let mut runs: Vec<SortedRun> =
            self.runs.drain(..).map(|file| SortedRun::File(BufReader::with_capacity(1 << 16, file))).collect();
        self.index.sort();
        runs.push(SortedRun::Memory(self.bytes, self.index.into_iter()));
        let time: fn(&ChromeRecord) -> i64 = |record| record.start;
        let mut merge = StreamMerge::new(runs, time)?;
        let next = merge.next()?.map(|(_, record)| record);
        Ok(Sorted { merge, next })
    }

    fn spill(&mut self) -> Result<()> {
        self.index.sort();
        let mut file = tempfile::tempfile().map_err(failed)?;
        let mut buffer = Vec::with_capacity(1 << 16);
        for (_, at) in &self.index {
            if let Some(record) = ChromeRecord::read(&mut &self.bytes[*at..]).map_err(failed)? {
                record.write(&mut buffer);
            }
            if buffer.len() >= 1 << 16 {
                file.write_all(&buffer).map_err(failed)?;
                buffer.clear();
            }
        }
        file.write_all(&buffer).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.runs.push(file);
        self.index.clear();
        self.bytes.clear();
        Ok(())
    }
}

fn failed(source: io::Error) -> Error {
    Error::Io { context: "cannot sort the events in a temporary file".to_string(), source }
}

/// A sorted part of the records.
enum SortedRun {
    File(BufReader<File>),
    Memory(Vec<u8>, std::vec::IntoIter<(i64, usize)>),
}

impl Iterator for SortedRun {
    type Item = Result<ChromeRecord>;

    fn next(&mut self) -> Option<Result<ChromeRecord>> {
        let record = match self {
            SortedRun::File(file) => ChromeRecord::read(file),
            SortedRun::Memory(bytes, index) => ChromeRecord::read(&mut &bytes[index.next()?.1..]),
        };
        record.map_err(failed).transpose()
    }
}

/// The records by time.
pub(super) struct Sorted {
    merge: StreamMerge<SortedRun, ChromeRecord, fn(&ChromeRecord) -> i64>,
    next: Option<ChromeRecord>,
}

impl Sorted {
    /// Time of the next record.
    pub fn time(&self) -> Option<i64> {
        self.next.as_ref().map(|record| record.start)
    }

    /// Takes the records of the next time, `most` at most.
    pub fn group(&mut self, into: &mut Vec<ChromeRecord>, most: usize) -> Result<()> {
        into.clear();
        let time = self.time();
        while into.len() < most && self.time() == time {
            let next = self.merge.next()?.map(|(_, record)| record);
            match std::mem::replace(&mut self.next, next) {
                Some(record) => into.push(record),
                None => return Ok(()),
            }
        }
        Ok(())
    }
}

//! Records of one run: as they wait in memory, in their order there, and as they come back from a file.

#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, ErrorKind};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use super::packed_record::{ChromeRecord, FIXED, RecordHead};
use crate::error::{Error, Result};

/// Bytes that sorting takes for each record.
const SORTING: usize = 16;
/// Bytes that are written and read at once.
const BUFFER: usize = 1 << 16;

/// Records in memory, in the order in which they came.
#[derive(Debug)]
pub(super) struct RecordBuffer {
    bytes: Vec<u8>,
    count: usize,
    /// Whether they are in the order of time, and the time of the last.
    is_sorted: bool,
    last: i64,
}

impl Default for RecordBuffer {
    fn default() -> RecordBuffer {
        RecordBuffer { bytes: vec![], count: 0, is_sorted: true, last: i64::MIN }
    }
}

impl RecordBuffer {
    #[inline(always)]
    pub fn push(&mut self, record: &ChromeRecord<'_>) {
        self.is_sorted = self.stays_sorted(record);
        self.last = record.start;
        self.count += 1;
        RecordHead::push(record, &mut self.bytes);
    }

    #[inline(always)]
    fn stays_sorted(&self, record: &ChromeRecord<'_>) -> bool {
        self.is_sorted && record.start >= self.last
    }

    /// Bytes of the records.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Bytes of the records, and of sorting them where that is needed.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.len() + if self.is_sorted { 0 } else { self.count * SORTING }
    }

    /// As [`RecordBuffer::size`], with one more record.
    #[inline(always)]
    pub fn size_with(&self, record: &ChromeRecord<'_>) -> usize {
        self.len() + if self.stays_sorted(record) { 0 } else { self.count * SORTING }
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        (self.count, self.is_sorted, self.last) = (0, true, i64::MIN);
    }

    /// Writes the records by time, [`RecordBuffer::len`] bytes from a place of a file on.
    pub fn write(&self, file: &File, mut at: u64) -> Result<()> {
        let MemoryOrder::Sorted { places, .. } = self.order() else {
            return file.write_all_at(&self.bytes, at).map_err(failed);
        };
        let mut buffer = Vec::with_capacity(2 * BUFFER);
        for place in places {
            let place = place as usize;
            let len = record_at(&self.bytes, place).map_or(0, |(_, text)| FIXED + text.len());
            buffer.extend_from_slice(&self.bytes[place..place + len]);
            if buffer.len() >= BUFFER {
                file.write_all_at(&buffer, at).map_err(failed)?;
                at += buffer.len() as u64;
                buffer.clear();
            }
        }
        file.write_all_at(&buffer, at).map_err(failed)
    }

    /// The records by time.
    pub fn into_run(self) -> RecordRun {
        let order = self.order();
        RecordRun::Memory { bytes: self.bytes, order }
    }

    fn order(&self) -> MemoryOrder {
        if self.is_sorted {
            return MemoryOrder::AsTheyCame(0);
        }
        let mut places = Vec::with_capacity(self.count);
        let mut at = 0;
        while let Some((_, text)) = record_at(&self.bytes, at) {
            places.push(at as u32);
            at += FIXED + text.len();
        }
        let time = |place| record_at(&self.bytes, place as usize).map_or(0, |(head, _)| head.start());
        MemoryOrder::Sorted { places: sorted_places(places, time), next: 0 }
    }
}

/// A sorted part of the records, and the next of them.
pub(super) enum RecordRun {
    Stored(RunInFile),
    Memory { bytes: Vec<u8>, order: MemoryOrder },
}

/// The order of records in memory.
pub(super) enum MemoryOrder {
    /// They came in the order of time; where the next one is.
    AsTheyCame(usize),
    Sorted {
        places: Vec<u32>,
        next: usize,
    },
}

impl RecordRun {
    #[inline(always)]
    pub fn next(&self) -> Option<(RecordHead, &[u8])> {
        match self {
            RecordRun::Stored(run) => run.next(),
            RecordRun::Memory { bytes, order: MemoryOrder::AsTheyCame(at) } => record_at(bytes, *at),
            RecordRun::Memory { bytes, order: MemoryOrder::Sorted { places, next } } => {
                record_at(bytes, *places.get(*next)? as usize)
            }
        }
    }

    #[inline(always)]
    pub fn time(&self) -> Option<i64> {
        Some(self.next()?.0.start())
    }

    /// Goes to the record behind one whose text has so many bytes; gives its time.
    #[inline(always)]
    pub fn pass(&mut self, text_len: usize) -> Result<Option<i64>> {
        let len = FIXED + text_len;
        match self {
            RecordRun::Stored(run) => return run.pass(len),
            RecordRun::Memory { order: MemoryOrder::AsTheyCame(at), .. } => *at += len,
            RecordRun::Memory { order: MemoryOrder::Sorted { next, .. }, .. } => *next += 1,
        }
        Ok(self.time())
    }
}

/// Records in a part of a file. The next of them is in the buffer.
pub(super) struct RunInFile {
    file: Arc<File>,
    /// What was not read yet.
    unread: Range<u64>,
    buffer: Vec<u8>,
    /// Where in the buffer the bytes stand that were read and not passed.
    ahead: Range<usize>,
}

impl RunInFile {
    pub fn new(file: Arc<File>, part: Range<u64>) -> Result<RunInFile> {
        let mut run = RunInFile { file, unread: part, buffer: vec![0; BUFFER], ahead: 0..0 };
        run.pass(0)?;
        Ok(run)
    }

    #[inline(always)]
    fn next(&self) -> Option<(RecordHead, &[u8])> {
        record_at(&self.buffer[..self.ahead.end], self.ahead.start)
    }

    /// Goes to the record after so many bytes; gives its time.
    #[inline(always)]
    fn pass(&mut self, count: usize) -> Result<Option<i64>> {
        self.ahead.start += count;
        match self.next() {
            Some((head, _)) => Ok(Some(head.start())),
            None => {
                self.read_on()?;
                Ok(self.next().map(|(head, _)| head.start()))
            }
        }
    }

    /// Reads until a record is in the buffer, or the run ends.
    #[cold]
    fn read_on(&mut self) -> Result<()> {
        self.buffer.copy_within(self.ahead.clone(), 0);
        self.ahead = 0..self.ahead.len();
        loop {
            let head = RecordHead::of(&self.buffer[..self.ahead.end]);
            let wanted = FIXED + head.map_or(0, |head| head.text_len());
            if head.is_some() && self.ahead.end >= wanted {
                return Ok(());
            }
            if self.buffer.len() < wanted {
                self.buffer.resize(wanted, 0);
            }
            let left = self.unread.end - self.unread.start;
            let room = self.buffer.len().min(self.ahead.end.saturating_add(left as usize));
            match self.file.read_at(&mut self.buffer[self.ahead.end..room], self.unread.start) {
                Ok(0) if self.ahead.is_empty() && left == 0 => return Ok(()),
                Ok(0) => return Err(failed(ErrorKind::UnexpectedEof.into())),
                Ok(count) => {
                    self.ahead.end += count;
                    self.unread.start += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

/// Places by time, those of one time in their order.
pub(super) fn sorted_places(places: Vec<u32>, time: impl Fn(u32) -> i64) -> Vec<u32> {
    match packed_keys(&places, &time) {
        Some((mut keys, bits)) => {
            keys.sort_unstable();
            let number = |key: u64| (key & !(u64::MAX << bits)) as usize;
            keys.into_iter().map(|key| places[number(key)]).collect()
        }
        None => places_of_pairs(&places, time),
    }
}

/// As [`sorted_places`], for all times.
pub(super) fn places_of_pairs(places: &[u32], time: impl Fn(u32) -> i64) -> Vec<u32> {
    let mut pairs: Vec<(i64, u32)> = places.iter().map(|place| (time(*place), *place)).collect();
    pairs.sort_unstable();
    pairs.into_iter().map(|(_, place)| place).collect()
}

/// Time and number of each place in one word, when they fit, and how many bits the number has: words are sorted twice
/// as fast as pairs.
fn packed_keys(places: &[u32], time: impl Fn(u32) -> i64) -> Option<(Vec<u64>, u32)> {
    let times = || places.iter().map(|place| time(*place));
    let (first, last) = (times().min()?, times().max()?);
    let bits = usize::BITS - places.len().leading_zeros();
    let span = last.abs_diff(first);
    if span.leading_zeros() < bits {
        return None;
    }
    let key = |(number, time): (u64, i64)| time.abs_diff(first) << bits | number;
    Some(((0..).zip(times()).map(key).collect(), bits))
}

/// The record at a place in memory, and its text; `None` at the end.
#[inline(always)]
fn record_at(bytes: &[u8], at: usize) -> Option<(RecordHead, &[u8])> {
    let rest = bytes.get(at..)?;
    let head = RecordHead::of(rest)?;
    Some((head, rest.get(FIXED..FIXED + head.text_len())?))
}

pub(super) fn failed(source: io::Error) -> Error {
    Error::Io { context: "cannot sort the events in a temporary file".to_string(), source }
}

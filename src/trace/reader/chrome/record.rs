//! Events in a compact form, sorted by time: in memory as long as they fit, else through temporary files.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::packed_record::{FIXED, RecordHead};
use crate::error::{Error, Result};

pub(crate) use super::packed_record::ChromeRecord;

/// Bytes that sorting takes for each record.
const SORTING: usize = 16;
/// Bytes of a run, at most: places have 32 bits.
const MOST: usize = 1 << 31;
/// Bytes that are written and read at once.
const BUFFER: usize = 1 << 16;

/// Takes records in the order of the file.
pub(crate) struct RecordSorter {
    bytes: Vec<u8>,
    count: usize,
    /// Whether the records are in the order of time, and the time of the last.
    is_sorted: bool,
    last: i64,
    runs: Vec<File>,
    /// Bytes that may be held in memory.
    limit: usize,
}

impl RecordSorter {
    pub fn new(limit: usize) -> RecordSorter {
        RecordSorter { bytes: vec![], count: 0, is_sorted: true, last: i64::MIN, runs: vec![], limit: limit.min(MOST) }
    }

    #[inline]
    pub fn push(&mut self, record: &ChromeRecord<'_>) -> Result<()> {
        let is_next = record.start >= self.last;
        // What came in order needs no room for sorting.
        if self.is_sorted && !is_next && self.bytes.len() + self.count * SORTING > self.limit {
            self.spill()?;
        }
        self.is_sorted &= is_next || self.count == 0;
        self.last = record.start;
        self.count += 1;
        RecordHead::push(record, &mut self.bytes);
        let sorting = if self.is_sorted { 0 } else { self.count * SORTING };
        if self.bytes.len() + sorting > self.limit { self.spill() } else { Ok(()) }
    }

    /// The records by time, those of one time in the order of the file.
    pub fn sorted(mut self) -> Result<Sorted> {
        let mut runs = vec![];
        for file in self.runs.drain(..) {
            runs.push(RecordRun::Stored(RecordFile::new(file)?));
        }
        let order = self.order();
        runs.push(RecordRun::Memory { bytes: self.bytes, order });
        let mut queue = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter().enumerate() {
            queue.extend(run.time().map(|time| Reverse((time, number))));
        }
        Ok(Sorted { runs, queue })
    }

    /// The order of the records in memory.
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

    fn spill(&mut self) -> Result<()> {
        let mut file = tempfile::tempfile().map_err(failed)?;
        match self.order() {
            MemoryOrder::AsTheyCame(_) => file.write_all(&self.bytes).map_err(failed)?,
            MemoryOrder::Sorted { places, .. } => {
                let mut buffer = Vec::with_capacity(BUFFER);
                for at in places {
                    let at = at as usize;
                    let len = record_at(&self.bytes, at).map_or(0, |(_, text)| FIXED + text.len());
                    buffer.extend_from_slice(&self.bytes[at..at + len]);
                    if buffer.len() >= BUFFER {
                        file.write_all(&buffer).map_err(failed)?;
                        buffer.clear();
                    }
                }
                file.write_all(&buffer).map_err(failed)?;
            }
        }
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.runs.push(file);
        self.bytes.clear();
        (self.count, self.is_sorted, self.last) = (0, true, i64::MIN);
        Ok(())
    }
}

/// Places by time, those of one time in their order.
fn sorted_places(places: Vec<u32>, time: impl Fn(u32) -> i64) -> Vec<u32> {
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
fn places_of_pairs(places: &[u32], time: impl Fn(u32) -> i64) -> Vec<u32> {
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

fn failed(source: io::Error) -> Error {
    Error::Io { context: "cannot sort the events in a temporary file".to_string(), source }
}

/// A sorted part of the records, and the next of them.
enum RecordRun {
    Stored(RecordFile),
    Memory { bytes: Vec<u8>, order: MemoryOrder },
}

/// The order of records in memory.
enum MemoryOrder {
    /// They came in the order of time; where the next one is.
    AsTheyCame(usize),
    Sorted {
        places: Vec<u32>,
        next: usize,
    },
}

impl RecordRun {
    #[inline(always)]
    fn next(&self) -> Option<(RecordHead, &[u8])> {
        match self {
            RecordRun::Stored(run) => record_at(&run.buffer[..run.ahead.end], run.ahead.start),
            RecordRun::Memory { bytes, order: MemoryOrder::AsTheyCame(at) } => record_at(bytes, *at),
            RecordRun::Memory { bytes, order: MemoryOrder::Sorted { places, next } } => {
                record_at(bytes, *places.get(*next)? as usize)
            }
        }
    }

    #[inline(always)]
    fn time(&self) -> Option<i64> {
        Some(self.next()?.0.start())
    }

    /// Moves the next record to a group.
    #[inline(always)]
    fn move_to(&mut self, group: &mut RecordGroup) -> Result<()> {
        let Some((head, text)) = self.next() else { return Ok(()) };
        group.push(head, text);
        let len = FIXED + text.len();
        match self {
            RecordRun::Stored(run) => run.pass(len),
            RecordRun::Memory { order: MemoryOrder::AsTheyCame(at), .. } => {
                *at += len;
                Ok(())
            }
            RecordRun::Memory { order: MemoryOrder::Sorted { next, .. }, .. } => {
                *next += 1;
                Ok(())
            }
        }
    }
}

/// Records in a file. The next of them is in the buffer.
struct RecordFile {
    file: File,
    buffer: Vec<u8>,
    /// Where in the buffer the bytes stand that were read and not passed.
    ahead: Range<usize>,
}

impl RecordFile {
    fn new(file: File) -> Result<RecordFile> {
        let mut run = RecordFile { file, buffer: vec![0; BUFFER], ahead: 0..0 };
        run.pass(0)?;
        Ok(run)
    }

    /// Goes to the record after so many bytes.
    #[inline(always)]
    fn pass(&mut self, count: usize) -> Result<()> {
        self.ahead.start += count;
        if record_at(&self.buffer[..self.ahead.end], self.ahead.start).is_some() { Ok(()) } else { self.read_on() }
    }

    /// Reads until a record is in the buffer, or the file ends.
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
            match self.file.read(&mut self.buffer[self.ahead.end..]) {
                Ok(0) if self.ahead.is_empty() => return Ok(()),
                Ok(0) => return Err(failed(ErrorKind::UnexpectedEof.into())),
                Ok(count) => self.ahead.end += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => (),
                Err(error) => return Err(failed(error)),
            }
        }
    }
}

/// Records of one time.
#[derive(Debug, Default)]
pub(crate) struct RecordGroup {
    /// The fixed part, and where id and arguments stand in the text.
    heads: Vec<(RecordHead, usize)>,
    text: Vec<u8>,
}

impl RecordGroup {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    #[inline(always)]
    pub fn record(&self, place: usize) -> ChromeRecord<'_> {
        let (head, text) = &self.heads[place];
        head.record(&self.text[*text..])
    }

    #[inline(always)]
    fn push(&mut self, head: RecordHead, text: &[u8]) {
        self.heads.push((head, self.text.len()));
        self.text.extend_from_slice(text);
    }

    fn clear(&mut self) {
        self.heads.clear();
        self.text.clear();
    }
}

/// The records by time.
pub(crate) struct Sorted {
    runs: Vec<RecordRun>,
    /// Time and number of every run with records left.
    queue: BinaryHeap<Reverse<(i64, usize)>>,
}

impl Sorted {
    /// Time of the next record.
    #[inline(always)]
    pub fn time(&self) -> Option<i64> {
        self.queue.peek().map(|Reverse((time, _))| *time)
    }

    /// Takes the records of the next time, `most` at most.
    pub fn group(&mut self, into: &mut RecordGroup, most: usize) -> Result<()> {
        into.clear();
        let time = self.time();
        while into.len() < most && self.time() == time {
            let Some(mut first) = self.queue.peek_mut() else { return Ok(()) };
            let run = &mut self.runs[first.0.1];
            run.move_to(into)?;
            match run.time() {
                Some(next) => first.0.0 = next,
                None => {
                    PeekMut::pop(first);
                }
            }
        }
        Ok(())
    }
}

//! Events in a compact form, sorted by time: in memory as long as they fit, else through temporary files.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use crate::error::{Error, Result};

/// An event, its names replaced by numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ChromeRecord<'a> {
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
    pub id: &'a [u8],
    /// The arguments: packed, or the JSON of a counter's.
    pub arguments: &'a [u8],
}

/// Bytes of a record without its id and arguments.
const FIXED: usize = 46;

/// The fixed part of a record, as it is stored.
#[derive(Debug, Clone, Copy)]
struct RecordHead([u8; FIXED]);

impl RecordHead {
    #[inline(always)]
    fn of(record: &ChromeRecord<'_>) -> RecordHead {
        let mut head = [0; FIXED];
        head[..8].copy_from_slice(&record.start.to_le_bytes());
        head[8..16].copy_from_slice(&record.end.to_le_bytes());
        head[16..24].copy_from_slice(&record.byte.to_le_bytes());
        head[24..28].copy_from_slice(&record.thread.to_le_bytes());
        head[28..32].copy_from_slice(&record.name.to_le_bytes());
        head[32..36].copy_from_slice(&record.category.to_le_bytes());
        head[36..40].copy_from_slice(&(record.id.len() as u32).to_le_bytes());
        head[40..44].copy_from_slice(&(record.arguments.len() as u32).to_le_bytes());
        (head[44], head[45]) = (record.phase, record.mode);
        RecordHead(head)
    }

    #[inline(always)]
    fn short(&self, at: usize) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|place| self.0[at + place]))
    }

    #[inline(always)]
    fn long(&self, at: usize) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|place| self.0[at + place]))
    }

    #[inline(always)]
    fn start(&self) -> i64 {
        self.long(0) as i64
    }

    /// Bytes of id and arguments, which follow.
    #[inline(always)]
    fn text_len(&self) -> usize {
        self.short(36) as usize + self.short(40) as usize
    }

    /// The record, whose id and arguments stand at the start of a text.
    #[inline(always)]
    fn record<'a>(&self, text: &'a [u8]) -> ChromeRecord<'a> {
        let (id, text) = text.split_at(self.short(36) as usize);
        ChromeRecord {
            start: self.start(),
            end: self.long(8) as i64,
            byte: self.long(16),
            thread: self.short(24),
            name: self.short(28),
            category: self.short(32),
            phase: self.0[44],
            mode: self.0[45],
            id,
            arguments: &text[..self.short(40) as usize],
        }
    }
}

/// Takes records in the order of the file.
pub(crate) struct RecordSorter {
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

    #[inline]
    pub fn push(&mut self, record: &ChromeRecord<'_>) -> Result<()> {
        self.index.push((record.start, self.bytes.len()));
        self.bytes.extend_from_slice(&RecordHead::of(record).0);
        self.bytes.extend_from_slice(record.id);
        self.bytes.extend_from_slice(record.arguments);
        if self.bytes.len() + self.index.len() * 16 > self.limit { self.spill() } else { Ok(()) }
    }

    /// The records by time, those of one time in the order of the file.
    pub fn sorted(mut self) -> Result<Sorted> {
        let mut runs = vec![];
        for file in self.runs.drain(..) {
            runs.push(RecordRun::stored(file)?);
        }
        let places = sorted_places(self.index);
        runs.push(RecordRun::Memory { bytes: self.bytes, places, next: 0 });
        let mut queue = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter().enumerate() {
            queue.extend(run.time().map(|time| Reverse((time, number))));
        }
        Ok(Sorted { runs, queue })
    }

    fn spill(&mut self) -> Result<()> {
        let mut file = tempfile::tempfile().map_err(failed)?;
        let mut buffer = Vec::with_capacity(1 << 16);
        for at in sorted_places(std::mem::take(&mut self.index)) {
            let (head, text) = head_at(&self.bytes, at);
            buffer.extend_from_slice(&self.bytes[at..text + head.text_len()]);
            if buffer.len() >= 1 << 16 {
                file.write_all(&buffer).map_err(failed)?;
                buffer.clear();
            }
        }
        file.write_all(&buffer).map_err(failed)?;
        file.seek(SeekFrom::Start(0)).map_err(failed)?;
        self.runs.push(file);
        self.bytes.clear();
        Ok(())
    }
}

/// The places by time, those of one time in their order.
fn sorted_places(index: Vec<(i64, usize)>) -> Vec<usize> {
    if index.is_sorted() {
        return index.into_iter().map(|(_, place)| place).collect();
    }
    match packed_keys(&index) {
        Some((mut keys, bits)) => {
            keys.sort_unstable();
            let number = |key: u64| (key & !(u64::MAX << bits)) as usize;
            keys.into_iter().map(|key| index[number(key)].1).collect()
        }
        None => places_of_pairs(index),
    }
}

/// As [`sorted_places`], for all times.
fn places_of_pairs(mut index: Vec<(i64, usize)>) -> Vec<usize> {
    index.sort_unstable();
    index.into_iter().map(|(_, place)| place).collect()
}

/// Time and number of each entry in one word, when they fit, and how many bits the number has: words are sorted twice
/// as fast as pairs.
fn packed_keys(index: &[(i64, usize)]) -> Option<(Vec<u64>, u32)> {
    let first = index.iter().map(|(time, _)| *time).min()?;
    let last = index.iter().map(|(time, _)| *time).max()?;
    let bits = usize::BITS - index.len().leading_zeros();
    let span = last.abs_diff(first);
    if span.leading_zeros() < bits {
        return None;
    }
    let key = |(number, (time, _)): (u64, &(i64, usize))| time.abs_diff(first) << bits | number;
    Some(((0..).zip(index).map(key).collect(), bits))
}

/// The fixed part of a record in memory, and where its text starts.
#[inline(always)]
fn head_at(bytes: &[u8], at: usize) -> (RecordHead, usize) {
    let head = bytes[at..].first_chunk().expect("places are those of whole records");
    (RecordHead(*head), at + FIXED)
}

fn failed(source: io::Error) -> Error {
    Error::Io { context: "cannot sort the events in a temporary file".to_string(), source }
}

/// A sorted part of the records, and the next of them.
enum RecordRun {
    Stored { file: BufReader<File>, head: Option<RecordHead>, text: Vec<u8> },
    Memory { bytes: Vec<u8>, places: Vec<usize>, next: usize },
}

impl RecordRun {
    fn stored(file: File) -> Result<RecordRun> {
        let file = BufReader::with_capacity(1 << 16, file);
        let mut run = RecordRun::Stored { file, head: None, text: vec![] };
        run.advance()?;
        Ok(run)
    }

    #[inline(always)]
    fn time(&self) -> Option<i64> {
        match self {
            RecordRun::Stored { head, .. } => head.map(|head| head.start()),
            RecordRun::Memory { bytes, places, next } => places.get(*next).map(|at| head_at(bytes, *at).0.start()),
        }
    }

    /// Adds the next record to a group.
    #[inline(always)]
    fn copy_to(&self, group: &mut RecordGroup) {
        match self {
            RecordRun::Stored { head, text, .. } => {
                if let Some(head) = head {
                    group.push(*head, text);
                }
            }
            RecordRun::Memory { bytes, places, next } => {
                if let Some(at) = places.get(*next) {
                    let (head, text) = head_at(bytes, *at);
                    group.push(head, &bytes[text..text + head.text_len()]);
                }
            }
        }
    }

    /// Goes to the record after the next.
    #[inline(always)]
    fn advance(&mut self) -> Result<()> {
        match self {
            RecordRun::Stored { file, head, text } => {
                *head = read_head(file).map_err(failed)?;
                text.resize(head.map_or(0, |head| head.text_len()), 0);
                file.read_exact(text).map_err(failed)
            }
            RecordRun::Memory { next, .. } => {
                *next += 1;
                Ok(())
            }
        }
    }
}

fn read_head(from: &mut impl Read) -> io::Result<Option<RecordHead>> {
    let mut head = [0; FIXED];
    if from.read(&mut head[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut head[1..])?;
    Ok(Some(RecordHead(head)))
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
            run.copy_to(into);
            run.advance()?;
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

//! Events in a compact form, sorted by time: in memory as long as they fit, else through a temporary file.
//!
//! ```text
//! records ─► buffer ─► runs by time, sorted and written beside ─┐
//!                  └─► the last, in memory ─────────────────────┴─► merged by time ─► groups
//! ```

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::packed_record::RecordHead;
use super::record_run::{RecordBuffer, RecordRun};
use super::record_spill::SpilledRuns;
use crate::error::Result;
use crate::reader::ReadFlow;
use crate::reader::ahead::{MorePieces, PieceSource, take_ahead};

pub(crate) use super::packed_record::ChromeRecord;

/// Bytes of a run, at most: places have 32 bits.
const MOST: usize = 1 << 31;
/// Records that are merged ahead, and bytes of their text.
const AHEAD: usize = 1 << 10;
const TEXT_AHEAD: usize = 1 << 17;

/// Takes records in the order of the file.
pub(crate) struct RecordSorter {
    buffer: RecordBuffer,
    spilled: SpilledRuns,
    /// Bytes of a run that may be held in memory: one is filled while another one is sorted.
    limit: usize,
}

impl RecordSorter {
    /// Holds at most so many bytes in memory.
    pub fn new(limit: usize) -> RecordSorter {
        RecordSorter { buffer: RecordBuffer::default(), spilled: SpilledRuns::default(), limit: (limit / 2).min(MOST) }
    }

    #[inline]
    pub fn push(&mut self, record: &ChromeRecord<'_>) -> Result<()> {
        // What came in order needs no room for sorting, until a record does not.
        if self.buffer.size_with(record) > self.limit {
            self.spill()?;
        }
        self.buffer.push(record);
        if self.buffer.size() > self.limit { self.spill() } else { Ok(()) }
    }

    /// The records by time, those of one time in the order of the file.
    pub fn sorted(self) -> Result<Sorted> {
        let mut runs = self.spilled.runs()?;
        runs.push(self.buffer.into_run());
        let mut queue = BinaryHeap::with_capacity(runs.len());
        for (number, run) in runs.iter().enumerate() {
            queue.extend(run.time().map(|time| Reverse((time, number))));
        }
        Ok(Sorted { runs, queue })
    }

    #[cold]
    fn spill(&mut self) -> Result<()> {
        let full = std::mem::take(&mut self.buffer);
        self.buffer = self.spilled.add(full)?;
        Ok(())
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
            let Some((head, text)) = run.next() else { return Ok(()) };
            let text_len = text.len();
            into.push(head, text);
            run.pass(text_len)?;
            match run.time() {
                Some(next) => first.0.0 = next,
                None => {
                    PeekMut::pop(first);
                }
            }
        }
        Ok(())
    }

    /// Gives the records of each time, `most` at most, until it is told to stop. They are merged by a thread of their own.
    pub fn each_group(self, most: usize, mut take: impl FnMut(&RecordGroup) -> Result<ReadFlow>) -> Result<()> {
        take_ahead(&mut GroupMerge { sorted: self, most }, |piece| {
            for group in piece.groups.iter().filter(|group| group.len() > 0) {
                if take(group)? == ReadFlow::Stop {
                    return Ok(ReadFlow::Stop);
                }
            }
            Ok(ReadFlow::GoOn)
        })
    }
}

/// Merges groups.
struct GroupMerge {
    sorted: Sorted,
    most: usize,
}

/// Groups that follow each other; those behind them are empty.
#[derive(Debug, Default)]
struct MergedGroups {
    groups: Vec<RecordGroup>,
}

impl PieceSource for GroupMerge {
    type Piece = MergedGroups;

    fn fill(&mut self, piece: &mut MergedGroups) -> Result<MorePieces> {
        let (mut count, mut records, mut text) = (0, 0, 0);
        while self.sorted.time().is_some() && records < AHEAD && text < TEXT_AHEAD {
            if count == piece.groups.len() {
                piece.groups.push(RecordGroup::default());
            }
            let group = &mut piece.groups[count];
            self.sorted.group(group, self.most)?;
            (count, records, text) = (count + 1, records + group.len(), text + group.text.len());
        }
        piece.groups[count..].iter_mut().for_each(RecordGroup::clear);
        Ok(if self.sorted.time().is_some() { MorePieces::Follow } else { MorePieces::End })
    }
}

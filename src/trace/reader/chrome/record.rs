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
const AHEAD: usize = 1 << 12;
const TEXT_AHEAD: usize = 1 << 18;

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
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordGroup<'a> {
    /// The fixed part, and where id and arguments stand in the text.
    heads: &'a [(RecordHead, usize)],
    text: &'a [u8],
}

impl<'a> RecordGroup<'a> {
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// The time of all records.
    #[inline(always)]
    pub fn start(&self) -> i64 {
        self.heads.first().map_or(0, |(head, _)| head.start())
    }

    #[inline(always)]
    pub fn record(&self, place: usize) -> ChromeRecord<'a> {
        let (head, text) = &self.heads[place];
        head.record(&self.text[*text..])
    }
}

/// Groups of records that follow each other.
#[derive(Debug, Default)]
pub(crate) struct RecordGroups {
    heads: Vec<(RecordHead, usize)>,
    text: Vec<u8>,
    /// Where each group begins.
    starts: Vec<usize>,
}

impl RecordGroups {
    /// All groups.
    pub fn each(&self) -> impl Iterator<Item = RecordGroup<'_>> {
        let ends = self.starts.iter().skip(1).copied().chain([self.heads.len()]);
        self.starts
            .iter()
            .zip(ends)
            .map(|(start, end)| RecordGroup { heads: &self.heads[*start..end], text: &self.text })
    }

    #[inline(always)]
    fn push(&mut self, head: RecordHead, text: &[u8]) {
        self.heads.push((head, self.text.len()));
        self.text.extend_from_slice(text);
    }

    /// How many records the last group has.
    #[inline(always)]
    fn last_len(&self) -> usize {
        self.starts.last().map_or(0, |start| self.heads.len() - start)
    }

    fn is_full(&self) -> bool {
        self.heads.len() >= AHEAD || self.text.len() >= TEXT_AHEAD
    }

    fn clear(&mut self) {
        self.heads.clear();
        self.text.clear();
        self.starts.clear();
        // What happens very often at one time does not take its room for ever.
        self.heads.shrink_to(2 * AHEAD);
        self.text.shrink_to(2 * TEXT_AHEAD);
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
    pub fn group(&mut self, into: &mut RecordGroups, most: usize) -> Result<()> {
        self.merge(into, most, |groups| !groups.starts.is_empty())
    }

    /// Takes groups of at most so many records, until there are enough.
    fn merge(&mut self, into: &mut RecordGroups, most: usize, is_enough: impl Fn(&RecordGroups) -> bool) -> Result<()> {
        into.clear();
        let mut group_time = None;
        while let Some(Reverse((mut time, number))) = self.queue.pop() {
            let run = &mut self.runs[number];
            // As long as no other run comes first, the queue is not asked.
            let other = self.queue.peek().map(|Reverse(other)| *other);
            loop {
                if group_time != Some(time) || into.last_len() == most {
                    if is_enough(into) {
                        self.queue.push(Reverse((time, number)));
                        return Ok(());
                    }
                    into.starts.push(into.heads.len());
                    group_time = Some(time);
                }
                let Some((head, text)) = run.next() else { break };
                into.push(head, text);
                match run.pass(text.len())? {
                    None => break,
                    Some(next) if other.is_some_and(|other| (next, number) > other) => {
                        self.queue.push(Reverse((next, number)));
                        break;
                    }
                    Some(next) => time = next,
                }
            }
        }
        Ok(())
    }

    /// Gives the records of each time, `most` at most, until it is told to stop. They are merged by a thread of their own.
    pub fn each_group(self, most: usize, mut take: impl FnMut(&RecordGroup<'_>) -> Result<ReadFlow>) -> Result<()> {
        take_ahead(&mut GroupMerge { sorted: self, most }, |groups| {
            for group in groups.each() {
                if take(&group)? == ReadFlow::Stop {
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

impl PieceSource for GroupMerge {
    type Piece = RecordGroups;

    fn fill(&mut self, piece: &mut RecordGroups) -> Result<MorePieces> {
        self.sorted.merge(piece, self.most, RecordGroups::is_full)?;
        Ok(if self.sorted.time().is_some() { MorePieces::Follow } else { MorePieces::End })
    }

    fn is_large(piece: &RecordGroups) -> bool {
        piece.heads.len() > 16 * AHEAD || piece.text.len() > 16 * TEXT_AHEAD
    }
}

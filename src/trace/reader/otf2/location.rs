//! The events of one location, in the order of its file, on the common clock.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::bytes::{Malformed, RecordBytes};
use super::clock::Timer;
use super::events::{self, Attribute, Collective, EventRecord};
use super::local::LocationDefinitions;
use super::stream::{ChunkStream, ReadAt, StreamStep};
use crate::error::{Error, Result};

/// How many records may stand between the begin of a collective operation and its end, which names the
/// operation.
const LONGEST_COLLECTIVE: usize = 4096;

/// A file that is open only while it is read: archives have more files than a process may open.
pub(super) struct FileAt(pub PathBuf);

impl ReadAt for FileAt {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = File::open(&self.0)?;
        file.seek(SeekFrom::Start(offset))?;
        let mut count = 0;
        while count < buffer.len() {
            match file.read(&mut buffer[count..]) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
                Err(error) => return Err(error),
            }
        }
        Ok(count)
    }
}

/// A record, or what was found in its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RecordOutcome {
    Event(EventRecord),
    /// The begin of a collective operation; what it is if its end follows.
    Begin(Option<Collective>),
    /// A record of a kind that is not known.
    Unknown(u8),
    /// A record whose fields do not fit into it.
    Malformed(u8),
    /// A place where the file cannot be read on, and how many events are lost by the next chunk.
    Damage(&'static str, u64),
}

/// One step of a location.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LocationRecord {
    /// Counts of the timer since the start of the trace.
    pub time: i64,
    /// Where in the file.
    pub byte: u64,
    pub outcome: RecordOutcome,
    pub attributes: Vec<Attribute>,
}

/// The events of a location.
pub(super) struct LocationEvents {
    path: PathBuf,
    stream: ChunkStream<FileAt>,
    local: LocationDefinitions,
    timer: Timer,
    attributes: Vec<Attribute>,
    /// Items read ahead.
    ahead: VecDeque<LocationRecord>,
    /// How many event records were read, known or not.
    pub count: u64,
}

impl LocationEvents {
    pub fn new(path: PathBuf, stream: ChunkStream<FileAt>, local: LocationDefinitions, timer: Timer) -> LocationEvents {
        LocationEvents { path, stream, local, timer, attributes: vec![], ahead: VecDeque::new(), count: 0 }
    }

    /// How far the file was read.
    pub fn position(&self) -> u64 {
        self.stream.position()
    }

    /// The counts since the start of the trace of one of the location's own timestamps.
    fn time(&mut self, time: u64) -> i64 {
        let count = self.local.clock.apply(time) - i128::from(self.timer.start);
        count.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    fn read(&mut self) -> Result<Option<LocationRecord>> {
        loop {
            let byte = self.stream.position();
            let (count, last) = (self.count, self.stream.last_event());
            let failed = |source| Error::Io { context: format!("cannot read {}", self.path.display()), source };
            let outcome = match self.stream.step().map_err(failed)? {
                StreamStep::End => return Ok(None),
                StreamStep::Damage(what) => RecordOutcome::Damage(what, last.saturating_sub(count)),
                StreamStep::Record { code: 6, body, order } => {
                    match events::attributes(&mut RecordBytes::new(body, order), &self.local) {
                        Ok(attributes) => {
                            self.attributes = attributes;
                            continue;
                        }
                        Err(Malformed) => RecordOutcome::Malformed(6),
                    }
                }
                StreamStep::Record { code, body, order } => {
                    self.count += 1;
                    match events::decode(code, &mut RecordBytes::new(body, order), &self.local) {
                        Ok(Some(EventRecord::CollectiveBegin)) => RecordOutcome::Begin(None),
                        Ok(Some(event)) => RecordOutcome::Event(event),
                        Ok(None) => RecordOutcome::Unknown(code),
                        Err(Malformed) => RecordOutcome::Malformed(code),
                    }
                }
            };
            // After damage the numbers of the next chunk count.
            if let RecordOutcome::Damage(_, lost) = outcome {
                self.count += lost;
            }
            let time = self.stream.time();
            let time = self.time(time);
            return Ok(Some(LocationRecord { time, byte, outcome, attributes: std::mem::take(&mut self.attributes) }));
        }
    }

    /// Reads on to the end of a collective operation that began.
    fn look_ahead(&mut self) -> Result<Option<Collective>> {
        let mut place = 0;
        while place < LONGEST_COLLECTIVE {
            if place == self.ahead.len() {
                match self.read()? {
                    Some(record) => self.ahead.push_back(record),
                    None => return Ok(None),
                }
            }
            if let RecordOutcome::Event(EventRecord::CollectiveEnd(collective)) = &self.ahead[place].outcome {
                return Ok(Some(*collective));
            }
            place += 1;
        }
        Ok(None)
    }
}

impl Iterator for LocationEvents {
    type Item = Result<LocationRecord>;

    fn next(&mut self) -> Option<Result<LocationRecord>> {
        let mut record = match self.ahead.pop_front() {
            Some(record) => record,
            None => match self.read() {
                Ok(record) => record?,
                Err(error) => return Some(Err(error)),
            },
        };
        if let RecordOutcome::Begin(collective) = &mut record.outcome {
            match self.look_ahead() {
                Ok(found) => *collective = found,
                Err(error) => return Some(Err(error)),
            }
        }
        Some(Ok(record))
    }
}

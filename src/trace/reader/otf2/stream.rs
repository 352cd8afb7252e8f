//! The records of one file of an OTF2 archive, one after the other, through a small window.
//!
//! ```text
//! file    = chunk*                        each chunk starts at a multiple of the chunk size
//! chunk   = 3 order:u8 first:u64 last:u64 (record | time)* (0 rest of the chunk | 2 end of the file)
//! time    = 5 timestamp:u64               of the records that follow
//! record  = code:u8 length body           length: one byte, or 0xff and eight bytes
//! ```
//! A few old event records have one short number as their body; its size byte is their length. A
//! record that cannot be understood costs the rest of its chunk, never the file.

use std::io;

use super::bytes::ByteOrder;

/// Bytes of a chunk before its first record.
const HEADER: usize = 18;

/// Where the bytes of a file come from.
pub(super) trait ReadAt {
    /// Reads at an offset, as much as there is and fits; 0 at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or(&[]);
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        Ok(count)
    }
}

/// What a file holds, which decides how records are delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileContent {
    Definitions,
    Events,
}

/// One step through a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StreamStep<'a> {
    Record {
        code: u8,
        body: &'a [u8],
        order: ByteOrder,
    },
    /// Something is wrong here; what follows is read on from the next chunk, if there is one.
    Damage(&'static str),
    End,
}

/// A file being read.
pub(super) struct ChunkStream<S> {
    source: S,
    content: FileContent,
    chunk: u64,
    order: ByteOrder,
    /// How much to read at a time.
    reach: usize,
    window: Vec<u8>,
    /// Where in the window the next record starts.
    at: usize,
    /// Where in the file the window starts.
    offset: u64,
    /// Number of the last event of the chunk, from its header.
    last: u64,
    time: u64,
    state: StreamState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StreamState {
    ChunkStart,
    Records,
    Done,
}

/// What stands at the beginning of some bytes.
enum RecordFrame {
    Time(u64),
    Record {
        code: u8,
        start: usize,
        end: usize,
    },
    EndOfChunk,
    EndOfFile,
    /// At least that many bytes are needed to decide.
    Short(usize),
    Damage(&'static str),
}

impl<S: ReadAt> ChunkStream<S> {
    pub fn new(source: S, content: FileContent, chunk: u64, reach: usize) -> ChunkStream<S> {
        ChunkStream {
            source,
            content,
            chunk,
            order: ByteOrder::Little,
            reach: reach.max(HEADER),
            window: vec![],
            at: 0,
            offset: 0,
            last: 0,
            time: 0,
            state: StreamState::ChunkStart,
        }
    }

    /// Timestamp of the last record.
    pub fn time(&self) -> u64 {
        self.time
    }

    /// Where in the file the next record starts.
    pub fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Number of the last event of the chunk at hand.
    pub fn last_event(&self) -> u64 {
        self.last
    }

    /// The next record.
    pub fn step(&mut self) -> io::Result<StreamStep<'_>> {
        loop {
            match self.state {
                StreamState::Done => return Ok(StreamStep::End),
                StreamState::ChunkStart => {
                    if let Some(damage) = self.start_chunk()? {
                        return Ok(StreamStep::Damage(damage));
                    }
                    continue;
                }
                StreamState::Records => (),
            }
            match frame(&self.window[self.at..], self.content, self.order, self.chunk) {
                RecordFrame::Time(time) => {
                    self.time = time;
                    self.at += 9;
                }
                RecordFrame::EndOfFile => self.state = StreamState::Done,
                RecordFrame::EndOfChunk => self.next_chunk(),
                RecordFrame::Record { code, start, end } => {
                    let from = self.at;
                    self.at += end;
                    return Ok(StreamStep::Record {
                        code,
                        body: &self.window[from + start..from + end],
                        order: self.order,
                    });
                }
                RecordFrame::Short(needed) => {
                    if !self.fill(needed)? {
                        self.state = StreamState::Done;
                        return Ok(StreamStep::Damage("the file ends in the middle"));
                    }
                }
                RecordFrame::Damage(what) => {
                    self.next_chunk();
                    return Ok(StreamStep::Damage(what));
                }
            }
        }
    }

    /// Goes to the start of the chunk after the one at hand.
    fn next_chunk(&mut self) {
        let next = (self.position().saturating_sub(1) / self.chunk + 1) * self.chunk;
        match usize::try_from(next - self.offset) {
            Ok(skip) if skip <= self.window.len() => self.at = skip,
            _ => {
                self.window.clear();
                self.at = 0;
                self.offset = next;
            }
        }
        self.state = StreamState::ChunkStart;
    }

    /// Reads the header of a chunk; returns what is wrong with it.
    fn start_chunk(&mut self) -> io::Result<Option<&'static str>> {
        if !self.fill(HEADER)? {
            self.state = StreamState::Done;
            return Ok(Some("the file ends without its end mark"));
        }
        let header = &self.window[self.at..self.at + HEADER];
        let Some(order) = ByteOrder::from_mark(header[1]).filter(|_| header[0] == 3) else {
            self.at += HEADER;
            self.next_chunk();
            return Ok(Some("a chunk does not start as chunks do"));
        };
        self.order = order;
        self.last = order.number(&header[10..18]);
        self.at += HEADER;
        self.state = StreamState::Records;
        Ok(None)
    }

    /// Ensures that `needed` bytes are in the window after the place at hand; false at the end of
    /// the file.
    fn fill(&mut self, needed: usize) -> io::Result<bool> {
        if self.window.len() - self.at >= needed {
            return Ok(true);
        }
        self.window.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        while self.window.len() < needed {
            let start = self.window.len();
            self.window.resize(needed.max(self.reach).max(start), 0);
            let count = self.source.read_at(self.offset + start as u64, &mut self.window[start..])?;
            self.window.truncate(start + count);
            if count == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Event records whose only field is a short number.
fn is_single(content: FileContent, code: u8) -> bool {
    content == FileContent::Events && matches!(code, 12 | 13 | 16 | 17 | 20 | 21 | 24 | 28 | 29 | 30)
}

fn frame(bytes: &[u8], content: FileContent, order: ByteOrder, chunk: u64) -> RecordFrame {
    let Some(code) = bytes.first().copied() else { return RecordFrame::Short(1) };
    match code {
        0 => return RecordFrame::EndOfChunk,
        2 => return RecordFrame::EndOfFile,
        5 if content == FileContent::Events => {
            return match bytes.get(1..9) {
                Some(time) => RecordFrame::Time(order.number(time)),
                None => RecordFrame::Short(9),
            };
        }
        _ => (),
    }
    let Some(size) = bytes.get(1).copied() else { return RecordFrame::Short(2) };
    let (start, length) = match size {
        _ if is_single(content, code) => match size {
            0xff => (1, 1),
            0..=8 => (1, 1 + u64::from(size)),
            _ => return RecordFrame::Damage("a number of more than eight bytes"),
        },
        0xff => match bytes.get(2..10) {
            Some(long) => (10, order.number(long)),
            None => return RecordFrame::Short(10),
        },
        _ => (2, u64::from(size)),
    };
    if length > chunk {
        return RecordFrame::Damage("a record is longer than its chunk");
    }
    let end = start + length as usize;
    if end > bytes.len() {
        return RecordFrame::Short(end);
    }
    RecordFrame::Record { code, start, end }
}

//! The Pajé trace format: definitions and events, mixed, as text.
//!
//! ```text
//! window of lines ─► split at definitions ─► pieces ─┬─► parse ─► batch ─┐
//!                    (in order)                      └─► parse ─► batch ─┴─► consumer (in order)
//! ```
//! The pieces of a window are parsed in parallel while the consumer works on those of the window
//! before. What a definition declares holds from its place in the file on.

mod definitions;
mod faults;
mod lexer;
mod numbers;
mod parser;
mod plan;
mod producer;
mod quick;
mod roles;
mod symbols;

use std::sync::{Arc, Mutex, PoisonError};

use rayon::prelude::*;

use self::definitions::{EventDefinitions, HeaderFault, HeaderReader};
use self::producer::Producer;
pub(super) use self::roles::column_name;
use self::symbols::Symbols;
use super::input::InputWindow;
use super::{Consumer, ReadFlow, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, SourcePosition};
use crate::error::Result;
use crate::model::{EventBatch, Fault};
use crate::time::{Clock, Resolution, TimeUnit};

/// How much text a batch is made from: small enough for a cache, large enough to forget the overhead.
const PIECE: usize = 64 << 10;

/// Pieces of a window that wait with definitions of their own, and how many definitions these may be. Each change of
/// definitions that are waited with copies them all; beyond this, what waits is parsed first.
const MOST_SNAPSHOTS: usize = 8;
const MOST_COPIED: usize = 1000;

/// Reads Pajé traces.
pub struct PajeReader {
    /// The unit that the user gave.
    given_unit: Option<TimeUnit>,
    clock: Clock,
    header: HeaderReader,
    /// Batches whose memory is free to be used again.
    spare: Vec<EventBatch>,
    /// Tables to number words with: one for each thread, so that they stay in its cache.
    symbols: Mutex<Vec<Symbols>>,
}

/// A part of a window.
enum WindowPart<'w> {
    Events { text: &'w [u8], first_byte: u64, definitions: Arc<EventDefinitions>, batch: EventBatch },
    Done(EventBatch),
}

impl PajeReader {
    /// A reader of numbers in a unit; in that of the program that wrote the trace, or seconds, when none is given.
    pub fn new(given_unit: Option<TimeUnit>, resolution: Resolution) -> PajeReader {
        PajeReader {
            given_unit,
            clock: Clock { unit: given_unit.unwrap_or_default(), resolution },
            header: HeaderReader::default(),
            spare: vec![],
            symbols: Mutex::default(),
        }
    }

    /// Finds the unit of the times by the definitions at the beginning of the trace, when none was given.
    fn recognize(&mut self, origin: &TraceOrigin) -> Result<Option<&'static Producer>> {
        if self.given_unit.is_some() {
            return Ok(None);
        }
        self.header = HeaderReader::default();
        let Some(window) = origin.input()?.next_window()? else {
            return Ok(None);
        };
        let mut beginning = self.parse_window(&window);
        let producer = Producer::of(&beginning);
        self.clock.unit = producer.map_or(TimeUnit::default(), |producer| producer.unit);
        self.spare.append(&mut beginning);
        Ok(producer)
    }

    fn batch(&mut self) -> EventBatch {
        let mut batch = self.spare.pop().unwrap_or_default();
        batch.clear();
        batch
    }

    fn parse_window(&mut self, window: &InputWindow) -> Vec<EventBatch> {
        let (mut parsed, pieces) = self.split(window);
        parsed.extend(self.parse_pieces(pieces));
        parsed
    }

    fn parse_pieces(&self, pieces: Vec<WindowPart<'_>>) -> Vec<EventBatch> {
        let clock = self.clock;
        let spare = || self.symbols.lock().unwrap_or_else(PoisonError::into_inner);
        pieces
            .into_par_iter()
            .with_max_len(1)
            .map(|piece| match piece {
                WindowPart::Done(batch) => batch,
                WindowPart::Events { text, first_byte, definitions, mut batch } => {
                    let mut symbols = spare().pop().unwrap_or_default();
                    parser::parse(text, first_byte, &definitions, clock, &mut symbols, &mut batch);
                    spare().push(symbols);
                    batch
                }
            })
            .collect()
    }

    /// Cuts a window into definitions, which are read here, and pieces of event lines. Where definitions change often,
    /// pieces are parsed here too.
    fn split<'w>(&mut self, window: &'w InputWindow) -> (Vec<EventBatch>, Vec<WindowPart<'w>>) {
        let text = window.bytes();
        if window.is_cut {
            return (vec![self.too_long(window)], vec![]);
        }
        let (mut parsed, mut pieces, mut snapshots) = (vec![], vec![], 0);
        let mut at = 0;
        while at < text.len() {
            let header = find_header_line(text, at).unwrap_or(text.len());
            if header > at {
                self.push_events(&text[at..header], window.offset + at as u64, &mut pieces);
                snapshots += 1;
            }
            at = header;
            if snapshots > MOST_SNAPSHOTS || self.header.count() > MOST_COPIED {
                parsed.extend(self.parse_pieces(std::mem::take(&mut pieces)));
            }
            if at < text.len() {
                at = self.read_header(text, at, window.offset, &mut pieces);
            }
        }
        (parsed, pieces)
    }

    /// Reads the header lines from `at` on; gives the place after them.
    fn read_header<'w>(
        &mut self,
        text: &'w [u8],
        mut at: usize,
        offset: u64,
        pieces: &mut Vec<WindowPart<'w>>,
    ) -> usize {
        let mut batch = self.batch();
        batch.first_byte = offset + at as u64;
        let start = at;
        while at < text.len() && is_header_line(&text[at..]) {
            let end = line_end(text, at);
            let mut faults = vec![];
            self.header.line(&text[at..end], &mut faults);
            push_faults(&mut batch, faults, at - start);
            batch.lines += 1;
            at = (end + 1).min(text.len());
        }
        pieces.push(WindowPart::Done(batch));
        at
    }

    fn push_events<'w>(&mut self, text: &'w [u8], offset: u64, pieces: &mut Vec<WindowPart<'w>>) {
        let mut faults = vec![];
        let definitions = if self.header.is_open() && has_no_events(text) {
            self.header.definitions_so_far()
        } else {
            self.header.definitions(&mut faults)
        };
        if !faults.is_empty() {
            let mut batch = self.batch();
            batch.first_byte = offset;
            push_faults(&mut batch, faults, 0);
            pieces.push(WindowPart::Done(batch));
        }
        let mut at = 0;
        while at < text.len() {
            let end = match text.len() - at {
                left if left <= PIECE => text.len(),
                _ => (line_end(text, at + PIECE) + 1).min(text.len()),
            };
            pieces.push(WindowPart::Events {
                text: &text[at..end],
                first_byte: offset + at as u64,
                definitions: Arc::clone(&definitions),
                batch: self.batch(),
            });
            at = end;
        }
    }

    fn too_long(&mut self, window: &InputWindow) -> EventBatch {
        let mut batch = self.batch();
        batch.first_byte = window.offset;
        batch.lines = 1;
        let is_comment = window.bytes().trim_ascii_start().starts_with(b"#");
        if !is_comment {
            batch.event_lines = 1;
            let message = format!("the line is longer than {} bytes", parser::LONGEST_LINE);
            batch.faults.push(Fault {
                code: Code::LineTooLong,
                line: 0,
                byte: 0,
                message,
                place: None,
                occurrences: 1,
            });
        }
        batch
    }
}

impl TraceReader for PajeReader {
    fn total(&self, origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(origin.input()?.total)
    }

    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let producer = self.recognize(origin)?;
        // A trace that is not in order is read twice, from its header on.
        self.header = HeaderReader::default();
        let mut input = origin.input()?;
        let mut ready: Vec<EventBatch> = vec![];
        loop {
            let window = input.next_window()?;
            let is_last = window.is_none();
            let (parsed, consumed) = rayon::join(
                || window.map(|window| self.parse_window(&window)).unwrap_or_default(),
                || consume_all(&mut ready, consume),
            );
            if consumed? == ReadFlow::Stop {
                return Ok(());
            }
            self.spare.append(&mut ready);
            if is_last {
                break;
            }
            ready = parsed;
        }
        let mut end = EventBatch { first_byte: input.offset(), ..EventBatch::default() };
        let mut faults = vec![];
        self.header.definitions(&mut faults);
        if let Some(damage) = input.damage.take() {
            faults.push((Code::DamagedStream, format!("the compressed stream ends here: {damage}")));
        }
        push_faults(&mut end, faults, 0);
        end.faults.extend(producer.map(|producer| Fault {
            code: Code::RecognizedUnit,
            line: 0,
            byte: 0,
            message: producer.message(),
            place: Some(SourcePosition::default()),
            occurrences: 1,
        }));
        consume(&mut end).map(|_| ())
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn time_unit(&self) -> Option<TimeUnit> {
        Some(self.clock.unit)
    }
}

fn consume_all(ready: &mut [EventBatch], consume: &mut Consumer<'_>) -> Result<ReadFlow> {
    for batch in ready {
        if consume(batch)? == ReadFlow::Stop {
            return Ok(ReadFlow::Stop);
        }
    }
    Ok(ReadFlow::GoOn)
}

fn push_faults(batch: &mut EventBatch, faults: Vec<HeaderFault>, byte: usize) {
    let line = batch.lines;
    batch.faults.extend(faults.into_iter().map(|(code, message)| Fault {
        code,
        line,
        byte: byte as u32,
        message,
        place: None,
        occurrences: 1,
    }));
}

/// Place of the LF that ends the line at `at`, or the end of the text.
fn line_end(text: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |end| at + end)
}

/// Whether the line that the text starts with belongs to a definition.
fn is_header_line(text: &[u8]) -> bool {
    text.iter().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'%')
}

/// The start of the next header line; `from` is the start of a line.
fn find_header_line(text: &[u8], from: usize) -> Option<usize> {
    memchr::memchr_iter(b'%', &text[from..]).map(|place| from + place).find_map(|place| {
        let line = memchr::memrchr(b'\n', &text[from..place]).map_or(from, |before| from + before + 1);
        text[line..place].iter().all(|byte| matches!(byte, b' ' | b'\t')).then_some(line)
    })
}

/// Whether all lines are blank or comments.
fn has_no_events(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n')
        .map(<[u8]>::trim_ascii_start)
        .all(|line| line.is_empty() || line.starts_with(b"#"))
}

#[cfg(test)]
mod tests;

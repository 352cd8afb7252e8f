//! The rows that pj_dump prints, which are what many pipelines keep of a trace.
//!
//! ```text
//! rows ─► containers                        first: they may stand anywhere
//!      └► row ─► sorted by time ─► emitter  pj_dump prints container by container
//! ```

mod containers;
mod emitter;
mod row;
#[cfg(test)]
mod tests;
mod words;

use self::containers::DumpContainers;
use self::emitter::{DumpEmitter, ROOT};
use self::row::{DumpPlace, DumpRow};
use self::words::DumpWords;
use super::chrome::{ChromeRecord, RecordSorter};
use super::text_lines::TextLines;
use super::{Consumer, EventWriter, ReaderOptions, TraceOrigin, TraceReader};
use crate::diagnostics::{Code, quote};
use crate::error::Result;
use crate::time::{Clock, TickError};

/// Bytes of rows that are sorted in memory.
const SORTED_IN_MEMORY: usize = 64 << 20;
/// Rows of one time that are put in order together.
const LARGEST_GROUP: usize = 1 << 20;
/// Lines between two pauses.
const PAUSE: u64 = 1 << 16;

/// Whether a text begins with such a row.
pub fn is_dump(head: &[u8]) -> bool {
    let is_row = |line: &[u8]| {
        let kinds: [&[u8]; 5] = [b"Container, ", b"State, ", b"Variable, ", b"Event, ", b"Link, "];
        kinds.iter().any(|kind| line.starts_with(kind))
            && std::str::from_utf8(line).is_ok_and(|line| DumpRow::parse(line.trim_end_matches('\r')).is_some())
    };
    let mut lines = head.split(|byte| *byte == b'\n').filter(|line| !is_skipped(line));
    lines.next().is_some_and(is_row)
}

fn is_skipped(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.is_empty() || line.starts_with(b"#")
}

/// Reads the rows of pj_dump.
pub struct PjDumpReader {
    clock: Clock,
    sorted_in_memory: usize,
}

impl PjDumpReader {
    pub fn new(options: &ReaderOptions) -> PjDumpReader {
        let clock = Clock { unit: options.time_unit.unwrap_or_default(), resolution: options.resolution };
        PjDumpReader { clock, sorted_in_memory: SORTED_IN_MEMORY }
    }

    /// The ticks of one unit of time.
    fn unit_ticks(&self) -> i64 {
        self.clock.parse(b"1").map_or(1, |parsed| parsed.tick)
    }
}

impl TraceReader for PjDumpReader {
    fn read(&mut self, origin: &TraceOrigin, consume: &mut Consumer<'_>) -> Result<()> {
        let mut writer = EventWriter::new(self.clock.resolution, consume);
        let mut intake = RowIntake {
            clock: self.clock,
            containers: DumpContainers::new(self.unit_ticks()),
            words: DumpWords::default(),
            sorter: RecordSorter::new(self.sorted_in_memory),
            last: None,
            buffer: vec![],
        };
        for word in ["lane", "container"] {
            intake.words.number(word);
        }
        intake.containers_of(origin, &mut writer)?;
        intake.rows_of(origin, &mut writer)?;
        let RowIntake { containers, words, sorter, last, .. } = intake;
        let (mut emitter, orphans) = DumpEmitter::new(containers, &words, last);
        emitter.report(orphans, &mut writer)?;
        sorter.sorted()?.each_group(LARGEST_GROUP, |group| {
            emitter.group(group, &mut writer)?;
            Ok(writer.flow())
        })?;
        emitter.finish(&mut writer)?;
        emitter.report_displaced(&mut writer)?;
        writer.finish()
    }

    fn total(&self, _origin: &TraceOrigin, _bytes: u64) -> Result<Option<u64>> {
        Ok(None)
    }

    fn time_unit(&self) -> Option<crate::time::TimeUnit> {
        Some(self.clock.unit)
    }
}

/// What is collected while the rows are read.
struct RowIntake {
    clock: Clock,
    containers: DumpContainers,
    words: DumpWords,
    sorter: RecordSorter,
    /// The largest time of a row.
    last: Option<i64>,
    buffer: Vec<u8>,
}

impl RowIntake {
    /// Takes the rows of containers.
    fn containers_of(&mut self, origin: &TraceOrigin, writer: &mut EventWriter<'_>) -> Result<()> {
        let mut lines = TextLines::new(origin.input()?);
        let mut count = 0_u64;
        while let Some(line) = lines.line()? {
            count += 1;
            if count.is_multiple_of(PAUSE) {
                writer.pause()?;
            }
            if line.is_cut || !line.text.starts_with(b"Container") {
                continue;
            }
            writer.at(line.byte);
            let text = String::from_utf8_lossy(line.text);
            let Some(DumpRow::Container { parent, type_, start, end, name }) = DumpRow::parse(&text) else { continue };
            let (Some(start), Some(end)) = (self.tick(start, writer)?, self.tick(end, writer)?) else { continue };
            self.words.number(&type_);
            self.containers.add(&name, &type_, &parent, (start, end));
        }
        Ok(())
    }

    /// Takes all other rows, and says what is no row.
    fn rows_of(&mut self, origin: &TraceOrigin, writer: &mut EventWriter<'_>) -> Result<()> {
        let mut lines = TextLines::new(origin.input()?);
        let mut count = 0_u64;
        while let Some(line) = lines.line()? {
            count += 1;
            if count.is_multiple_of(PAUSE) {
                writer.pause()?;
            }
            writer.at(line.byte);
            if line.is_cut {
                writer.fault(Code::LineTooLong, "a line is too long; it was skipped".to_string())?;
                continue;
            }
            if is_skipped(line.text) {
                continue;
            }
            if line.is_unfinished {
                let message = "the last line has no line end; it may have been cut";
                writer.fault(Code::TruncatedLine, message.to_string())?;
            }
            let text = String::from_utf8_lossy(line.text);
            if matches!(text, std::borrow::Cow::Owned(_)) {
                let message = "the text is not UTF-8; the bytes that are not were replaced";
                writer.fault(Code::InvalidUtf8, message.to_string())?;
            }
            match DumpRow::parse(&text) {
                Some(row) => self.row(&row, line.byte, writer)?,
                None => {
                    let message = format!("{} is no row of pj_dump", quote(line.text));
                    writer.fault(Code::UnreadableLine, message)?;
                }
            }
        }
        match lines.damage() {
            Some(damage) => writer.fault(Code::DamagedStream, format!("the compressed stream is damaged: {damage}")),
            None => Ok(()),
        }
    }

    fn row(&mut self, row: &DumpRow<'_>, byte: u64, writer: &mut EventWriter<'_>) -> Result<()> {
        match row {
            DumpRow::Container { .. } => Ok(()),
            DumpRow::State { at, end, depth, value } => {
                let depth = depth.parse::<f64>().map_or(0, |depth| depth as u32);
                let Some(times) = self.times(at.start, end, writer)? else { return Ok(()) };
                self.buffer.clear();
                self.buffer.extend(depth.to_le_bytes());
                let category = self.words.number(value);
                self.keep(
                    at,
                    (times.0, times.1.max(times.0)),
                    byte,
                    |record| {
                        (record.phase, record.category) = (b'S', category);
                    },
                    RecordText::Id,
                )
            }
            DumpRow::Variable { at, end, value } => {
                let Ok(number) = value.parse::<f64>() else {
                    let message = format!("the value {} of a variable is no number", quote(value.as_bytes()));
                    return writer.fault(Code::BadNumber, message);
                };
                let Some(times) = self.times(at.start, end, writer)? else { return Ok(()) };
                self.buffer.clear();
                self.buffer.extend(number.to_bits().to_le_bytes());
                let times = (times.0, times.1.max(times.0));
                self.keep(at, times, byte, |record| record.phase = b'V', RecordText::Arguments)
            }
            DumpRow::Event { at, value } => {
                let Some(tick) = self.tick(at.start, writer)? else { return Ok(()) };
                let category = self.words.number(value);
                self.buffer.clear();
                self.keep(
                    at,
                    (tick, tick),
                    byte,
                    |record| {
                        (record.phase, record.category) = (b'E', category);
                    },
                    RecordText::Arguments,
                )
            }
            DumpRow::Link { at, end, value, ends, key } => {
                let Some((start, end)) = self.times(at.start, end, writer)? else { return Ok(()) };
                let category = self.words.number(value);
                let places = ends.each_ref().map(|name| self.place(name, (start, end)));
                self.buffer.clear();
                self.buffer.extend(places.iter().flat_map(|place| place.to_le_bytes()));
                let mode = u8::from(end < start);
                let arguments = std::mem::take(&mut self.buffer);
                let thread = self.place(&at.container, (start, end));
                let record = ChromeRecord {
                    start: start.min(end),
                    end: start.max(end),
                    byte,
                    thread,
                    name: self.words.number(&at.type_),
                    category,
                    phase: b'L',
                    mode,
                    id: key.as_bytes(),
                    arguments: &arguments,
                };
                self.sorter.push(&record)?;
                self.last = self.last.max(Some(start.max(end)));
                self.buffer = arguments;
                Ok(())
            }
        }
    }

    /// Keeps a row on a container; the text of the record is in the buffer.
    fn keep(
        &mut self,
        at: &DumpPlace<'_>,
        (start, end): (i64, i64),
        byte: u64,
        fill: impl FnOnce(&mut ChromeRecord<'_>),
        text: RecordText,
    ) -> Result<()> {
        let thread = self.place(&at.container, (start, end));
        let name = self.words.number(&at.type_);
        let mut record = ChromeRecord { start, end, byte, thread, name, ..ChromeRecord::default() };
        match text {
            RecordText::Id => record.id = &self.buffer,
            RecordText::Arguments => record.arguments = &self.buffer,
        }
        fill(&mut record);
        self.sorter.push(&record)?;
        self.last = self.last.max(Some(end));
        Ok(())
    }

    /// The place of a container at some times; it lives then.
    fn place(&mut self, name: &str, times: (i64, i64)) -> u32 {
        if name == "0" {
            return ROOT;
        }
        self.containers.note_ambiguity(name);
        self.containers.touch(name, times);
        let (start, end) = (times.0.min(times.1), times.0.max(times.1));
        self.containers.find(name, start, end).map_or(ROOT, |place| place as u32)
    }

    fn times(&self, start: &str, end: &str, writer: &mut EventWriter<'_>) -> Result<Option<(i64, i64)>> {
        match self.tick(start, writer)? {
            Some(start) => Ok(self.tick(end, writer)?.map(|end| (start, end))),
            None => Ok(None),
        }
    }

    /// A time, or a report that loses the line.
    fn tick(&self, text: &str, writer: &mut EventWriter<'_>) -> Result<Option<i64>> {
        let (code, what) = match self.clock.parse(text.as_bytes()) {
            Ok(parsed) => {
                if parsed.rounded {
                    writer.note_rounded();
                }
                return Ok(Some(parsed.tick));
            }
            Err(TickError::NotANumber) => (Code::BadTime, "is no decimal number"),
            Err(TickError::OutOfRange) => (Code::TimeOutOfRange, "does not fit into 64 bits of ticks"),
        };
        writer.fault(code, format!("the time {} {what}", quote(text.as_bytes())))?;
        Ok(None)
    }
}

/// Where a record keeps the text of a row.
#[derive(Debug, Clone, Copy)]
enum RecordText {
    Id,
    Arguments,
}

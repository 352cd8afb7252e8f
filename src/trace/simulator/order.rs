//! Sorts the events of a trace by time, stably, in bounded memory.
//!
//! ```text
//! batches ─► run of events ─► sorted ─► temporary file ─┐
//!            run of events ─► sorted ─► temporary file ─┼─► merged ─► batches in time order
//!            run of events ─► sorted, in memory ────────┘
//! ```
//! Definitions have no time and come first, in the order of the file.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Seek, Write};

use crate::diagnostics::SourcePosition;
use crate::error::{Error, Result};
use crate::model::{BatchSpan, Event, EventBatch, EventKind, Extra, ExtraData, Extras, NameInterner, Payload, Symbol};

/// Events of a run: what is held in memory at a time.
const RUN: usize = 400_000;
/// Events of a batch that comes out.
const OUT: usize = 8192;

/// One event on its own, with its words as numbers of the sorter's names.
#[derive(Debug, Clone)]
struct SortRecord {
    tick: i64,
    place: SourcePosition,
    event: Event,
    key: Option<String>,
    extras: Vec<(u32, SortValue)>,
}

#[derive(Debug, Clone)]
enum SortValue {
    Int(i64),
    UInt(u64),
    Double(f64),
    Text(String),
}

impl SortRecord {
    fn order(&self) -> (i64, u64) {
        (self.tick, self.place.line)
    }
}

/// Collects events and gives them back in time order.
#[derive(Default)]
pub struct EventSorter {
    names: NameInterner,
    extra_fields: Extras,
    run: Vec<SortRecord>,
    spilled: Vec<File>,
}

impl EventSorter {
    /// Takes the events of a batch; `lines_before` lines of the source came before it.
    pub fn add(&mut self, batch: &EventBatch, lines_before: u64) -> Result<()> {
        let words: Vec<u32> = (0..batch.symbols.len() as u32)
            .map(|index| self.names.intern(&String::from_utf8_lossy(batch.symbol(Symbol(index)))).0)
            .collect();
        if !batch.events.is_empty() {
            self.extra_fields = batch.extra_fields.clone();
        }
        for event in &batch.events {
            let place = batch.place(event, lines_before);
            self.run.push(record(batch, event, place, &words));
            if self.run.len() >= RUN {
                self.spill()?;
            }
        }
        Ok(())
    }

    fn spill(&mut self) -> Result<()> {
        let failed = |source| Error::Io { context: "cannot write a temporary file for sorting".to_string(), source };
        self.run.sort_by_key(SortRecord::order);
        let mut file = BufWriter::new(tempfile::tempfile().map_err(failed)?);
        for record in self.run.drain(..) {
            write_record(&mut file, &record).map_err(failed)?;
        }
        let mut file = file.into_inner().map_err(|e| failed(e.into_error()))?;
        file.rewind().map_err(failed)?;
        self.spilled.push(file);
        Ok(())
    }

    /// Hands over all events in time order.
    pub fn finish(mut self, mut consume: impl FnMut(&EventBatch) -> Result<()>) -> Result<()> {
        self.run.sort_by_key(SortRecord::order);
        let mut sources: Vec<Box<dyn Iterator<Item = Result<SortRecord>>>> = vec![];
        for file in std::mem::take(&mut self.spilled) {
            sources.push(Box::new(RunReader { file: BufReader::with_capacity(1 << 18, file) }));
        }
        sources.push(Box::new(std::mem::take(&mut self.run).into_iter().map(Ok)));
        let mut heads: Vec<Option<SortRecord>> = vec![];
        let mut heap = BinaryHeap::new();
        for (index, source) in sources.iter_mut().enumerate() {
            let head = source.next().transpose()?;
            heap.extend(head.as_ref().map(|record| Reverse((record.order(), index))));
            heads.push(head);
        }
        let mut builder = BatchBuilder::new(&self.names, self.extra_fields.clone());
        while let Some(Reverse((_, index))) = heap.pop() {
            let next = sources[index].next().transpose()?;
            heap.extend(next.as_ref().map(|record| Reverse((record.order(), index))));
            if let Some(record) = std::mem::replace(&mut heads[index], next) {
                builder.push(record);
            }
            if builder.batch.events.len() >= OUT {
                consume(&builder.batch)?;
                builder.clear();
            }
        }
        consume(&builder.batch)
    }
}

fn record(batch: &EventBatch, event: &Event, place: SourcePosition, words: &[u32]) -> SortRecord {
    let word = |symbol: Symbol| if symbol.is_some() { Symbol(words[symbol.0 as usize]) } else { symbol };
    let mut renamed = *event;
    renamed.container = word(event.container);
    renamed.type_ = word(event.type_);
    renamed.value = word(event.value);
    renamed.other = word(event.other);
    if event.kind == EventKind::DefineLinkType {
        let (source, target) = event.end_types();
        renamed.payload = Payload::end_types(word(source), word(target));
    }
    let is_link = matches!(event.kind, EventKind::StartLink | EventKind::EndLink);
    let extras = batch.extras(event).iter().map(|extra| {
        let value = match extra.data {
            ExtraData::Int(value) => SortValue::Int(value),
            ExtraData::UInt(value) => SortValue::UInt(value),
            ExtraData::Double(value) => SortValue::Double(value),
            ExtraData::Text(span) => SortValue::Text(batch.text(span).to_string()),
        };
        (extra.field, value)
    });
    SortRecord {
        tick: if event.kind.has_time() { event.tick } else { i64::MIN },
        place,
        event: renamed,
        key: is_link.then(|| batch.text(event.key()).to_string()),
        extras: extras.collect(),
    }
}

/// Makes batches from records: the words get symbols of the batch again.
struct BatchBuilder<'a> {
    names: &'a NameInterner,
    batch: EventBatch,
    /// By name: the symbol in the batch.
    symbols: Vec<Symbol>,
    used: Vec<u32>,
}

impl<'a> BatchBuilder<'a> {
    fn new(names: &'a NameInterner, extra_fields: Extras) -> BatchBuilder<'a> {
        let batch = EventBatch { extra_fields, ..EventBatch::default() };
        BatchBuilder { names, batch, symbols: vec![Symbol::NONE; names.len()], used: vec![] }
    }

    fn clear(&mut self) {
        for name in self.used.drain(..) {
            self.symbols[name as usize] = Symbol::NONE;
        }
        self.batch.clear();
    }

    fn symbol(&mut self, name: Symbol) -> Symbol {
        if name.is_some() && !self.symbols[name.0 as usize].is_some() {
            let text = self.names.text(crate::model::NameId(name.0));
            self.symbols[name.0 as usize] = self.batch.push_symbol(text.as_bytes());
            self.used.push(name.0);
        }
        self.symbols.get(name.0 as usize).copied().unwrap_or(Symbol::NONE)
    }

    fn push(&mut self, record: SortRecord) {
        let mut event = record.event;
        event.container = self.symbol(event.container);
        event.type_ = self.symbol(event.type_);
        event.value = self.symbol(event.value);
        event.other = self.symbol(event.other);
        if event.kind == EventKind::DefineLinkType {
            let (source, target) = event.end_types();
            let (source, target) = (self.symbol(source), self.symbol(target));
            event.payload = Payload::end_types(source, target);
        }
        if let Some(key) = record.key {
            let span = self.batch.push_text(key.as_bytes());
            event.payload = Payload::key(span);
        }
        event.extras = 0;
        if !record.extras.is_empty() {
            let start = self.batch.extra_values.len() as u32;
            let len = record.extras.len() as u32;
            for (field, value) in record.extras {
                let data = match value {
                    SortValue::Int(value) => ExtraData::Int(value),
                    SortValue::UInt(value) => ExtraData::UInt(value),
                    SortValue::Double(value) => ExtraData::Double(value),
                    SortValue::Text(text) => ExtraData::Text(self.batch.push_text(text.as_bytes())),
                };
                self.batch.extra_values.push(Extra { field, data });
            }
            self.batch.extra_rows.push(BatchSpan { start, len });
            event.extras = self.batch.extra_rows.len() as u32;
        }
        event.line = self.batch.places.len() as u32;
        self.batch.events.push(event);
        self.batch.places.push(record.place);
    }
}

fn write_record(out: &mut impl Write, record: &SortRecord) -> std::io::Result<()> {
    let event = &record.event;
    for number in [record.tick as u64, record.place.line, record.place.byte, event.tick as u64, event.payload] {
        out.write_all(&number.to_le_bytes())?;
    }
    for symbol in [event.container, event.type_, event.value, event.other] {
        out.write_all(&symbol.0.to_le_bytes())?;
    }
    out.write_all(&[event.kind as u8, u8::from(record.key.is_some())])?;
    if let Some(key) = &record.key {
        write_text(out, key)?;
    }
    out.write_all(&(record.extras.len() as u32).to_le_bytes())?;
    for (field, value) in &record.extras {
        out.write_all(&field.to_le_bytes())?;
        match value {
            SortValue::Int(value) => write_number(out, 0, *value as u64)?,
            SortValue::UInt(value) => write_number(out, 1, *value)?,
            SortValue::Double(value) => write_number(out, 2, value.to_bits())?,
            SortValue::Text(text) => {
                out.write_all(&[3])?;
                write_text(out, text)?;
            }
        }
    }
    Ok(())
}

fn write_number(out: &mut impl Write, tag: u8, number: u64) -> std::io::Result<()> {
    out.write_all(&[tag])?;
    out.write_all(&number.to_le_bytes())
}

fn write_text(out: &mut impl Write, text: &str) -> std::io::Result<()> {
    out.write_all(&(text.len() as u32).to_le_bytes())?;
    out.write_all(text.as_bytes())
}

/// Reads the records of a spilled run.
struct RunReader {
    file: BufReader<File>,
}

impl Iterator for RunReader {
    type Item = Result<SortRecord>;

    fn next(&mut self) -> Option<Result<SortRecord>> {
        let mut first = [0; 8];
        match self.file.read(&mut first[..1]) {
            Ok(0) => None,
            Ok(_) => Some(self.record(first[0])),
            Err(error) => Some(Err(failed(error))),
        }
    }
}

fn failed(source: std::io::Error) -> Error {
    Error::Io { context: "cannot read a temporary file of sorting".to_string(), source }
}

impl RunReader {
    fn record(&mut self, first: u8) -> Result<SortRecord> {
        let mut rest = [0; 7];
        self.file.read_exact(&mut rest).map_err(failed)?;
        let mut bytes = [first; 8];
        bytes[1..].copy_from_slice(&rest);
        let tick = u64::from_le_bytes(bytes) as i64;
        let place = SourcePosition { line: self.u64()?, byte: self.u64()? };
        let (event_tick, payload) = (self.u64()? as i64, self.u64()?);
        let symbols = [self.u32()?, self.u32()?, self.u32()?, self.u32()?].map(Symbol);
        let kind = EventKind::from_code(self.u8()?).ok_or_else(damaged)?;
        let mut event = Event::new(kind);
        event.tick = event_tick;
        event.payload = payload;
        [event.container, event.type_, event.value, event.other] = symbols;
        let key = match self.u8()? {
            0 => None,
            _ => Some(self.text()?),
        };
        let mut extras = vec![];
        for _ in 0..self.u32()? {
            let field = self.u32()?;
            let value = match self.u8()? {
                0 => SortValue::Int(self.u64()? as i64),
                1 => SortValue::UInt(self.u64()?),
                2 => SortValue::Double(f64::from_bits(self.u64()?)),
                _ => SortValue::Text(self.text()?),
            };
            extras.push((field, value));
        }
        Ok(SortRecord { tick, place, event, key, extras })
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }

    fn u8(&mut self) -> Result<u8> {
        self.bytes::<1>().map(|bytes| bytes[0])
    }

    fn u32(&mut self) -> Result<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn text(&mut self) -> Result<String> {
        let mut bytes = vec![0; self.u32()? as usize];
        self.file.read_exact(&mut bytes).map_err(failed)?;
        String::from_utf8(bytes).map_err(|_| damaged())
    }
}

fn damaged() -> Error {
    Error::Internal("a temporary file of sorting was changed by another program".to_string())
}

//! A batch of events: what a reader hands to the simulator.
//!
//! A batch is a piece of a trace in order. Its events are small and of fixed size; the words they
//! mention are symbols, numbered within the batch, so that the simulator resolves each word once per
//! batch and not once per line.

use std::sync::Arc;

use super::event_kind::EventKind;
use super::kinds::StoredTable;
use crate::diagnostics::{Code, SourcePosition};

/// A word of a batch, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(pub u32);

impl Symbol {
    /// No word: an optional field that is not there.
    pub const NONE: Symbol = Symbol(u32::MAX);

    /// Whether there is a word.
    pub fn is_some(self) -> bool {
        self != Symbol::NONE
    }
}

/// A piece of a batch's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BatchSpan {
    /// First byte.
    pub start: u32,
    /// Number of bytes.
    pub len: u32,
}

/// One event. Which fields mean what depends on the kind:
///
/// | kind | container | type | value | other | payload |
/// |---|---|---|---|---|---|
/// | Define…Type | color | parent type | name | alias | source and target type |
/// | DefineEntityValue | color | type | name | alias | |
/// | CreateContainer | parent | type | name | alias | |
/// | DestroyContainer | the container | type | | | |
/// | states, events | container | type | value | | |
/// | variables | container | type | | | number |
/// | links | container | type | value | container of this end | key |
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// When it happens.
    pub tick: i64,
    /// Number, key or end types, whichever the kind has: see [`Payload`].
    pub payload: u64,
    /// See the table above.
    pub container: Symbol,
    /// See the table above.
    pub type_: Symbol,
    /// See the table above.
    pub value: Symbol,
    /// See the table above.
    pub other: Symbol,
    /// One more than the place in [`EventBatch::extra_rows`]; 0 for an event without extra fields.
    pub extras: u32,
    /// Line, counted from the first of the batch, or the place in [`EventBatch::places`].
    pub line: u32,
    /// Offset of the line, counted from the first byte of the batch.
    pub byte: u32,
    /// What kind of event it is.
    pub kind: EventKind,
}

impl Event {
    /// An event without fields.
    pub fn new(kind: EventKind) -> Event {
        Event {
            tick: 0,
            payload: 0,
            container: Symbol::NONE,
            type_: Symbol::NONE,
            value: Symbol::NONE,
            other: Symbol::NONE,
            extras: 0,
            line: 0,
            byte: 0,
            kind,
        }
    }

    /// The number of a variable event.
    pub fn number(&self) -> f64 {
        f64::from_bits(self.payload)
    }

    /// The key of a link event, in [`EventBatch::text`].
    pub fn key(&self) -> BatchSpan {
        BatchSpan { start: self.payload as u32, len: (self.payload >> 32) as u32 }
    }

    /// Source and target type of a link type.
    pub fn end_types(&self) -> (Symbol, Symbol) {
        (Symbol(self.payload as u32), Symbol((self.payload >> 32) as u32))
    }
}

/// Packs what an event has beside its words into 64 bits.
pub struct Payload;

impl Payload {
    /// The payload of a number.
    pub fn number(number: f64) -> u64 {
        number.to_bits()
    }

    /// The payload of the key of a link.
    pub fn key(key: BatchSpan) -> u64 {
        u64::from(key.start) | u64::from(key.len) << 32
    }

    /// The payload of the types of containers at both ends of a link.
    pub fn end_types(source: Symbol, target: Symbol) -> u64 {
        u64::from(source.0) | u64::from(target.0) << 32
    }
}

/// Declared type of an extra field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// A whole number.
    Int,
    /// A whole number in hexadecimal.
    Hex,
    /// A number.
    Double,
    /// A time.
    Date,
    /// Text.
    Text,
}

/// Extra columns that a table may have; every query plans with all of them.
pub const MOST_EXTRA_COLUMNS: usize = 500;

/// An extra field that an event definition declares: a column of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExtraField {
    /// The table that gets the column.
    pub table: StoredTable,
    /// Column name, in snake_case.
    pub column: String,
    /// Name in the trace.
    pub field: String,
    /// Declared type.
    pub kind: FieldKind,
    /// Whether it is the size of a link.
    pub is_volume: bool,
}

/// The extra fields known so far, by number; only ever grows.
pub type Extras = Arc<Vec<ExtraField>>;

/// The value of an extra field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExtraData {
    /// A whole number.
    Int(i64),
    /// A whole number beyond the range of `i64`.
    UInt(u64),
    /// A number.
    Double(f64),
    /// Text of the batch.
    Text(BatchSpan),
}

/// An extra field of one event.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extra {
    /// Place in [`Extras`].
    pub field: u32,
    /// The value.
    pub data: ExtraData,
}

/// Something that a reader found wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What was found.
    pub code: Code,
    /// Line within the batch.
    pub line: u32,
    /// Byte within the line.
    pub byte: u32,
    /// The message for the user.
    pub message: String,
    /// Where it was found, when not in a piece of text.
    pub place: Option<SourcePosition>,
    /// How often it was found.
    pub occurrences: u64,
}

/// A piece of a trace.
#[derive(Debug, Default)]
pub struct EventBatch {
    /// Offset of the first byte in the source.
    pub first_byte: u64,
    /// How many lines the batch covers.
    pub lines: u32,
    /// How many of them carry an event, readable or not.
    pub event_lines: u32,
    /// How many timestamps were finer than the resolution.
    pub rounded: u32,
    /// The words; their text is in `symbol_text`.
    pub symbols: Vec<BatchSpan>,
    /// The text of all symbols.
    pub symbol_text: Vec<u8>,
    /// The events in the order of the source.
    pub events: Vec<Event>,
    /// Where the lines of the events stand in the source, when the batch is not a piece of it; else
    /// empty.
    pub places: Vec<SourcePosition>,
    /// Keys of links, and the text of extra fields: pieces of valid UTF-8.
    pub text: Vec<u8>,
    /// By event that has any: its part of `extra_values`.
    pub extra_rows: Vec<BatchSpan>,
    /// Extra fields of all events.
    pub extra_values: Vec<Extra>,
    /// Which extra fields there are.
    pub extra_fields: Extras,
    /// What was wrong with lines.
    pub faults: Vec<Fault>,
}

impl EventBatch {
    /// Empties the batch and keeps its memory.
    pub fn clear(&mut self) {
        self.first_byte = 0;
        self.lines = 0;
        self.event_lines = 0;
        self.rounded = 0;
        self.symbols.clear();
        self.symbol_text.clear();
        self.events.clear();
        self.places.clear();
        self.text.clear();
        self.extra_rows.clear();
        self.extra_values.clear();
        self.faults.clear();
    }

    /// The text of a word.
    pub fn symbol(&self, symbol: Symbol) -> &[u8] {
        match self.symbols.get(symbol.0 as usize) {
            Some(span) => &self.symbol_text[span.start as usize..(span.start + span.len) as usize],
            None => b"",
        }
    }

    /// Where an event stands in the source, given the number of lines before the batch.
    pub fn place(&self, event: &Event, lines_before: u64) -> SourcePosition {
        let in_piece = || SourcePosition {
            line: lines_before + u64::from(event.line) + 1,
            byte: self.first_byte + u64::from(event.byte),
        };
        self.places.get(event.line as usize).copied().unwrap_or_else(in_piece)
    }

    /// Where a fault was found.
    pub fn fault_place(&self, fault: &Fault, lines_before: u64) -> SourcePosition {
        fault.place.unwrap_or(SourcePosition {
            line: lines_before + u64::from(fault.line) + 1,
            byte: self.first_byte + u64::from(fault.byte),
        })
    }

    /// A piece of [`EventBatch::text`].
    #[inline(always)]
    pub fn bytes(&self, span: BatchSpan) -> &[u8] {
        &self.text[span.start as usize..(span.start + span.len) as usize]
    }

    /// A piece of [`EventBatch::text`], as text.
    pub fn text(&self, span: BatchSpan) -> &str {
        std::str::from_utf8(self.bytes(span)).unwrap_or_default()
    }

    /// The extra fields of an event.
    pub fn extras(&self, event: &Event) -> &[Extra] {
        if event.extras == 0 {
            return &[];
        }
        let span = self.extra_rows[event.extras as usize - 1];
        &self.extra_values[span.start as usize..(span.start + span.len) as usize]
    }

    /// Adds a word without looking whether it is there; for readers that number words themselves.
    pub fn push_symbol(&mut self, text: &[u8]) -> Symbol {
        let start = self.symbol_text.len() as u32;
        self.symbol_text.extend_from_slice(text);
        self.symbols.push(BatchSpan { start, len: text.len() as u32 });
        Symbol(self.symbols.len() as u32 - 1)
    }

    /// Adds a piece of text; bytes that are not UTF-8 are replaced.
    pub fn push_text(&mut self, text: &[u8]) -> BatchSpan {
        let start = self.text.len() as u32;
        match std::str::from_utf8(text) {
            Ok(valid) => self.text.extend_from_slice(valid.as_bytes()),
            Err(_) => self.text.extend_from_slice(String::from_utf8_lossy(text).as_bytes()),
        }
        BatchSpan { start, len: self.text.len() as u32 - start }
    }

    /// Adds a piece of text that is known to be valid.
    #[inline]
    pub fn push_valid_text(&mut self, text: &str) -> BatchSpan {
        let start = self.text.len() as u32;
        self.text.extend_from_slice(text.as_bytes());
        BatchSpan { start, len: text.len() as u32 }
    }

    /// Adds the first `len` bytes of a piece of ASCII; gives up on other text.
    #[inline(always)]
    pub fn push_short_text(&mut self, bytes: &[u8; 16], len: usize) -> Option<BatchSpan> {
        const HIGHS: u128 = u128::from_le_bytes([0x80; 16]);
        if len > bytes.len() || u128::from_le_bytes(*bytes) & HIGHS != 0 {
            return None;
        }
        let start = self.text.len();
        // Copying all and forgetting some is one instruction for each, and no loop.
        self.text.extend_from_slice(bytes);
        self.text.truncate(start + len);
        Some(BatchSpan { start: start as u32, len: len as u32 })
    }
}

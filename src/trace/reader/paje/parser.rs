//! Event lines become a batch of events. The hot path: no allocation per line.

use super::definitions::{EventDefinition, EventDefinitions};
use super::lexer::{FieldForm, Lexer, LineField};
use super::numbers::parse_double;
use super::roles::StandardFields;
use super::symbols::{Novelty, Symbols};
use crate::diagnostics::{Code, quote};
use crate::model::{BatchSpan, Event, EventBatch, EventKind, Extra, ExtraData, Fault, FieldKind, Payload, Symbol};
use crate::time::Clock;

/// Longer lines are skipped: no tracer writes them, and they would cost memory.
pub(super) const LONGEST_LINE: usize = 1 << 20;

/// Reads a piece of a trace that holds whole event lines, and no definitions.
pub(super) fn parse(
    text: &[u8],
    first_byte: u64,
    definitions: &EventDefinitions,
    clock: Clock,
    symbols: &mut Symbols,
    batch: &mut EventBatch,
) {
    batch.clear();
    symbols.clear();
    batch.first_byte = first_byte;
    batch.extra_fields = definitions.extra_fields.clone();
    let mut parser = LineParser {
        lexer: Lexer::new(text),
        definitions,
        clock,
        symbols,
        batch,
        line_start: 0,
        fields: vec![LineField::END; 16],
    };
    let mut events_before = 0;
    loop {
        parser.quick_lines();
        if parser.lexer.at >= text.len() {
            break;
        }
        events_before = parser.batch.event_lines;
        parser.line();
        // Past the LF.
        parser.lexer.at += 1;
        parser.batch.lines += 1;
    }
    // Only the end of the trace is without a line end.
    if !text.ends_with(b"\n") && batch.event_lines > events_before {
        batch.faults.push(Fault {
            code: Code::TruncatedLine,
            line: batch.lines - 1,
            byte: memchr::memrchr(b'\n', text).map_or(0, |end| end as u32 + 1),
            message: "the last line has no line end; the trace may have been cut".to_string(),
            place: None,
            occurrences: 1,
        });
    }
}

pub(super) struct LineParser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) definitions: &'a EventDefinitions,
    pub(super) clock: Clock,
    pub(super) symbols: &'a mut Symbols,
    pub(super) batch: &'a mut EventBatch,
    pub(super) line_start: usize,
    /// The fields of the line at hand.
    fields: Vec<LineField>,
}

/// A line that gives no event; the fault is recorded.
pub(super) struct Skipped;

impl LineParser<'_> {
    #[inline(always)]
    fn line(&mut self) {
        self.line_start = self.lexer.at;
        let id = self.lexer.first_field();
        if id.is_end() {
            return;
        }
        self.batch.event_lines += 1;
        let definitions = self.definitions;
        let extras_before = self.batch.extra_values.len();
        let read = match definitions.find(&self.lexer.text[id.range()], id.packed) {
            Some(definition) => self.event(definition),
            None => self.undefined(id),
        };
        match read {
            Ok(()) => {
                if !self.lexer.is_at_line_end() {
                    let after = self.lexer.next_field();
                    if !after.is_end() {
                        self.too_many_fields(after);
                    }
                }
                if self.lexer.at - self.line_start > LONGEST_LINE {
                    self.too_long();
                }
            }
            Err(Skipped) => {
                self.batch.extra_values.truncate(extras_before);
                self.lexer.skip_to_line_end();
            }
        }
    }

    #[inline(always)]
    fn event(&mut self, definition: &EventDefinition) -> Result<(), Skipped> {
        let Some(kind) = definition.kind.filter(|_| definition.missing.is_none()) else {
            return self.unusable(definition);
        };
        let layout = &definition.layout;
        let count = definition.roles.len();
        if count > self.fields.len() {
            self.fields.resize(count, LineField::END);
        }
        let mut tick = 0;
        let mut next = 0;
        if layout.time == Some(0)
            && let Some(found) = self.quick_time()
        {
            (tick, next) = (found, 1);
        }
        let is_time_known = next == 1;
        while next < count {
            let field = self.lexer.next_field();
            if field.is_end() {
                return self.missing_field(definition, next);
            }
            if field.packed == 0 && self.lexer.form != FieldForm::Word {
                self.check_form(field);
            }
            self.fields[next] = field;
            next += 1;
        }
        if !is_time_known && let Some(place) = layout.time {
            tick = self.time(self.fields[place])?;
        }
        self.push_event(kind, tick, layout, definition)
    }

    #[inline(always)]
    fn push_event(
        &mut self,
        kind: EventKind,
        tick: i64,
        layout: &StandardFields,
        definition: &EventDefinition,
    ) -> Result<(), Skipped> {
        let payload = match (layout.number, layout.key, layout.end_types) {
            (None, None, None) => 0,
            (Some(place), _, _) => Payload::number(self.number(self.fields[place])?),
            (_, Some(place), _) => Payload::key(self.text(self.fields[place])),
            (_, _, Some((source, target))) => {
                let source = self.symbol(self.fields[source]);
                Payload::end_types(source, self.symbol(self.fields[target]))
            }
        };
        let mut symbol = |place: Option<usize>| place.map_or(Symbol::NONE, |place| self.symbol(self.fields[place]));
        let (type_, container) = (symbol(layout.type_), symbol(layout.container));
        let (value, other) = (symbol(layout.value), symbol(layout.other));
        let mut extras = 0;
        if !layout.extras.is_empty() {
            let start = self.batch.extra_values.len();
            for (place, number, kind) in &layout.extras {
                self.extra(*number, *kind, self.fields[*place], definition, *place);
            }
            let len = self.batch.extra_values.len() - start;
            if len > 0 {
                self.batch.extra_rows.push(BatchSpan { start: start as u32, len: len as u32 });
                extras = self.batch.extra_rows.len() as u32;
            }
        }
        let (line, byte) = (self.batch.lines, self.line_start as u32);
        self.batch.events.push(Event { tick, payload, container, type_, value, other, extras, line, byte, kind });
        Ok(())
    }

    /// Reads a plain decimal time right from the text; gives up on anything unusual.
    #[inline(always)]
    fn quick_time(&mut self) -> Option<i64> {
        let text = self.lexer.text;
        let mut at = self.lexer.at;
        while matches!(text.get(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let (tick, after) = self.clock.parse_prefix(text, at)?;
        matches!(text.get(after), Some(b' ' | b'\t' | b'\n' | b'\r')).then(|| {
            self.lexer.at = after;
            tick
        })
    }

    #[inline(always)]
    pub(super) fn bytes(&self, field: LineField) -> &[u8] {
        &self.lexer.text[field.range()]
    }

    #[inline(always)]
    fn symbol(&mut self, field: LineField) -> Symbol {
        match self.symbols.known(field.packed) {
            Some(symbol) => symbol,
            None => self.find_symbol(&self.lexer.text[field.range()], field.packed),
        }
    }

    #[inline(never)]
    pub(super) fn find_symbol(&mut self, word: &[u8], packed: u64) -> Symbol {
        let (symbol, novelty) = self.symbols.intern(word, packed, self.batch);
        if novelty == Novelty::New {
            self.check_utf8(word);
        }
        symbol
    }

    #[inline(always)]
    pub(super) fn text(&mut self, field: LineField) -> BatchSpan {
        let range = field.range();
        if let Some((bytes, _)) = self.lexer.text[range.start..].split_first_chunk()
            && let Some(span) = self.batch.push_short_text(bytes, range.len())
        {
            return span;
        }
        self.long_text(field)
    }

    fn long_text(&mut self, field: LineField) -> BatchSpan {
        let bytes = &self.lexer.text[field.range()];
        let span = self.batch.push_text(bytes);
        if span.len as usize != bytes.len() {
            self.check_utf8(bytes);
        }
        span
    }

    #[inline(always)]
    fn time(&mut self, field: LineField) -> Result<i64, Skipped> {
        match self.clock.parse(self.bytes(field)) {
            Ok(parsed) => {
                self.batch.rounded += u32::from(parsed.rounded);
                Ok(parsed.tick)
            }
            Err(error) => self.bad_time(field, error),
        }
    }

    #[inline(always)]
    fn number(&mut self, field: LineField) -> Result<f64, Skipped> {
        match parse_double(self.bytes(field)) {
            Some(number) => Ok(number),
            None => {
                let message = format!("{} is no number", quote(self.bytes(field)));
                self.skip(Code::BadNumber, message)
            }
        }
    }

    fn extra(&mut self, number: u32, kind: FieldKind, field: LineField, definition: &EventDefinition, index: usize) {
        let bytes = &self.lexer.text[field.range()];
        // SimGrid writes NA for what it does not know.
        if kind != FieldKind::Text && (bytes == b"NA" || bytes.is_empty()) {
            return;
        }
        let data = match kind {
            FieldKind::Text => Some(ExtraData::Text(self.text(field))),
            FieldKind::Int => match std::str::from_utf8(bytes).ok().and_then(|text| text.parse().ok()) {
                Some(value) => Some(ExtraData::Int(value)),
                None => parse_double(bytes).map(ExtraData::Double),
            },
            FieldKind::Double => parse_double(bytes).map(ExtraData::Double),
            FieldKind::Hex => parse_hex(bytes).map(ExtraData::UInt),
            FieldKind::Date => {
                self.clock.parse(bytes).ok().map(|parsed| ExtraData::Double(self.clock.resolution.seconds(parsed.tick)))
            }
        };
        match data {
            Some(data) => self.batch.extra_values.push(Extra { field: number, data }),
            None => {
                let message = format!(
                    "the field {} of {} is {}, which is not of its declared type; it is NULL",
                    definition.fields[index],
                    definition.name,
                    quote(bytes)
                );
                self.fault(Code::BadField, message);
            }
        }
    }
}

fn parse_hex(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").or(text.strip_prefix(b"0X")).unwrap_or(text);
    if digits.first() == Some(&b'+') {
        return None;
    }
    std::str::from_utf8(digits).ok().and_then(|digits| u64::from_str_radix(digits, 16).ok())
}

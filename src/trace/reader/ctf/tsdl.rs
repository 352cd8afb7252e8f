//! TSDL, the language of CTF 1.8's metadata: blocks of the trace, its clocks, streams and events.
//!
//! ```text
//! metadata = (declaration ; | block ;)*
//! block    = (trace | env | clock | stream | event | callsite) { entry* }
//! entry    = names = value ; | names := type ; | declaration ;
//! ```
//! In: text. Out: the classes of a trace; a block that cannot be understood is a fault, and the next is read on.

#[cfg(test)]
mod tests;

use super::classes::{BytesOrder, ClockClass, EventClass, FieldClass, StreamClass, TraceClass};
use super::tokens::{TsdlToken, tokens};
use super::tsdl_types::{ParseResult, TsdlParser, Unexpected};

/// The value of an entry.
#[derive(Debug, Clone, PartialEq)]
enum EntryValue {
    Number(i128),
    Text(String),
    Type(FieldClass),
}

impl EntryValue {
    fn number(&self) -> Option<i128> {
        match self {
            EntryValue::Number(number) => Some(*number),
            _ => None,
        }
    }

    fn text(&self) -> String {
        match self {
            EntryValue::Number(number) => number.to_string(),
            EntryValue::Text(text) => text.clone(),
            EntryValue::Type(_) => String::new(),
        }
    }

    fn class(self) -> Option<FieldClass> {
        match self {
            EntryValue::Type(class) => Some(class),
            _ => None,
        }
    }
}

/// Reads metadata.
pub(super) fn read(text: &str) -> TraceClass {
    let (tokens, skipped) = tokens(text);
    let mut trace = TraceClass::default();
    if skipped > 0 {
        trace.faults.push(format!("{skipped} characters of the metadata are no tokens"));
    }
    let order = order_of(&tokens);
    let mut parser = TsdlParser::new(&tokens, order);
    while !parser.is_at_end() {
        let start = parser.position();
        if top(&mut parser, &mut trace).is_err() {
            let what = parser.shown();
            trace.faults.push(format!("the metadata cannot be understood at {what}"));
            parser.skip_block(start);
        }
    }
    for stream in trace.streams.values_mut() {
        stream.clock = stream.event_header.as_ref().and(trace.clocks.keys().next().cloned());
    }
    super::roles::by_name(&mut trace);
    trace
}

/// The order of bytes that the trace declares, wherever its block stands.
fn order_of(tokens: &[TsdlToken]) -> BytesOrder {
    let is_word =
        |token: Option<&TsdlToken>, wanted: &str| matches!(token, Some(TsdlToken::Word(word)) if word == wanted);
    let mut in_trace = false;
    for (place, token) in tokens.iter().enumerate() {
        if is_word(Some(token), "trace") && tokens.get(place + 1) == Some(&TsdlToken::Mark("{")) {
            in_trace = true;
        }
        let is_value =
            in_trace && is_word(Some(token), "byte_order") && tokens.get(place + 1) == Some(&TsdlToken::Mark("="));
        if is_value && let Some(TsdlToken::Word(order)) = tokens.get(place + 2) {
            match order.as_str() {
                "be" | "network" => return BytesOrder::Big,
                "le" => return BytesOrder::Little,
                _ => (),
            }
        }
    }
    BytesOrder::Little
}

fn top(parser: &mut TsdlParser<'_>, trace: &mut TraceClass) -> ParseResult<()> {
    if parser.take_mark(";") {
        return Ok(());
    }
    let kind = match parser.peek() {
        Some(TsdlToken::Word(word)) if parser.is_block() => word.clone(),
        _ => return parser.declaration(),
    };
    parser.advance(1);
    let entries = entries(parser)?;
    match kind.as_str() {
        "trace" => {
            for (names, value) in entries {
                if names == "packet.header" {
                    trace.packet_header = value.class();
                }
            }
        }
        "env" => trace.environment.extend(entries.into_iter().map(|(names, value)| (names, value.text()))),
        "clock" => {
            let mut clock = ClockClass::default();
            let mut name = String::new();
            for (names, value) in entries {
                match (names.as_str(), value.number()) {
                    ("name", _) => name = value.text(),
                    ("freq", Some(number)) => clock.frequency = u64::try_from(number).unwrap_or(1),
                    ("offset_s", Some(number)) => clock.offset_seconds = i64::try_from(number).unwrap_or(0),
                    ("offset", Some(number)) => clock.offset = number.clamp(-(1 << 64), 1 << 64),
                    _ => (),
                }
            }
            trace.clocks.insert(name, clock);
        }
        "stream" => {
            let mut id = 0;
            let mut stream = StreamClass::default();
            for (names, value) in entries {
                match names.as_str() {
                    "id" => id = value.number().and_then(|id| u64::try_from(id).ok()).ok_or(Unexpected)?,
                    "event.header" => stream.event_header = value.class(),
                    "event.context" => stream.event_context = value.class(),
                    "packet.context" => stream.packet_context = value.class(),
                    _ => (),
                }
            }
            stream.events = trace.streams.remove(&id).map(|known| known.events).unwrap_or_default();
            trace.streams.insert(id, stream);
        }
        "event" => event(entries, trace)?,
        _ => (),
    }
    Ok(())
}

fn event(entries: Vec<(String, EntryValue)>, trace: &mut TraceClass) -> ParseResult<()> {
    let mut event = EventClass { id: 0, stream: 0, name: String::new(), context: None, payload: None };
    for (names, value) in entries {
        let number = value.number().and_then(|number| u64::try_from(number).ok());
        match names.as_str() {
            "name" => event.name = value.text(),
            "id" => event.id = number.ok_or(Unexpected)?,
            "stream_id" => event.stream = number.ok_or(Unexpected)?,
            "context" => event.context = value.class(),
            "fields" => event.payload = value.class(),
            _ => (),
        }
    }
    if event.name.is_empty() {
        event.name = format!("event {}", event.id);
    }
    trace.streams.entry(event.stream).or_default().events.insert(event.id, event);
    Ok(())
}

/// The entries of a block, by their names.
fn entries(parser: &mut TsdlParser<'_>) -> ParseResult<Vec<(String, EntryValue)>> {
    parser.expect("{")?;
    parser.open_scope();
    let mut entries = vec![];
    while !parser.take_mark("}") {
        if parser.take_mark(";") {
            continue;
        }
        if let Some(entry) = entry(parser)? {
            entries.push(entry);
        } else {
            parser.declaration()?;
        }
    }
    parser.close_scope();
    parser.take_mark(";");
    Ok(entries)
}

/// An entry; `None` when a declaration stands there.
fn entry(parser: &mut TsdlParser<'_>) -> ParseResult<Option<(String, EntryValue)>> {
    let start = parser.position();
    let Ok(names) = parser.names() else { return Ok(None) };
    let value = if parser.take_mark("=") {
        match parser.value()? {
            TsdlToken::Number(number) => EntryValue::Number(number),
            TsdlToken::Text(text) | TsdlToken::Word(text) => EntryValue::Text(text),
            TsdlToken::Mark(_) => return Err(Unexpected),
        }
    } else if parser.take_mark(":=") {
        EntryValue::Type(parser.type_()?)
    } else {
        parser.rewind(start);
        return Ok(None);
    };
    parser.expect(";")?;
    Ok(Some((names.join("."), value)))
}

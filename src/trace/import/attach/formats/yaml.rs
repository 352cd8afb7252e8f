//! YAML and JSON, which is YAML in one of its forms: the events of a parser become items.
//!
//! ```text
//! name: Grid5000          scalars are texts whatever they look like,
//! children:               other keys than those of a node are kept and ignored later
//!   - name: xiru
//!     children: [xiru-0, xiru-1]
//! ```
//! Anchors, aliases, tags and several documents are refused.

use saphyr_parser::{Event, Parser, ScalarStyle, StrInput};

use super::item::{DEEPEST, DescriptionFault, DescriptionItem, DescriptionValue, too_deep};

/// The one item of a file.
pub(super) fn parse(text: &str) -> Result<DescriptionItem, DescriptionFault> {
    let mut events = ItemEvents { parser: Parser::new_from_str(text) };
    let mut item = None;
    loop {
        match events.next()? {
            (Event::StreamEnd, _) => break,
            (Event::StreamStart | Event::DocumentStart(_) | Event::DocumentEnd | Event::Nothing, _) => {}
            (event, _) if is_empty(&event) => {}
            (_, line) if item.is_some() => return Err(DescriptionFault::at(line, "a second document in the file")),
            (event, line) => item = Some(events.item(event, line, 0)?),
        }
    }
    item.ok_or_else(|| DescriptionFault::at(1, "the file is empty"))
}

/// The events of a file, one after the other.
struct ItemEvents<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> ItemEvents<'a> {
    /// The next event and its line.
    fn next(&mut self) -> Result<(Event<'a>, usize), DescriptionFault> {
        match self.parser.next() {
            Some(Ok((event, span))) => Ok((event, span.start.line())),
            Some(Err(error)) => Err(DescriptionFault::at(error.marker().line().max(1), error.info())),
            None => Ok((Event::StreamEnd, 1)),
        }
    }

    /// The text, list or map that begins with an event.
    fn item(&mut self, event: Event<'a>, line: usize, depth: usize) -> Result<DescriptionItem, DescriptionFault> {
        if depth > DEEPEST {
            return Err(too_deep(line));
        }
        let value = match event {
            Event::Scalar(text, _, 0, None) => DescriptionValue::Text(text.into_owned()),
            Event::SequenceStart(0, None) => DescriptionValue::List(self.list(depth)?),
            Event::MappingStart(0, None) => DescriptionValue::Map(self.map(depth)?),
            Event::Alias(_) | Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) => {
                return Err(DescriptionFault::at(line, "an anchor, alias or tag: this part of YAML is not read"));
            }
            _ => return Err(DescriptionFault::at(line, "a value is missing at the end of the file")),
        };
        Ok(DescriptionItem { line, value })
    }

    fn list(&mut self, depth: usize) -> Result<Vec<DescriptionItem>, DescriptionFault> {
        let mut items = vec![];
        loop {
            let (event, line) = self.next()?;
            match event {
                Event::SequenceEnd => return Ok(items),
                event if is_empty(&event) => return Err(DescriptionFault::at(line, "an item of a list has no value")),
                event => items.push(self.item(event, line, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Vec<(String, DescriptionItem)>, DescriptionFault> {
        let mut entries = vec![];
        loop {
            let (event, line) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(entries);
            }
            let DescriptionValue::Text(key) = self.item(event, line, depth + 1)?.value else {
                return Err(DescriptionFault::at(line, "a key must be a text"));
            };
            let (event, value_line) = self.next()?;
            if is_empty(&event) {
                return Err(DescriptionFault::at(line, format!("'{key}' has no value")));
            }
            entries.push((key, self.item(event, value_line, depth + 1)?));
        }
    }
}

/// Whether a value was left out.
fn is_empty(event: &Event<'_>) -> bool {
    matches!(event, Event::Scalar(text, ScalarStyle::Plain, _, _) if text.is_empty())
}

//! Elements of a file on their way from the thread that finds them to the one that collects them.
//!
//! In: elements that refer to a text. Out: the same elements, which refer to a copy of theirs.

#[cfg(test)]
mod tests;

use super::event::{MemberSpan, RawEvent, TraceEvent};
use super::stream::ChromeElement;
use crate::error::Result;

/// Bytes of text after which a piece is full.
const FULL_TEXT: usize = 1 << 19;
/// Members of arguments after which a piece is full.
const FULL_MEMBERS: usize = 1 << 14;
/// Elements after which a piece is full.
const FULL_ELEMENTS: usize = 1 << 12;

/// A part of a list: where it starts, and its length.
type Span = (u32, u32);

/// Elements that follow each other.
#[derive(Debug, Default)]
pub(super) struct ScannedPiece {
    /// Of all events.
    text: Vec<u8>,
    /// Of the arguments of all events.
    members: Vec<MemberSpan>,
    /// With their places in the file.
    elements: Vec<(u64, ScannedElement)>,
}

#[derive(Debug)]
enum ScannedElement {
    /// Values by their place in the text of the event, which begins at a place of the piece's text.
    Event(TraceEvent<Span, Span>, usize),
    Property(String, Vec<u8>),
    Skipped(String),
    Fault(&'static str),
    Cut(&'static str),
}

impl ScannedPiece {
    pub fn clear(&mut self) {
        self.text.clear();
        // One long event does not take its room for ever.
        self.text.shrink_to(2 * FULL_TEXT);
        self.members.clear();
        self.members.shrink_to(2 * FULL_MEMBERS);
        self.elements.clear();
    }

    pub fn is_full(&self) -> bool {
        self.text.len() >= FULL_TEXT || self.members.len() >= FULL_MEMBERS || self.elements.len() >= FULL_ELEMENTS
    }

    /// Whether an event is much longer than most pieces.
    pub fn is_large(&self) -> bool {
        self.text.len() > 16 * FULL_TEXT || self.members.len() > 16 * FULL_MEMBERS
    }

    /// Adds an element and its place in the file.
    #[inline]
    pub fn push(&mut self, element: ChromeElement<'_>, place: u64) {
        let element = match element {
            ChromeElement::Event(event, text) => self.event(event, text),
            ChromeElement::Property(key, value) => ScannedElement::Property(key, value.to_vec()),
            ChromeElement::Skipped(key) => ScannedElement::Skipped(key),
            ChromeElement::Fault(what) => ScannedElement::Fault(what),
            ChromeElement::Cut(what) => ScannedElement::Cut(what),
        };
        self.elements.push((place, element));
    }

    #[inline(always)]
    fn event(&mut self, event: &RawEvent<'_>, text: &[u8]) -> ScannedElement {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        let members = event.members.map(|members| {
            let span = (self.members.len() as u32, members.len() as u32);
            self.members.extend_from_slice(members);
            span
        });
        ScannedElement::Event(event.with(|value| span_of(value, text), members), start)
    }

    /// Gives all elements with their places.
    pub fn each(&self, mut take: impl FnMut(ChromeElement<'_>, u64) -> Result<()>) -> Result<()> {
        for (place, element) in &self.elements {
            let element = match element {
                ScannedElement::Event(event, start) => {
                    let text = &self.text[*start..];
                    let members = event.members.map(|span| part(&self.members, span));
                    let event = event.with(|span| part(text, span), members);
                    take(ChromeElement::Event(&event, text), *place)?;
                    continue;
                }
                ScannedElement::Property(key, value) => ChromeElement::Property(key.clone(), value),
                ScannedElement::Skipped(key) => ChromeElement::Skipped(key.clone()),
                ScannedElement::Fault(what) => ChromeElement::Fault(what),
                ScannedElement::Cut(what) => ChromeElement::Cut(what),
            };
            take(element, *place)?;
        }
        Ok(())
    }
}

/// Where in a text a value stands, which is a part of it or empty.
#[inline(always)]
fn span_of(value: &[u8], text: &[u8]) -> Span {
    match value.len() {
        0 => (0, 0),
        len => ((value.as_ptr().addr() - text.as_ptr().addr()) as u32, len as u32),
    }
}

#[inline(always)]
fn part<T>(list: &[T], (start, len): Span) -> &[T] {
    &list[start as usize..][..len as usize]
}

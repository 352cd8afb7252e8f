//! Elements of a file on their way from the thread that finds them to the one that collects them.
//!
//! In: elements that refer to a text. Out: the same elements, which refer to a copy of theirs.

#[cfg(test)]
mod tests;

use super::element::ChromeElement;
use super::event::{MemberSpan, RawEvent, TraceEvent};
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
    events: Vec<ScannedEvent>,
    /// The other elements, which are few.
    others: Vec<ScannedOther>,
}

/// An event; its values are given by their places in its text.
#[derive(Debug, Clone, Copy)]
struct ScannedEvent {
    event: TraceEvent<Span, Span>,
    /// Where its text begins in that of the piece.
    text: usize,
    /// Where it stands in the file.
    place: u64,
}

/// An element that is no event.
#[derive(Debug)]
struct ScannedOther {
    /// How many events of the piece stand before it.
    events: usize,
    what: OtherElement,
    place: u64,
}

#[derive(Debug)]
enum OtherElement {
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
        self.events.clear();
        self.others.clear();
    }

    pub fn is_full(&self) -> bool {
        self.text.len() >= FULL_TEXT
            || self.members.len() >= FULL_MEMBERS
            || self.events.len() + self.others.len() >= FULL_ELEMENTS
    }

    /// Whether an event is much longer than most pieces.
    pub fn is_large(&self) -> bool {
        self.text.len() > 16 * FULL_TEXT || self.members.len() > 16 * FULL_MEMBERS
    }

    /// Adds an element and its place in the file.
    #[inline]
    pub fn push(&mut self, element: ChromeElement<'_>, place: u64) {
        let what = match element {
            ChromeElement::Event(event, text) => {
                let event = self.event(event, text, place);
                return self.events.push(event);
            }
            ChromeElement::Property(key, value) => OtherElement::Property(key, value.to_vec()),
            ChromeElement::Skipped(key) => OtherElement::Skipped(key),
            ChromeElement::Fault(what) => OtherElement::Fault(what),
            ChromeElement::Cut(what) => OtherElement::Cut(what),
        };
        self.others.push(ScannedOther { events: self.events.len(), what, place });
    }

    #[inline(always)]
    fn event(&mut self, event: &RawEvent<'_>, text: &[u8], place: u64) -> ScannedEvent {
        let start = self.text.len();
        self.text.extend_from_slice(text);
        let members = event.members.map(|members| {
            let span = (self.members.len() as u32, members.len() as u32);
            self.members.extend_from_slice(members);
            span
        });
        ScannedEvent { event: event.with(|value| span_of(value, text), members), text: start, place }
    }

    /// Gives all elements with their places, in their order.
    pub fn each(&self, mut take: impl FnMut(ChromeElement<'_>, u64) -> Result<()>) -> Result<()> {
        let mut others = self.others.iter().peekable();
        for (number, scanned) in self.events.iter().enumerate() {
            while let Some(other) = others.next_if(|other| other.events <= number) {
                take(other.element(), other.place)?;
            }
            let text = &self.text[scanned.text..];
            let members = scanned.event.members.map(|span| part(&self.members, span));
            let event = scanned.event.with(|span| part(text, span), members);
            take(ChromeElement::Event(&event, text), scanned.place)?;
        }
        others.try_for_each(|other| take(other.element(), other.place))
    }
}

impl ScannedOther {
    fn element(&self) -> ChromeElement<'_> {
        match &self.what {
            OtherElement::Property(key, value) => ChromeElement::Property(key.clone(), value),
            OtherElement::Skipped(key) => ChromeElement::Skipped(key.clone()),
            OtherElement::Fault(what) => ChromeElement::Fault(what),
            OtherElement::Cut(what) => ChromeElement::Cut(what),
        }
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

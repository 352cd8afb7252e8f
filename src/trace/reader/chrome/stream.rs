//! The events of a file of any size, one after the other.
//!
//! ```text
//! file   = array | object
//! array  = '[' (event ','?)* ']'?            the end may be missing
//! object = '{' ("traceEvents" ':' array | key ':' value) ','? … '}'
//! ```
//! The text goes through a window. Text that is no JSON costs an event, never the file: reading goes on
//! with the next object. What is found is handed on in pieces.

#[cfg(test)]
mod tests;

use std::io::Read;

use super::element::ChromeElement;
use super::event::RawEvent;
use super::json::{JsonStop, JsonWalker, unescape};
use super::quick::QuickScanner;
use super::scanned::ScannedPiece;
use crate::error::Result;
use crate::reader::ahead::{MorePieces, PieceSource};

/// How much is read at a time.
const WINDOW: usize = 1 << 20;
/// The longest event that is read.
const LONGEST_EVENT: usize = 64 << 20;
/// How much of a member of the outer object is kept.
const LONGEST_PROPERTY: usize = 1 << 12;

/// Takes the pieces and their places.
pub(super) type ElementConsumer<'t> = dyn FnMut(ChromeElement<'_>, u64) -> Result<()> + 't;

/// Where in the outer structure the text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OuterPosition {
    Start,
    /// Before a key of the outer object, or its end.
    Object,
    /// Before an event; of an array by itself or of one inside the object.
    Array(OuterState),
    End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OuterState {
    Nothing,
    Object,
}

/// A file being read.
pub(super) struct ElementStream<R> {
    source: R,
    quick: QuickScanner,
    place: OuterPosition,
    window: Vec<u8>,
    at: usize,
    /// Offset of the window.
    offset: u64,
    is_at_end: bool,
    /// Why the source could not be read on.
    pub damage: Option<String>,
    /// Whether there is an array of events.
    pub has_array: bool,
}

impl<R: Read + Send> PieceSource for ElementStream<R> {
    type Piece = ScannedPiece;

    fn fill(&mut self, piece: &mut ScannedPiece) -> Result<MorePieces> {
        piece.clear();
        while !piece.is_full() {
            let mut push = |element: ChromeElement<'_>, place| {
                piece.push(element, place);
                Ok(())
            };
            if self.step(&mut push)? == MorePieces::End {
                return Ok(MorePieces::End);
            }
        }
        Ok(MorePieces::Follow)
    }

    fn is_large(piece: &ScannedPiece) -> bool {
        piece.is_large()
    }
}

impl<R: Read> ElementStream<R> {
    pub fn new(source: R) -> ElementStream<R> {
        ElementStream {
            source,
            quick: QuickScanner::default(),
            place: OuterPosition::Start,
            window: vec![],
            at: 0,
            offset: 0,
            is_at_end: false,
            damage: None,
            has_array: false,
        }
    }

    /// How many bytes were passed.
    pub fn position(&self) -> u64 {
        self.offset + self.at as u64
    }

    /// Reads an element, or what stands between two.
    fn step(&mut self, take: &mut ElementConsumer<'_>) -> Result<MorePieces> {
        self.place = match self.place {
            OuterPosition::Start => self.start(take)?,
            OuterPosition::Object => self.member(take)?,
            OuterPosition::Array(outer) => self.element(outer, take)?,
            OuterPosition::End => OuterPosition::End,
        };
        Ok(if self.place == OuterPosition::End { MorePieces::End } else { MorePieces::Follow })
    }

    fn start(&mut self, take: &mut ElementConsumer<'_>) -> Result<OuterPosition> {
        self.fill();
        if self.window.starts_with(b"\xef\xbb\xbf") {
            self.at = 3;
        }
        match self.peek() {
            Some(b'[') => {
                self.at += 1;
                self.has_array = true;
                Ok(OuterPosition::Array(OuterState::Nothing))
            }
            Some(b'{') => {
                self.at += 1;
                Ok(OuterPosition::Object)
            }
            _ => {
                take(
                    ChromeElement::Fault("the file starts neither with an array nor with an object"),
                    self.position(),
                )?;
                Ok(OuterPosition::End)
            }
        }
    }

    /// One member of the outer object.
    fn member(&mut self, take: &mut ElementConsumer<'_>) -> Result<OuterPosition> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                return Ok(OuterPosition::Object);
            }
            Some(b'}') => return Ok(OuterPosition::End),
            None => {
                take(ChromeElement::Cut("the outer object has no end"), self.position())?;
                return Ok(OuterPosition::End);
            }
            Some(_) => (),
        }
        let Some(key) = self.key() else {
            take(
                ChromeElement::Fault("a key of the outer object cannot be read; the rest of the file is left out"),
                self.position(),
            )?;
            return Ok(OuterPosition::End);
        };
        if key == "traceEvents" && self.peek() == Some(b'[') {
            self.at += 1;
            self.has_array = true;
            return Ok(OuterPosition::Array(OuterState::Object));
        }
        self.property(key, take)?;
        Ok(OuterPosition::Object)
    }

    fn key(&mut self) -> Option<String> {
        loop {
            let mut walker = JsonWalker::new(&self.window, self.at);
            let key = walker.string().and_then(|key| {
                let key = unescape(key).into_owned();
                walker.expect(b':')?;
                Ok(key)
            });
            match key {
                Ok(key) => {
                    self.at = walker.at;
                    return Some(key);
                }
                Err(JsonStop::Short) if self.window.len() - self.at < WINDOW && self.fill() => (),
                Err(_) => return None,
            }
        }
    }

    fn property(&mut self, key: String, take: &mut ElementConsumer<'_>) -> Result<()> {
        let place = self.position();
        loop {
            let mut walker = JsonWalker::new(&self.window, self.at);
            let stop = match walker.value() {
                Ok(value) => {
                    let piece = match value.len() {
                        0..=LONGEST_PROPERTY => ChromeElement::Property(key, value),
                        _ => ChromeElement::Skipped(key),
                    };
                    take(piece, place)?;
                    self.at = walker.at;
                    return Ok(());
                }
                Err(stop) => stop,
            };
            match stop {
                JsonStop::Short if self.window.len() - self.at < WINDOW && self.fill() => (),
                JsonStop::Short => {
                    self.skip_value();
                    return take(ChromeElement::Skipped(key), place);
                }
                JsonStop::Bad(_) => {
                    self.at += 1;
                    return take(ChromeElement::Fault("a value of the outer object cannot be read"), place);
                }
            }
        }
    }

    /// One event, or what stands in its place.
    fn element(&mut self, outer: OuterState, take: &mut ElementConsumer<'_>) -> Result<OuterPosition> {
        let here = OuterPosition::Array(outer);
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                return Ok(here);
            }
            Some(b']') => {
                self.at += 1;
                return Ok(if outer == OuterState::Object { OuterPosition::Object } else { OuterPosition::End });
            }
            None => {
                // An array by itself may stay open, so that a program that dies leaves a trace.
                if outer == OuterState::Object {
                    take(ChromeElement::Cut("the array of events has no end"), self.position())?;
                }
                return Ok(OuterPosition::End);
            }
            Some(_) => (),
        }
        let place = self.position();
        if let Some((event, end)) = self.quick.read(&self.window, self.at) {
            take(ChromeElement::Event(&event, &self.window[self.at..end]), place)?;
            self.at = end;
            return Ok(here);
        }
        let mut walker = JsonWalker::new(&self.window, self.at);
        let stop = match RawEvent::read(&mut walker) {
            Ok(event) => {
                take(ChromeElement::Event(&event, &self.window[self.at..walker.at]), place)?;
                self.at = walker.at;
                return Ok(here);
            }
            Err(stop) => stop,
        };
        match stop {
            JsonStop::Short if self.window.len() - self.at > LONGEST_EVENT => {
                take(ChromeElement::Fault("an event is longer than 64 MiB"), place)?;
                self.resume(self.window.len());
            }
            JsonStop::Short if self.fill() => (),
            JsonStop::Short => {
                take(ChromeElement::Cut("the last event is not complete"), place)?;
                return Ok(OuterPosition::End);
            }
            JsonStop::Bad(bad) => {
                take(ChromeElement::Fault("this is not an event"), place)?;
                self.resume(bad.max(self.at + 1));
            }
        }
        Ok(here)
    }

    /// Goes to the next object.
    fn resume(&mut self, from: usize) {
        self.at = from.min(self.window.len());
        loop {
            match memchr::memchr2(b'{', b']', &self.window[self.at..]) {
                Some(found) => {
                    self.at += found;
                    return;
                }
                None => {
                    self.at = self.window.len();
                    if !self.fill() {
                        return;
                    }
                }
            }
        }
    }

    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let mut walker = JsonWalker::new(&self.window, self.at);
            let found = walker.peek();
            self.at = walker.at;
            match found {
                Ok(byte) => return Some(byte),
                Err(_) if self.fill() => (),
                Err(_) => return None,
            }
        }
    }

    /// Passes over a value of any length; brackets and quotes are counted, nothing is kept.
    fn skip_value(&mut self) {
        let (mut depth, mut is_string, mut is_escaped) = (0_u64, false, false);
        loop {
            while let Some(byte) = self.window.get(self.at).copied() {
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_string => is_escaped = true,
                    b'"' => is_string = !is_string,
                    _ if is_string => (),
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' | b',' if depth == 0 => return,
                    b'}' | b']' => depth -= 1,
                    _ => (),
                }
                self.at += 1;
            }
            if !self.fill() {
                return;
            }
        }
    }

    /// Reads more behind what is left of the window; false when there is no more.
    fn fill(&mut self) -> bool {
        if self.is_at_end {
            return false;
        }
        self.window.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        let start = self.window.len();
        // A long event doubles the window, so that it is not walked through too often.
        let wanted = WINDOW.max(start) as u64;
        match self.source.by_ref().take(wanted).read_to_end(&mut self.window) {
            Ok(count) => self.is_at_end = (count as u64) < wanted,
            Err(error) => {
                self.is_at_end = true;
                self.damage = Some(error.to_string());
            }
        }
        self.window.len() > start
    }
}

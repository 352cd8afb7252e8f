//! What a file holds: events, and what stands between them.

use super::event::RawEvent;

/// What a file holds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ChromeElement<'a> {
    /// An event, and the text that begins with it.
    Event(&'a RawEvent<'a>, &'a [u8]),
    /// A member of the outer object that is not too long.
    Property(String, &'a [u8]),
    /// A member of the outer object that is passed over.
    Skipped(String),
    /// Something that cannot be read.
    Fault(&'static str),
    /// The file ends before its text does.
    Cut(&'static str),
}

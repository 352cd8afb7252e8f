//! What stands in a file of events: events, and what is wrong with them.

use super::decoder::FieldValue;
use super::layout::EventLayout;
use crate::diagnostics::Code;

/// An event.
#[derive(Debug, Clone, Copy)]
pub(super) struct CtfEvent<'a> {
    pub layout: &'a EventLayout,
    /// By the columns of the layout.
    pub fields: &'a [FieldValue],
    pub cpu: Option<i64>,
}

/// What stands in a file.
#[derive(Debug)]
pub(super) enum StreamContent {
    /// The stream has it.
    Event,
    Fault(StreamFault),
}

/// What is wrong with a file.
#[derive(Debug)]
pub(super) enum StreamFault {
    Damage(Code, String),
    /// So many events were discarded when the trace was written.
    Discarded(u64),
}

/// Something in a file, with its time in nanoseconds and its offset.
#[derive(Debug)]
pub(super) struct StreamItem {
    pub time: i64,
    pub byte: u64,
    pub content: StreamContent,
}

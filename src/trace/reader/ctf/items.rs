//! What stands in a file of events: events, and what is wrong with them.

use std::rc::Rc;

use super::decoder::FieldValue;
use super::layout::EventLayout;
use crate::diagnostics::Code;

/// An event.
#[derive(Debug)]
pub(super) struct CtfEvent {
    pub layout: Rc<EventLayout>,
    /// By the columns of the layout.
    pub fields: Vec<FieldValue>,
    pub cpu: Option<i64>,
}

/// What stands in a file.
#[derive(Debug)]
pub(super) enum StreamContent {
    /// [`super::stream::DataStream::event`] has it.
    Event,
    Fault(Code, String),
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

//! A container of a walk back: its state at the instant that was read last, and its messages under way.

use super::super::facts::WaitFacts;
use super::records::{StateRecord, SurveyedMessage};
use super::survey_lane::{is_awaited, receipt_rank};

/// Messages that are looked through without end when there are fewer.
const FEW_MESSAGES: usize = 64;

/// See the file's head.
#[derive(Debug, Default)]
pub(super) struct BackLane {
    /// The first state that ends at this instant or later.
    pub(super) ended: Option<StateRecord>,
    /// Messages that were received in that state.
    pub(super) receipts: Vec<SurveyedMessage>,
    /// Messages that arrived later, and may have been sent before.
    flying: Vec<SurveyedMessage>,
    /// How many there may be before those are left out that were not sent yet.
    most_flying: usize,
}

impl BackLane {
    /// A state of it ends.
    pub(super) fn end(&mut self, record: StateRecord) {
        self.ended = Some(record);
        self.receipts.clear();
    }

    /// A message of it arrives.
    pub(super) fn land(&mut self, message: SurveyedMessage, now: i64) {
        if message.start >= now {
            return;
        }
        self.flying.push(message);
        if self.flying.len() > self.most_flying.max(FEW_MESSAGES) {
            self.flying.retain(|known| known.start < now);
            self.most_flying = 2 * self.flying.len();
        }
    }

    /// The message whose receiver the container waits for at the end of a state. None where it goes on although a
    /// receiver has not begun: then it sends into buffers.
    pub(super) fn receipt(&self, record: &StateRecord, facts: &WaitFacts) -> Option<SurveyedMessage> {
        let state = &record.state;
        if record.is_reached {
            return None;
        }
        let is_under_way = |message: &&SurveyedMessage| message.end > state.end && is_awaited(state, message.start);
        // The latest one first, so that of equals the one that is met last was the first in the trace.
        let under_way = self.flying.iter().filter(is_under_way);
        let mut found: Option<SurveyedMessage> = None;
        for message in under_way.chain(&self.receipts) {
            if facts.is_buffered(message.size) {
                continue;
            }
            if message.began > state.end {
                return None;
            }
            if found.is_none_or(|best| receipt_rank(state, message) >= receipt_rank(state, &best)) {
                found = Some(*message);
            }
        }
        found
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        (self.receipts.capacity() + self.flying.capacity()) * size_of::<SurveyedMessage>()
    }
}

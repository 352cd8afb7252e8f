//! A container of a survey: its open states, and its waits of which it is not known whether messages were buffered.

use std::cmp::Reverse;
use std::collections::VecDeque;

use super::super::LEAST_PART;
use super::super::{StateRole, TimedState};
use super::records::{JoinedNumbers, SurveyedMessage};

/// Waits that are looked through without end when there are fewer.
const FEW_WAITS: usize = 64;

/// A state until it ends.
#[derive(Debug)]
pub(super) struct SurveyedState {
    pub(super) state: TimedState,
    pub(super) joined: Option<JoinedNumbers>,
    pub(super) first_arrival: Option<i64>,
    pub(super) is_reached: bool,
    /// Of the messages of each size that were received while it was open, the one whose receiver began last.
    pub(super) receipts: Vec<SurveyedMessage>,
}

impl SurveyedState {
    /// A message arrives in it; whether it may end a wait.
    pub(super) fn reach(&mut self, start: i64, end: i64) -> bool {
        self.is_reached = true;
        let spent = end - start.max(self.state.start);
        let explains = spent >= (end - start) / LEAST_PART;
        if explains {
            self.first_arrival.get_or_insert(end);
        }
        explains
    }

    /// A message of its container is received.
    pub(super) fn receive(&mut self, message: SurveyedMessage) {
        if !is_awaited(&self.state, message.start) {
            return;
        }
        // They stay in the order of the trace.
        match self.receipts.iter().position(|known| known.size == message.size) {
            Some(place) if receipt_rank(&self.state, &self.receipts[place]) >= receipt_rank(&self.state, &message) => {
                return;
            }
            Some(place) => _ = self.receipts.remove(place),
            None => {}
        }
        self.receipts.push(message);
    }
}

/// Whether a container can wait in a state for the receiver of a message that it sends: a call that sends waits for
/// its own messages only.
pub(super) fn is_awaited(state: &TimedState, sent: i64) -> bool {
    let is_own = state.role == StateRole::Waits || sent >= state.start;
    state.is_blocked() && !state.joins && is_own && sent < state.end
}

/// Of the messages of a state, the one of the highest rank is that for whose receiver it waits.
pub(super) fn receipt_rank(state: &TimedState, message: &SurveyedMessage) -> (i64, i64, i64, Reverse<u32>) {
    let since = message.began.max(message.start).max(state.start);
    (since, message.end, message.start, Reverse(message.target))
}

/// A wait that is over, and in which nobody had begun to receive what the container sent.
#[derive(Debug)]
struct AloneWait {
    end: i64,
    /// The largest size of its messages so far.
    sent: u8,
}

/// See the file's head.
#[derive(Debug, Default)]
pub(super) struct SurveyLane {
    /// The last state to begin.
    pub(super) last: Option<TimedState>,
    /// The states that are open, and one that ends now.
    pub(super) open: Vec<SurveyedState>,
    /// Whether somebody knows what it does in the window.
    pub(super) is_known: bool,
    /// When its last state in the window ends.
    pub(super) latest: Option<i64>,
    /// Start and number of its messages that have not arrived, sorted.
    flying: VecDeque<(i64, u64)>,
    /// By their ends.
    alone: Vec<AloneWait>,
    /// How many there may be before those are left out that do not matter.
    most_alone: usize,
}

impl SurveyLane {
    /// The state that holds an instant: it began before.
    pub(super) fn holding(&mut self, instant: i64) -> Option<&mut SurveyedState> {
        self.open.iter_mut().find(|open| open.state.start < instant && instant <= open.state.end)
    }

    /// It sends a message, after all others.
    pub(super) fn send(&mut self, start: i64, number: u64) {
        self.flying.push_back((start, number));
    }

    /// A wait ends in which nothing arrived and nothing was received: were all its messages buffered?
    pub(super) fn ask_buffered(&mut self, end: i64) {
        if self.flying.front().is_none_or(|(start, _)| *start >= end) {
            return;
        }
        self.alone.push(AloneWait { end, sent: 0 });
        if self.alone.len() > self.most_alone.max(FEW_WAITS) {
            self.leave_out();
            self.most_alone = 2 * self.alone.len();
        }
    }

    /// Of waits with the same messages in flight the first one goes on unless all do: those after it matter only if
    /// their messages were larger so far.
    fn leave_out(&mut self) {
        let (flying, mut before) = (&self.flying, None);
        self.alone.retain(|wait| {
            let count = flying.partition_point(|(start, _)| *start < wait.end);
            let is_kept = before.is_none_or(|(known, sent)| known != count || wait.sent > sent);
            if is_kept {
                before = Some((count, wait.sent));
            }
            is_kept
        });
    }

    /// A message of it arrives, where that is so in a state in which others can hold its target up. Gives the largest
    /// size that was buffered, as far as it is known now; 0 for none.
    pub(super) fn land(&mut self, start: i64, number: u64, received: Option<&SurveyedMessage>) -> u8 {
        if let Ok(place) = self.flying.binary_search(&(start, number)) {
            self.flying.remove(place);
        }
        if self.alone.is_empty() {
            return 0;
        }
        if let Some(message) = received {
            self.alone.retain_mut(|wait| {
                let is_sent = start < wait.end;
                if is_sent {
                    wait.sent = wait.sent.max(message.size);
                }
                !is_sent || message.began > wait.end
            });
        }
        let first = self.flying.front().map(|(start, _)| *start);
        let settled = self.alone.partition_point(|wait| first.is_none_or(|start| start >= wait.end));
        self.alone.drain(..settled).map(|wait| wait.sent).max().unwrap_or(0)
    }

    /// Bytes on the heap, about.
    pub(super) fn bytes(&self) -> usize {
        let open = self.open.iter().map(|open| open.receipts.capacity() * size_of::<SurveyedMessage>());
        self.open.capacity() * size_of::<SurveyedState>()
            + open.sum::<usize>()
            + self.flying.capacity() * size_of::<(i64, u64)>()
            + self.alone.capacity() * size_of::<AloneWait>()
    }
}

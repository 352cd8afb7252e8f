//! What ends a wait: the last message that arrives in it, the last member of its collective, or a receiver.

use std::cmp::Reverse;

use super::collectives::CollectiveGroups;
use super::{StateRole, TimedState, WaitMessage};

/// No state.
const NONE: u32 = u32::MAX;

/// A message that was less than this part of its flight in the wait had arrived before: it was only picked up.
const LEAST_PART: i64 = 100;

/// States and messages, sorted so that the cause of a wait is found quickly.
pub struct WaitTrace {
    /// Sorted by container and start, those that contain others first.
    states: Vec<TimedState>,
    /// For each state the one of its container that was open when it began, and began last.
    around: Vec<u32>,
    /// Sorted by source and start.
    messages: Vec<WaitMessage>,
    /// For each message the latest end of those of its source up to it.
    latest_receipts: Vec<i64>,
    /// Places of messages by target and end; of equal ends the last one is that which explains a wait best.
    arrivals: Vec<u32>,
    groups: CollectiveGroups,
}

/// What ends a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitCause {
    /// A message that arrives, by its place.
    Arrival(usize),
    /// A member of the same collective that comes later, by the place of its state.
    Member(usize),
    /// A message of the waiting container, by its place, and when its target began to receive it.
    Receipt(usize, i64),
}

impl WaitTrace {
    /// States without length are left out. A message that is received before it is sent, by clocks that differ, counts
    /// as sent when it is received.
    pub fn new(mut states: Vec<TimedState>, mut messages: Vec<WaitMessage>) -> WaitTrace {
        states.retain(|state| state.start < state.end);
        states.sort_unstable_by_key(|state| (state.container, state.start, Reverse(state.end), state.value));
        for message in &mut messages {
            message.start = message.start.min(message.end);
        }
        messages.sort_unstable_by_key(|message| {
            (message.source, message.start, message.target, message.end, message.label)
        });
        let mut arrivals: Vec<u32> = (0..messages.len() as u32).collect();
        arrivals.sort_unstable_by_key(|place| {
            let message = &messages[*place as usize];
            (message.target, message.end, message.start, Reverse((message.source, message.label)))
        });
        // Where messages stand for collectives, they say more than the names of states.
        let groups = if messages.iter().any(|message| message.is_collective) {
            CollectiveGroups::of_messages()
        } else {
            CollectiveGroups::of_states(&states)
        };
        let (around, latest_receipts) = (around(&states), latest_receipts(&messages));
        WaitTrace { states, around, messages, latest_receipts, arrivals, groups }
    }

    /// All states, sorted.
    pub fn states(&self) -> &[TimedState] {
        &self.states
    }

    /// All messages, sorted.
    pub fn messages(&self) -> &[WaitMessage] {
        &self.messages
    }

    /// The states of a container that begin before an instant and end at it or later, the last to begin first.
    pub(super) fn holding(&self, container: u32, instant: i64) -> impl Iterator<Item = usize> + '_ {
        self.begun(container, instant).filter(move |place| self.states[*place].end >= instant)
    }

    /// The latest end of the states of a container that begin before an instant at which it is in none.
    pub(super) fn last_end(&self, container: u32, instant: i64) -> Option<i64> {
        self.begun(container, instant).map(|place| self.states[place].end).max()
    }

    /// The last state of a container to begin before an instant, the one around it, and so on.
    fn begun(&self, container: u32, instant: i64) -> impl Iterator<Item = usize> + '_ {
        let begun = self.states.partition_point(|state| (state.container, state.start) < (container, instant));
        let last = begun.checked_sub(1).filter(|place| self.states[*place].container == container);
        std::iter::successors(last, |place| {
            let around = self.around[*place];
            (around != NONE).then_some(around as usize)
        })
    }

    /// Whether others of a collective are known.
    pub(super) fn is_matched(&self, place: usize) -> bool {
        self.groups.contains(place)
    }

    /// What lets a container that is blocked in a state go on at an instant of it. Containers that must not be
    /// reached at that very instant are avoided.
    pub(super) fn cause(&self, place: usize, until: i64, is_avoided: impl Fn(u32) -> bool) -> Option<WaitCause> {
        let is_way = |message: &WaitMessage| message.start < until || !is_avoided(message.source);
        if let Some(message) = self.arrival(place, until, is_way) {
            return Some(WaitCause::Arrival(message));
        }
        // Who comes when the state ends has let nobody go on.
        let limit = if until < self.states[place].end { until + 1 } else { until };
        if let Some(member) = self.groups.last_member(&self.states, place, limit) {
            let TimedState { container, start, .. } = self.states[member];
            if start < until || !is_avoided(container) {
                return Some(WaitCause::Member(member));
            }
        }
        if self.states[place].end > until {
            return None;
        }
        let (message, began) = self.receipt(place)?;
        let is_way = began < until || !is_avoided(self.messages[message].target);
        is_way.then_some(WaitCause::Receipt(message, began))
    }

    /// The last message that arrives in a state until an instant, and was not there before; of equals the one that
    /// was sent last.
    pub(super) fn arrival(&self, place: usize, until: i64, is_wanted: impl Fn(&WaitMessage) -> bool) -> Option<usize> {
        let TimedState { container, start, .. } = self.states[place];
        let arrived = self.arrivals.partition_point(|place| {
            let message = &self.messages[*place as usize];
            (message.target, message.end) <= (container, until)
        });
        let latest_first = self.arrivals[..arrived].iter().rev().map(|place| *place as usize);
        let in_state = latest_first.take_while(|place| {
            let message = &self.messages[*place];
            message.target == container && message.end > start
        });
        in_state.into_iter().find(|place| {
            let message = &self.messages[*place];
            let spent = message.end - message.start.max(start);
            spent >= (message.end - message.start) / LEAST_PART && is_wanted(message)
        })
    }

    /// The message whose receiver a container waits for in a state, and when that began to receive it. None where it
    /// goes on although a receiver has not begun: then it sends into buffers.
    pub(super) fn receipt(&self, place: usize) -> Option<(usize, i64)> {
        let TimedState { container, start, end, role, joins, .. } = self.states[place];
        if joins {
            return None;
        }
        let sent = self.messages.partition_point(|message| (message.source, message.start) < (container, end));
        let mut found: Option<(usize, i64)> = None;
        for place in (0..sent).rev() {
            let message = &self.messages[place];
            if message.source != container || self.latest_receipts[place] <= start {
                break;
            }
            // A call that sends waits for its own messages only.
            let is_own = role == StateRole::Waits || message.start >= start;
            if !is_own || message.end <= start || message.is_collective || message.target == container {
                continue;
            }
            let mut receiving = self.holding(message.target, message.end);
            let Some(receive) = receiving.find(|place| self.states[*place].is_blocked()) else { continue };
            let began = self.states[receive].start;
            if began > end {
                return None;
            }
            let rank = |(place, began): (usize, i64)| {
                let message: &WaitMessage = &self.messages[place];
                (
                    began.max(message.start).max(start),
                    message.end,
                    message.start,
                    Reverse((message.target, message.label)),
                )
            };
            if found.is_none_or(|best| rank((place, began)) > rank(best)) {
                found = Some((place, began));
            }
        }
        found
    }

    /// The place of the state of the last member of a collective that comes before a state ends.
    pub(super) fn last_member(&self, place: usize) -> Option<usize> {
        self.groups.last_member(&self.states, place, self.states[place].end)
    }
}

/// For each state the one around it.
fn around(states: &[TimedState]) -> Vec<u32> {
    let mut open: Vec<u32> = vec![];
    let mut around = Vec::with_capacity(states.len());
    for (place, state) in states.iter().enumerate() {
        let is_over = |last: &TimedState| last.container != state.container || last.end <= state.start;
        while open.last().is_some_and(|last| is_over(&states[*last as usize])) {
            open.pop();
        }
        around.push(open.last().copied().unwrap_or(NONE));
        open.push(place as u32);
    }
    around
}

/// The latest end of the messages of a source up to each.
fn latest_receipts(messages: &[WaitMessage]) -> Vec<i64> {
    let mut latest: Vec<i64> = Vec::with_capacity(messages.len());
    for (place, message) in messages.iter().enumerate() {
        let before = latest.last().copied().filter(|_| messages[place - 1].source == message.source);
        latest.push(before.map_or(message.end, |before| before.max(message.end)));
    }
    latest
}

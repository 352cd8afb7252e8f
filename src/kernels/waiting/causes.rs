//! What ends a wait: the last message that arrives in it, the last member of its collective, or a receiver.

use std::cmp::Reverse;

use hashbrown::HashSet;

use super::collectives::CollectiveGroups;
use super::{LEAST_PART, StateRole, TimedState, WaitMessage};

/// No state.
const NONE: u32 = u32::MAX;

/// States and messages, sorted so that the cause of a wait is found quickly.
pub struct WaitTrace {
    /// Sorted by container and start, those that contain others first.
    states: Vec<TimedState>,
    /// For each state the one of its container that was open when it began, and began last.
    around: Vec<u32>,
    /// Sorted by source and start.
    messages: Vec<WaitMessage>,
    /// For each message the one of its source that was in flight when it was sent, and was sent last.
    in_flight: Vec<u32>,
    /// Places of messages by target and end; of equal ends the last one is that which explains a wait best.
    arrivals: Vec<u32>,
    groups: CollectiveGroups,
    /// Messages of known size up to this one are buffered: nobody waits for their receivers.
    buffered_size: u8,
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
        let around = open_before(states.iter().map(|state| (state.container, state.start, state.end)));
        let in_flight = open_before(messages.iter().map(|message| (message.source, message.start, message.end)));
        let groups = CollectiveGroups::default();
        let mut trace = WaitTrace { states, around, messages, in_flight, arrivals, groups, buffered_size: 0 };
        trace.groups = CollectiveGroups::new(&trace.states, trace.linked_values());
        trace.buffered_size = trace.largest_buffered();
        trace
    }

    /// The values of collectives for which messages say who was waited for.
    fn linked_values(&self) -> HashSet<u32> {
        let links = self.messages.iter().filter(|message| message.is_collective);
        let places = links.flat_map(|message| self.holding(message.target, message.end));
        places.map(|place| &self.states[place]).filter(|state| state.joins).map(|state| state.value).collect()
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
        chain(last, &self.around)
    }

    /// The messages of a container that are sent before a state ends and received after it begins.
    fn pending(&self, container: u32, start: i64, end: i64) -> impl Iterator<Item = usize> + '_ {
        let sent = |limit: i64| {
            self.messages.partition_point(move |message| (message.source, message.start) < (container, limit))
        };
        let (before, behind) = (sent(start), sent(end));
        let last = before.checked_sub(1).filter(|place| self.messages[*place].source == container);
        let all = (before..behind).rev().chain(chain(last, &self.in_flight));
        all.filter(move |place| self.messages[*place].end > start)
    }

    /// Whether others of a collective are known.
    pub(super) fn is_matched(&self, place: usize) -> bool {
        self.groups.contains(&self.states, place)
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

    /// Whether a message arrives in a state, or is picked up in it.
    fn is_reached(&self, place: usize) -> bool {
        let TimedState { container, start, end, .. } = self.states[place];
        let message = |place: &u32| &self.messages[*place as usize];
        let before = self.arrivals.partition_point(|place| {
            let message = message(place);
            (message.target, message.end) <= (container, start)
        });
        let next = self.arrivals.get(before).map(message);
        next.is_some_and(|message| message.target == container && message.end <= end)
    }

    /// The message whose receiver a container waits for in a state, and when that began to receive it. None where it
    /// goes on although a receiver has not begun: then it sends into buffers.
    pub(super) fn receipt(&self, place: usize) -> Option<(usize, i64)> {
        let TimedState { start, end, joins, .. } = self.states[place];
        if joins || self.is_reached(place) {
            return None;
        }
        let rank = |(place, began): (usize, i64)| {
            let message = &self.messages[place];
            (began.max(message.start).max(start), message.end, message.start, Reverse((message.target, message.label)))
        };
        let mut found: Option<(usize, i64)> = None;
        for (place, began) in self.receivers(place) {
            if (1..=self.buffered_size).contains(&self.messages[place].size) {
                continue;
            }
            if began > end {
                return None;
            }
            if found.is_none_or(|best| rank((place, began)) > rank(best)) {
                found = Some((place, began));
            }
        }
        found
    }

    /// The messages that a container can wait for to be received in a state, and when their targets begin to.
    fn receivers(&self, place: usize) -> impl Iterator<Item = (usize, i64)> + '_ {
        let TimedState { container, start, end, role, .. } = self.states[place];
        self.pending(container, start, end).filter_map(move |place| {
            let message = &self.messages[place];
            // A call that sends waits for its own messages only.
            let is_own = role == StateRole::Waits || message.start >= start;
            if !is_own || message.is_collective || message.target == container {
                return None;
            }
            let mut receiving = self.holding(message.target, message.end);
            let receive = receiving.find(|place| self.states[*place].is_blocked())?;
            Some((place, self.states[receive].start))
        })
    }

    /// The largest size of messages with which a container went on, after a wait in which nothing arrived, although no
    /// receiver had begun.
    fn largest_buffered(&self) -> u8 {
        let mut largest = 0;
        for (place, state) in self.states.iter().enumerate() {
            if state.role != StateRole::Waits || state.joins {
                continue;
            }
            let size = |(message, _): (usize, i64)| self.messages[message].size;
            let is_alone = || self.receivers(place).all(|(_, began)| began > state.end);
            let sent = self.receivers(place).map(size).max().unwrap_or(0);
            if sent > largest && is_alone() && !self.is_reached(place) {
                largest = sent;
            }
        }
        largest
    }

    /// The place of the state of the last member of a collective that comes before a state ends.
    pub(super) fn last_member(&self, place: usize) -> Option<usize> {
        self.groups.last_member(&self.states, place, self.states[place].end)
    }
}

/// For each interval, given as container, start and end and sorted by them, the one of its container that was open when
/// it began, and began last.
fn open_before(intervals: impl Iterator<Item = (u32, i64, i64)>) -> Vec<u32> {
    let mut open: Vec<(u32, (u32, i64, i64))> = vec![];
    let mut before = vec![];
    for (place, interval) in (0..).zip(intervals) {
        while open.last().is_some_and(|(_, last)| last.0 != interval.0 || last.2 <= interval.1) {
            open.pop();
        }
        before.push(open.last().map_or(NONE, |(place, _)| *place));
        open.push((place, interval));
    }
    before
}

/// A place, the one open before it, and so on.
fn chain(last: Option<usize>, before: &[u32]) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(last, |place| (before[*place] != NONE).then_some(before[*place] as usize))
}

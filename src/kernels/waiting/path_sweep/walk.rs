//! The way backwards: from the end of the window to its start, over whatever let a container wait.
//!
//! ```text
//!      ◄── not read ──|── read: all that ends later ──►
//!                     |        ▼ the walk is here, in a state that has ended there or later
//!  lane     [=== state ========|====]
//!                     |    ►            arrived: the walk follows the last message until here
//! ```
//! Where a walk goes depends on what comes later in the records, down to the start of the state: it waits at its
//! instant while they are read. [`StateRecord::first_arrival`] says whether a message is still to come; only if not, the
//! members of a collective count.

use std::cmp::Reverse;

use hashbrown::HashMap;

use super::super::{StateRole, StepKind};
use super::back_lane::BackLane;
use super::records::{BackStep, JoinedNumbers, PathFacts, PathRecord, StateRecord, SurveyedMessage};

/// How far a walk has come.
enum WalkStep {
    /// It went on.
    Went,
    /// It must see more records.
    Waits,
}

/// The walk; see the file's head.
#[derive(Debug)]
pub struct PathWalkBack {
    facts: PathFacts,
    /// Where the walk ends.
    first: i64,
    container: u32,
    instant: i64,
    /// The containers that were reached at this instant: none of them is reached again, so that a walk ends.
    visited: Vec<u32>,
    /// The instant of the records that were read last.
    now: i64,
    /// The messages that arrive now, and may end a wait.
    arrivals: Vec<SurveyedMessage>,
    /// The collectives that begin now: container, value and numbers.
    begins: Vec<(u32, u32, JoinedNumbers)>,
    lanes: HashMap<u32, BackLane>,
}

impl PathWalkBack {
    /// A walk through a window; there is none without a state in the window.
    pub fn new(window: (i64, i64), facts: PathFacts) -> PathWalkBack {
        let container = facts.last.unwrap_or(0);
        let instant = if facts.last.is_some() { window.1 } else { window.0 };
        PathWalkBack {
            facts,
            first: window.0,
            container,
            instant,
            visited: vec![container],
            now: i64::MAX,
            arrivals: vec![],
            begins: vec![],
            lanes: HashMap::new(),
        }
    }

    /// Whether it has reached the start of the window: it needs no more records.
    pub fn is_over(&self) -> bool {
        self.instant <= self.first
    }

    /// Adds the record before the last one.
    pub fn add(&mut self, record: PathRecord, give: &mut impl FnMut(BackStep)) {
        match record {
            PathRecord::Begin(container, start, value, joined) => {
                self.advance(start, give);
                self.begins.push((container, value, joined));
            }
            PathRecord::Arrival(message, explains) => {
                self.advance(message.end, give);
                if explains {
                    self.arrivals.push(message);
                }
                if !message.is_collective && message.source != message.target {
                    self.lanes.entry(message.source).or_default().land(message, self.now);
                }
            }
            // It belongs to the state that was read before.
            PathRecord::Receipt(message) => self.lanes.entry(message.source).or_default().receipts.push(message),
            PathRecord::End(record) => {
                self.advance(record.state.end, give);
                self.lanes.entry(record.state.container).or_default().end(record);
            }
        }
    }

    /// Walks to the start of the window: there are no more records.
    pub fn finish(&mut self, give: &mut impl FnMut(BackStep)) {
        self.walk(self.first, give);
        if !self.is_over() {
            // In no state.
            self.stay(StepKind::Computation, None, self.first, give);
        }
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let lanes = self.lanes.values().map(BackLane::bytes).sum::<usize>();
        self.lanes.allocation_size()
            + lanes
            + self.arrivals.capacity() * size_of::<SurveyedMessage>()
            + self.begins.capacity() * size_of::<(u32, u32, JoinedNumbers)>()
    }

    /// Records of another instant come.
    fn advance(&mut self, tick: i64, give: &mut impl FnMut(BackStep)) {
        if tick < self.now {
            self.walk(tick.max(self.first), give);
            self.arrivals.clear();
            self.begins.clear();
            self.now = tick;
        }
    }

    /// Walks as far as the records after an instant say.
    fn walk(&mut self, read: i64, give: &mut impl FnMut(BackStep)) {
        while self.instant > read {
            if let WalkStep::Waits = self.go_back(read, give) {
                return;
            }
        }
    }

    fn go_back(&mut self, read: i64, give: &mut impl FnMut(BackStep)) -> WalkStep {
        let Some(record) = self.lanes.get(&self.container).and_then(|lane| lane.ended) else { return WalkStep::Waits };
        let state = record.state;
        if state.start >= self.instant {
            return WalkStep::Waits;
        }
        if state.end < self.instant {
            self.stay(StepKind::Computation, None, state.end, give);
            return WalkStep::Went;
        }
        let kind = self.kind_in(&record);
        if !state.is_blocked() {
            self.stay(kind, Some(state.value), state.start, give);
            return WalkStep::Went;
        }
        if let Some(message) = self.arrival(state.start) {
            self.stay(kind, Some(state.value), message.end, give);
            self.follow(&message, message.start, give);
            self.go_to(message.source);
            return WalkStep::Went;
        }
        let is_read = read <= state.start.max(self.first);
        if let Some(arrival) = record.first_arrival.filter(|first| *first < self.instant.min(self.now)) {
            if !is_read {
                return WalkStep::Waits;
            }
            // It arrived before the window.
            self.stay(kind, Some(state.value), arrival, give);
            return WalkStep::Went;
        }
        if let Some(member) = self.member(&record) {
            if self.now < self.instant || !self.visited.contains(&member) {
                self.stay(kind, Some(state.value), self.now, give);
                self.go_to(member);
                return WalkStep::Went;
            }
        } else if record.joined.is_some() && !is_read {
            return WalkStep::Waits;
        }
        match self.receipt(&record) {
            Some(message) => {
                let (began, sent) = (message.began, message.start.max(state.start));
                self.stay(kind, Some(state.value), message.end, give);
                self.follow(&message, began.max(sent), give);
                self.go_to(if began > sent { message.target } else { self.container });
            }
            None => self.stay(kind, Some(state.value), state.start, give),
        }
        WalkStep::Went
    }

    /// The message that arrives now, in a state that began at some time, and lets its container go on; of several the
    /// one that was sent last.
    fn arrival(&self, start: i64) -> Option<SurveyedMessage> {
        if self.now > self.instant || self.now <= start {
            return None;
        }
        let is_way = |message: &&SurveyedMessage| {
            message.target == self.container
                && (message.start < self.instant || !self.visited.contains(&message.source))
        };
        // Of equals the one that is read last was the first in the trace.
        let found = self.arrivals.iter().filter(is_way);
        found.max_by_key(|message| (message.start, Reverse(message.source))).copied()
    }

    /// The member of the collective of a state that comes now, and no later than when the walk is in the state; of
    /// several the smallest container. Who comes when the state ends has let nobody go on.
    fn member(&self, record: &StateRecord) -> Option<u32> {
        let (joined, state) = (record.joined?, &record.state);
        let limit = if self.instant < state.end { self.instant } else { self.instant - 1 };
        if self.now > limit || self.now <= state.start || self.facts.waits.is_linked(state.value) {
            return None;
        }
        let is_same = |numbers: &JoinedNumbers| match self.facts.waits.is_regular(state.value) {
            true => numbers.in_container == joined.in_container,
            false => numbers.in_common == joined.in_common,
        };
        let members = self.begins.iter().filter(|(_, value, numbers)| *value == state.value && is_same(numbers));
        members.map(|(container, ..)| *container).min()
    }

    /// The message whose receiver lets the container go on at the end of a state.
    fn receipt(&self, record: &StateRecord) -> Option<SurveyedMessage> {
        if record.state.end > self.instant {
            return None;
        }
        let found = self.lanes.get(&self.container)?.receipt(record, &self.facts.waits)?;
        let is_way = found.began < self.instant || !self.visited.contains(&found.target);
        is_way.then_some(found)
    }

    /// What the time in a state is that others do not explain.
    fn kind_in(&self, record: &StateRecord) -> StepKind {
        let (facts, value) = (&self.facts.waits, record.state.value);
        let is_matched = || match facts.is_regular(value) {
            true => facts.is_shared(value),
            false => record.is_common,
        };
        match record.state.role {
            _ if record.joined.is_some() && (facts.is_linked(value) || is_matched()) => StepKind::Transfer,
            StateRole::Works => StepKind::Computation,
            StateRole::Other | StateRole::Unknown => StepKind::Other,
            StateRole::Communicates => StepKind::Transfer,
            StateRole::Waits => StepKind::Wait,
        }
    }

    /// The container was on the path since an instant, in a state of a value.
    fn stay(&mut self, kind: StepKind, value: Option<u32>, since: i64, give: &mut impl FnMut(BackStep)) {
        let (container, start, end) = (self.container, 0, 0);
        self.step(BackStep { kind, container, target: None, value, start, end }, since, give);
        self.go_to(container);
    }

    /// A message was on the path since an instant.
    fn follow(&mut self, message: &SurveyedMessage, since: i64, give: &mut impl FnMut(BackStep)) {
        let SurveyedMessage { source: container, target, label, .. } = *message;
        let (kind, target, value) = (StepKind::Transfer, Some(target), Some(label));
        self.step(BackStep { kind, container, target, value, start: 0, end: 0 }, since, give);
    }

    /// A step since an instant, until now.
    fn step(&mut self, step: BackStep, since: i64, give: &mut impl FnMut(BackStep)) {
        let start = since.max(self.first);
        if start < self.instant {
            give(BackStep { start, end: self.instant, ..step });
            self.instant = start;
            self.visited.clear();
        }
    }

    fn go_to(&mut self, container: u32) {
        self.container = container;
        if !self.visited.contains(&container) {
            self.visited.push(container);
        }
    }
}

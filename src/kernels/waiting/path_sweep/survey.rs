//! The way forwards: what ends, in the order in which it ends, with what must be known of it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

use super::super::facts::{CollectiveNumbers, WaitSurvey};
use super::super::{StateRole, TimedState, WaitMessage};
use super::records::{JoinedNumbers, PathFacts, PathRecord, StateRecord, SurveyedMessage};
use super::survey_lane::{SurveyLane, SurveyedState};

/// What ends at an instant; messages first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SurveyEnd {
    Message(u64),
    /// The state of a lane.
    State(u32),
}

/// States of one value that have an instant in common.
#[derive(Debug, Default)]
struct CommonStates {
    members: u32,
    open: u32,
}

/// The survey; see the file's head.
#[derive(Debug)]
pub struct PathSurvey {
    window: (i64, i64),
    survey: WaitSurvey,
    now: i64,
    /// The rows that begin now.
    states: Vec<TimedState>,
    messages: Vec<WaitMessage>,
    /// Containers, by number in `lanes`.
    numbers: HashMap<u32, u32>,
    lanes: Vec<SurveyLane>,
    flying: HashMap<u64, WaitMessage>,
    ends: BinaryHeap<Reverse<(i64, SurveyEnd)>>,
    collectives: CollectiveNumbers,
    common: HashMap<(u32, u32), CommonStates>,
    /// Two states of a container that overlap, the first of the smallest container.
    overlap: Option<(TimedState, TimedState)>,
    next: u64,
}

impl PathSurvey {
    /// A survey for the path of a window.
    pub fn new(window: (i64, i64)) -> PathSurvey {
        PathSurvey {
            window,
            survey: WaitSurvey::default(),
            now: i64::MIN,
            states: vec![],
            messages: vec![],
            numbers: HashMap::new(),
            lanes: vec![],
            flying: HashMap::new(),
            ends: BinaryHeap::new(),
            collectives: CollectiveNumbers::default(),
            common: HashMap::new(),
            overlap: None,
            next: 0,
        }
    }

    /// Adds a state that starts no earlier than the row before. One without length is left out.
    pub fn add_state(&mut self, state: TimedState, log: &mut impl FnMut(PathRecord)) {
        if state.start < state.end {
            self.advance(state.start, log);
            self.states.push(state);
        }
    }

    /// Adds a message that starts, or is received, no earlier than the row before: clocks may differ.
    pub fn add_message(&mut self, message: WaitMessage, log: &mut impl FnMut(PathRecord)) {
        self.advance(message.start.min(message.end), log);
        self.messages.push(message);
    }

    /// Ends what is left, and gives what must be known of the whole trace. An error for states that overlap: two of
    /// them.
    pub fn finish(&mut self, log: &mut impl FnMut(PathRecord)) -> Result<PathFacts, (TimedState, TimedState)> {
        self.begin_rows(log);
        self.settle(None, log);
        if let Some(overlap) = self.overlap {
            return Err(overlap);
        }
        let waits = std::mem::take(&mut self.survey).facts();
        let lanes = self.numbers.iter().map(|(container, number)| (*container, &self.lanes[*number as usize]));
        let rank = |(container, lane): (u32, &SurveyLane)| {
            lane.latest.map(|latest| (lane.is_known, latest, Reverse(container)))
        };
        let last = lanes.filter_map(rank).max().map(|(.., Reverse(container))| container);
        Ok(PathFacts { waits, last })
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let lanes = self.lanes.iter().map(SurveyLane::bytes).sum::<usize>();
        let rows =
            self.states.capacity() * size_of::<TimedState>() + self.messages.capacity() * size_of::<WaitMessage>();
        self.numbers.allocation_size()
            + self.lanes.capacity() * size_of::<SurveyLane>()
            + lanes
            + rows
            + self.flying.allocation_size()
            + self.ends.capacity() * size_of::<(i64, SurveyEnd)>()
            + self.common.allocation_size()
            + self.collectives.bytes()
            + self.survey.bytes()
    }

    fn advance(&mut self, tick: i64, log: &mut impl FnMut(PathRecord)) {
        if tick > self.now {
            self.begin_rows(log);
            self.settle(Some(tick), log);
            self.now = tick;
        }
    }

    fn lane(&mut self, container: u32) -> u32 {
        let next = self.lanes.len() as u32;
        let number = *self.numbers.entry(container).or_insert(next);
        if number == next {
            self.lanes.push(SurveyLane::default());
        }
        number
    }

    /// Begins all rows that start now.
    fn begin_rows(&mut self, log: &mut impl FnMut(PathRecord)) {
        let mut states = std::mem::take(&mut self.states);
        if states.len() > 1 {
            states.sort_unstable_by_key(|state| (state.container, Reverse(state.end), state.value));
        }
        for state in states.drain(..) {
            self.begin_state(state, log);
        }
        self.states = states;
        let mut messages = std::mem::take(&mut self.messages);
        if messages.len() > 1 {
            messages.sort_unstable_by_key(|message| {
                (message.source, message.target, message.start, message.end, message.label)
            });
        }
        for mut message in messages.drain(..) {
            let number = self.next;
            self.next += 1;
            message.start = message.start.min(message.end);
            self.ends.push(Reverse((message.end, SurveyEnd::Message(number))));
            if is_received(&message) {
                let source = self.lane(message.source);
                self.lanes[source as usize].send(message.start, number);
            }
            self.flying.insert(number, message);
        }
        self.messages = messages;
    }

    fn begin_state(&mut self, state: TimedState, log: &mut impl FnMut(PathRecord)) {
        let number = self.lane(state.container);
        let lane = &mut self.lanes[number as usize];
        let before = lane.last.replace(state);
        if let Some(before) = before.filter(|before| state.start < before.end)
            && self.overlap.is_none_or(|(known, _)| state.container < known.container)
        {
            self.overlap = Some((before, state));
        }
        if self.overlap.is_some() {
            // There will be no path.
            return;
        }
        if state.start < self.window.1 && state.end > self.window.0 {
            lane.is_known |= state.role != StateRole::Unknown;
            lane.latest = lane.latest.max(Some(state.end.min(self.window.1)));
        }
        let joined = state.joins.then(|| {
            let in_container = self.survey.add(&state) as u32;
            let in_common = self.collectives.overlapping_group(&state) as u32;
            let common = self.common.entry((state.value, in_common)).or_default();
            common.members += 1;
            common.open += 1;
            JoinedNumbers { in_container, in_common }
        });
        if let Some(joined) = joined.filter(|_| state.start > self.window.0 && state.start <= self.window.1) {
            log(PathRecord::Begin(state.container, state.start, state.value, joined));
        }
        self.ends.push(Reverse((state.end, SurveyEnd::State(number))));
        lane.open.push(SurveyedState { state, joined, first_arrival: None, is_reached: false, receipts: vec![] });
    }

    /// Ends what ends before an instant, or everything.
    fn settle(&mut self, limit: Option<i64>, log: &mut impl FnMut(PathRecord)) {
        while let Some(Reverse((time, end))) = self.ends.peek().copied() {
            if limit.is_some_and(|limit| time >= limit) {
                return;
            }
            self.ends.pop();
            match end {
                SurveyEnd::Message(number) => self.arrive(number, log),
                SurveyEnd::State(lane) => self.end_state(lane, time, log),
            }
        }
    }

    /// A message arrives.
    fn arrive(&mut self, number: u64, log: &mut impl FnMut(PathRecord)) {
        let Some(message) = self.flying.remove(&number) else { return };
        let WaitMessage { source, target, start, end, label, size, is_collective } = message;
        let mut received = None;
        let lane = self.numbers.get(&target).map(|lane| &mut self.lanes[*lane as usize]);
        if let Some(open) = lane.and_then(|lane| lane.holding(end)) {
            if is_collective && open.state.joins {
                self.survey.link(open.state.value);
            }
            if open.state.is_blocked() {
                let began = open.state.start;
                let surveyed = SurveyedMessage { source, target, start, end, label, size, is_collective, began };
                let explains = open.reach(start, end);
                if end > self.window.0 && start <= self.window.1 {
                    log(PathRecord::Arrival(surveyed, explains));
                }
                received = Some(surveyed);
            }
        }
        if !is_received(&message) {
            return;
        }
        let Some(lane) = self.numbers.get(&source).map(|lane| &mut self.lanes[*lane as usize]) else { return };
        if let Some((surveyed, open)) = received.and_then(|surveyed| Some((surveyed, lane.holding(end)?))) {
            open.receive(surveyed);
        }
        let buffered = lane.land(start, number, received.as_ref());
        self.survey.buffer(buffered);
    }

    fn end_state(&mut self, number: u32, end: i64, log: &mut impl FnMut(PathRecord)) {
        let lane = &mut self.lanes[number as usize];
        let Some(place) = lane.open.iter().position(|open| open.state.end == end) else { return };
        let open = lane.open.swap_remove(place);
        let SurveyedState { state, joined, first_arrival, is_reached, receipts } = open;
        let is_alone = state.role == StateRole::Waits && !state.joins && !is_reached;
        if is_alone && receipts.is_empty() {
            lane.ask_buffered(end);
        }
        let mut is_common = false;
        if let Some(joined) = joined
            && let Some(common) = self.common.get_mut(&(state.value, joined.in_common))
        {
            is_common = common.members > 1;
            common.open -= 1;
            if common.open == 0 {
                self.common.remove(&(state.value, joined.in_common));
            }
        }
        if end > self.window.0 && state.start < self.window.1 {
            if !is_reached {
                receipts.into_iter().for_each(|message| log(PathRecord::Receipt(message)));
            }
            log(PathRecord::End(StateRecord { state, first_arrival, is_reached, joined, is_common }));
        }
    }
}

/// Whether its source may wait until it is received.
fn is_received(message: &WaitMessage) -> bool {
    !message.is_collective && message.source != message.target
}

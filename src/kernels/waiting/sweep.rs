//! Waits, while states and messages come in the order of their starts: what is open is held, and nothing else.
//!
//! ```text
//!  now                        |
//!  receiver  [=== wait ========...   held until it has ended, and every message that its container sent before
//!  sender    ..s─────────►    |      held until it has arrived: then the waits of both ends look at it
//! ```
//! Rows come twice. The first time it is found what must be known of the whole trace: [`WaitFacts`]. The second time
//! waits are explained. Same results as [`for_each_wait`](super::for_each_wait), in another order.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::facts::{CollectiveNumbers, WaitFacts, WaitSurvey};
use super::flights::Flights;
use super::open_wait::{Flying, FlyingMessage, OpenWait, SweptMessage, SweptWait};
use super::{StateRole, TimedState, WaitMessage};

/// What is known of a container.
#[derive(Debug, Default)]
struct WaitLane {
    /// States that may be open.
    states: Vec<TimedState>,
    /// Waits that are not explained: places in [`WaitSweep::waits`].
    waits: Vec<u32>,
    /// Messages that it sent and that have not arrived.
    flights: Flights,
    /// The number of its next wait in the window.
    next_wait: i64,
}

/// What ends at an instant: messages first, then by number; and where it is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EndOf {
    Message(u64, u32),
    Wait(u64, u32),
}

/// Things that come and go, each at a place of its own.
#[derive(Debug)]
struct Places<T> {
    held: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Places<T> {
    fn default() -> Places<T> {
        Places { held: vec![], free: vec![] }
    }
}

impl<T> Places<T> {
    fn add(&mut self, thing: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.held[place as usize] = Some(thing);
            return place;
        }
        self.held.push(Some(thing));
        self.held.len() as u32 - 1
    }

    fn get(&self, place: u32) -> Option<&T> {
        self.held[place as usize].as_ref()
    }

    fn get_mut(&mut self, place: u32) -> Option<&mut T> {
        self.held[place as usize].as_mut()
    }

    fn remove(&mut self, place: u32) -> Option<T> {
        let thing = self.held[place as usize].take();
        self.free.extend(thing.is_some().then_some(place));
        thing
    }

    fn bytes(&self) -> usize {
        self.held.capacity() * size_of::<Option<T>>() + self.free.capacity() * size_of::<u32>()
    }
}

/// A collective that some wait at.
#[derive(Debug, Default)]
struct OpenGroup {
    /// How many waits are not explained.
    waits: usize,
    /// Who came since the first of them: start and container; of those who came at once the smallest.
    came: Vec<(i64, u32)>,
}

impl OpenGroup {
    /// The last who came after a state had begun and before it was over.
    fn last_member(&self, state: &TimedState) -> Option<(i64, u32)> {
        let before = self.came.partition_point(|(start, _)| *start < state.end);
        self.came[..before].last().copied().filter(|(start, _)| *start > state.start)
    }
}

/// The sweep; see the file's head.
#[derive(Debug)]
pub struct WaitSweep<D> {
    window: (i64, i64),
    facts: WaitFacts,
    /// What is found in the first pass; `None` in the second.
    survey: Option<WaitSurvey>,
    now: i64,
    /// The rows that start now.
    states: Vec<TimedState>,
    messages: Vec<SweptMessage<D>>,
    /// Places of containers in `lanes`.
    containers: HashMap<u32, usize>,
    lanes: Vec<WaitLane>,
    flying: Places<Flying<D>>,
    waits: Places<OpenWait<D>>,
    ends: BinaryHeap<Reverse<(i64, EndOf)>>,
    /// Collectives that others may still come to.
    groups: HashMap<(u32, u64), OpenGroup>,
    collectives: CollectiveNumbers,
    next: u64,
}

impl<D: Ord> WaitSweep<D> {
    /// The first pass, over the waits of a window.
    pub fn survey(window: (i64, i64)) -> WaitSweep<D> {
        WaitSweep { survey: Some(WaitSurvey::default()), ..WaitSweep::explain(window, WaitFacts::default()) }
    }

    /// The second pass, with what the first has found.
    pub fn explain(window: (i64, i64), facts: WaitFacts) -> WaitSweep<D> {
        WaitSweep {
            window,
            facts,
            survey: None,
            now: i64::MIN,
            states: vec![],
            messages: vec![],
            containers: HashMap::new(),
            lanes: vec![],
            flying: Places::default(),
            waits: Places::default(),
            ends: BinaryHeap::new(),
            groups: HashMap::new(),
            collectives: CollectiveNumbers::default(),
            next: 0,
        }
    }

    /// Adds a state that starts no earlier than the row before. One without length is left out.
    pub fn add_state(&mut self, state: TimedState, give: &mut impl FnMut(SweptWait<'_, D>)) {
        if state.start < state.end {
            self.advance(state.start, give);
            self.states.push(state);
        }
    }

    /// Adds a message that starts, or is received, no earlier than the row before: clocks may differ.
    pub fn add_message(&mut self, message: SweptMessage<D>, give: &mut impl FnMut(SweptWait<'_, D>)) {
        self.advance(message.message.start.min(message.message.end), give);
        self.messages.push(message);
    }

    /// Explains what is left, and gives what the first pass has found.
    pub fn finish(&mut self, give: &mut impl FnMut(SweptWait<'_, D>)) -> WaitFacts {
        self.begin_rows();
        self.settle(None, give);
        let Some(mut survey) = self.survey.take() else { return WaitFacts::default() };
        for (container, place) in &self.containers {
            survey.add_waits(*container, self.lanes[*place].next_wait);
        }
        survey.facts()
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let lanes = self.lanes.capacity() * (size_of::<WaitLane>() + 4 * size_of::<TimedState>());
        let in_flight = self.flying.held.capacity() * (size_of::<FlyingMessage<D>>() + 64);
        let ends = self.ends.capacity() * size_of::<(i64, EndOf)>();
        let rows =
            self.states.capacity() * size_of::<TimedState>() + self.messages.capacity() * size_of::<SweptMessage<D>>();
        let survey = self.survey.as_ref().map_or(0, WaitSurvey::bytes);
        let maps = self.containers.allocation_size() + self.groups.allocation_size() + self.collectives.bytes();
        lanes + in_flight + self.flying.bytes() + self.waits.bytes() + ends + rows + survey + maps
    }

    fn advance(&mut self, tick: i64, give: &mut impl FnMut(SweptWait<'_, D>)) {
        if tick > self.now {
            self.begin_rows();
            self.settle(Some(tick), give);
            self.now = tick;
        }
    }

    /// Begins all rows that start now.
    fn begin_rows(&mut self) {
        if !self.states.is_empty() {
            self.begin_states();
        }
        if !self.messages.is_empty() {
            self.begin_messages();
        }
    }

    fn begin_states(&mut self) {
        let mut states = std::mem::take(&mut self.states);
        if states.len() > 1 {
            states.sort_by_key(|state| (state.container, Reverse(state.end), state.value));
        }
        let has_collectives = self.survey.is_none() && states.iter().any(|state| state.joins);
        if has_collectives {
            let groups = self.collectives.groups_of(&states, &self.facts);
            for (state, group) in states.iter().zip(groups) {
                self.begin_state(*state, group);
            }
        } else {
            states.iter().for_each(|state| self.begin_state(*state, None));
        }
        states.clear();
        self.states = states;
    }

    fn begin_messages(&mut self) {
        let mut messages = std::mem::take(&mut self.messages);
        if messages.len() > 1 {
            messages.sort_by(|one, other| {
                let key = |swept: &SweptMessage<D>| {
                    let WaitMessage { source, target, start, end, .. } = swept.message;
                    (source, target, start, end)
                };
                key(one).cmp(&key(other)).then_with(|| one.detail.cmp(&other.detail))
            });
        }
        for swept in messages.drain(..) {
            let (number, end) = (self.next, swept.message.end);
            self.next += 1;
            let start = swept.message.start.min(end);
            let lane = self.lane(swept.message.source);
            self.lanes[lane].flights.add(start, number);
            let place = self.flying.add(Arc::new(FlyingMessage { swept, start, number }));
            self.ends.push(Reverse((end, EndOf::Message(number, place))));
        }
        self.messages = messages;
    }

    /// The place of a container.
    fn lane(&mut self, container: u32) -> usize {
        let WaitSweep { containers, lanes, facts, .. } = self;
        *containers.entry(container).or_insert_with(|| {
            lanes.push(WaitLane { next_wait: facts.first_wait(container), ..WaitLane::default() });
            lanes.len() - 1
        })
    }

    fn begin_state(&mut self, state: TimedState, group: Option<(u32, u64)>) {
        if let Some(survey) = &mut self.survey {
            survey.add(&state);
        }
        if let Some(open) = group.and_then(|group| self.groups.get_mut(&group)) {
            // Of those who come at once, the smallest container comes first.
            if open.came.last().is_none_or(|(start, _)| *start < state.start) {
                open.came.push((state.start, state.container));
            }
        }
        let place = self.lane(state.container);
        let (lane, now) = (&mut self.lanes[place], self.now);
        lane.states.retain(|known| known.end >= now);
        lane.states.push(state);
        if state.role != StateRole::Waits {
            return;
        }
        let is_inside = state.start < self.window.1 && state.end > self.window.0;
        if !is_inside && self.survey.is_none() {
            return;
        }
        let number = lane.next_wait;
        lane.next_wait += i64::from(is_inside);
        let id = self.waits.add(OpenWait::new(state, number, group));
        lane.waits.push(id);
        if let Some(group) = group {
            self.groups.entry(group).or_default().waits += 1;
        }
        self.ends.push(Reverse((state.end, EndOf::Wait(self.next, id))));
        self.next += 1;
    }

    /// Ends what ends before an instant, or everything.
    fn settle(&mut self, limit: Option<i64>, give: &mut impl FnMut(SweptWait<'_, D>)) {
        while let Some(Reverse((time, end))) = self.ends.peek().copied() {
            if limit.is_some_and(|limit| time >= limit) {
                return;
            }
            self.ends.pop();
            match end {
                EndOf::Message(_, place) => self.arrive(place, give),
                EndOf::Wait(_, id) => {
                    if let Some(wait) = self.waits.get_mut(id) {
                        wait.is_over = true;
                    }
                    self.resolve(id, give);
                }
            }
        }
    }

    /// A message arrives.
    fn arrive(&mut self, place: u32, give: &mut impl FnMut(SweptWait<'_, D>)) {
        let Some(flying) = self.flying.remove(place) else { return };
        let WaitMessage { source, target, end, is_collective, size, .. } = flying.swept.message;
        let mut began = None;
        if let Some(lane) = self.containers.get(&target).map(|place| &self.lanes[*place]) {
            let holding = lane.states.iter().filter(|state| state.start < end && end <= state.end);
            for state in holding {
                if let Some(survey) = &mut self.survey
                    && is_collective
                    && state.joins
                {
                    survey.link(state.value);
                }
                if state.is_blocked() {
                    began = began.max(Some(state.start));
                }
            }
            for id in &lane.waits {
                if let Some(wait) = self.waits.get_mut(*id) {
                    wait.reach(&flying);
                }
            }
        }
        let Some(lane) = self.containers.get(&source).map(|place| &mut self.lanes[*place]) else { return };
        lane.flights.land(flying.number);
        if let Some(began) = began.filter(|_| !is_collective && target != source) {
            let is_buffered_size = self.facts.is_buffered(size);
            for id in &lane.waits {
                if let Some(wait) = self.waits.get_mut(*id) {
                    wait.receive(&flying, began, is_buffered_size);
                }
            }
        }
        let is_over = |id: &u32| self.waits.get(*id).is_some_and(|wait| wait.is_over);
        if lane.waits.iter().any(is_over) {
            let over: Vec<u32> = lane.waits.iter().copied().filter(is_over).collect();
            over.into_iter().for_each(|id| self.resolve(id, give));
        }
    }

    /// Explains a wait that is over, unless something that it depends on is still in flight.
    fn resolve(&mut self, id: u32, give: &mut impl FnMut(SweptWait<'_, D>)) {
        let Some(wait) = self.waits.get(id) else { return };
        let (container, end) = (wait.state.container, wait.state.end);
        let Some(lane) = self.containers.get(&container).map(|place| &mut self.lanes[*place]) else { return };
        let is_pending = lane.flights.first().is_some_and(|start| start < end);
        if is_pending && !wait.state.joins && !wait.is_reached {
            return;
        }
        lane.waits.retain(|known| *known != id);
        let Some(mut wait) = self.waits.remove(id) else { return };
        if let Some(group) = wait.group
            && let Some(open) = self.groups.get_mut(&group)
        {
            wait.member = open.last_member(&wait.state);
            open.waits -= 1;
            if open.waits == 0 {
                self.groups.remove(&group);
            }
        }
        match &mut self.survey {
            Some(survey) if !wait.state.joins && !wait.is_reached && wait.is_alone => survey.buffer(wait.sent),
            Some(_) => {}
            None => wait.explain(self.window, give),
        }
    }
}

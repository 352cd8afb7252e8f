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
use std::collections::{BTreeSet, BinaryHeap};
use std::sync::Arc;

use hashbrown::HashMap;

use super::facts::{CollectiveNumbers, WaitFacts, WaitSurvey};
use super::open_wait::{Flying, FlyingMessage, OpenWait, SweptMessage, SweptWait};
use super::{StateRole, TimedState, WaitMessage};

/// What is known of a container.
#[derive(Debug, Default)]
struct WaitLane {
    /// States that may be open.
    states: Vec<TimedState>,
    /// Waits that are not explained, by number in [`WaitSweep::waits`].
    waits: Vec<u64>,
    /// Messages that it sent and that have not arrived: start and number.
    flying: BTreeSet<(i64, u64)>,
}

/// What ends at an instant; messages first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EndOf {
    Message(u64),
    Wait(u64),
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
    lanes: HashMap<u32, WaitLane>,
    flying: HashMap<u64, Flying<D>>,
    waits: HashMap<u64, OpenWait<D>>,
    ends: BinaryHeap<Reverse<(i64, EndOf)>>,
    /// Waits that others of their collective may still come to.
    groups: HashMap<(u32, u64), Vec<u64>>,
    collectives: CollectiveNumbers,
    /// Waits in the window so far, by container.
    counted: HashMap<u32, i64>,
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
            lanes: HashMap::new(),
            flying: HashMap::new(),
            waits: HashMap::new(),
            ends: BinaryHeap::new(),
            groups: HashMap::new(),
            collectives: CollectiveNumbers::default(),
            counted: HashMap::new(),
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
        self.survey.take().map(WaitSurvey::facts).unwrap_or_default()
    }

    /// Bytes on the heap, about.
    pub fn bytes(&self) -> usize {
        let lanes = self.lanes.capacity() * (size_of::<WaitLane>() + 4 * size_of::<TimedState>());
        let flying = self.flying.capacity() * (size_of::<FlyingMessage<D>>() + 64);
        let waits = self.waits.capacity() * (size_of::<OpenWait<D>>() + 32);
        let ends = self.ends.capacity() * size_of::<(i64, EndOf)>();
        let rows =
            self.states.capacity() * size_of::<TimedState>() + self.messages.capacity() * size_of::<SweptMessage<D>>();
        let survey = self.survey.as_ref().map_or(0, WaitSurvey::bytes);
        lanes + flying + waits + ends + rows + survey + self.collectives.bytes() + self.counted.allocation_size()
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
        let mut states = std::mem::take(&mut self.states);
        states.sort_by_key(|state| (state.container, Reverse(state.end), state.value));
        let groups = match self.survey {
            None => self.collectives.groups_of(&states, &self.facts),
            Some(_) => vec![None; states.len()],
        };
        for (state, group) in states.iter().zip(groups) {
            self.begin_state(*state, group);
        }
        states.clear();
        self.states = states;
        let mut messages = std::mem::take(&mut self.messages);
        messages.sort_by(|one, other| {
            let key = |swept: &SweptMessage<D>| {
                let WaitMessage { source, target, start, end, .. } = swept.message;
                (source, target, start, end)
            };
            key(one).cmp(&key(other)).then_with(|| one.detail.cmp(&other.detail))
        });
        for swept in messages.drain(..) {
            let (number, end) = (self.next, swept.message.end);
            self.next += 1;
            let start = swept.message.start.min(end);
            self.lanes.entry(swept.message.source).or_default().flying.insert((start, number));
            self.ends.push(Reverse((end, EndOf::Message(number))));
            self.flying.insert(number, Arc::new(FlyingMessage { swept, start, number }));
        }
        self.messages = messages;
    }

    fn begin_state(&mut self, state: TimedState, group: Option<(u32, u64)>) {
        if let Some(survey) = &mut self.survey {
            survey.add(&state);
        }
        if let Some(group) = group {
            self.come(&state, group);
        }
        let lane = self.lanes.entry(state.container).or_default();
        let now = self.now;
        lane.states.retain(|known| known.end >= now);
        lane.states.push(state);
        if state.role != StateRole::Waits {
            return;
        }
        let is_inside = state.start < self.window.1 && state.end > self.window.0;
        if !is_inside && self.survey.is_none() {
            return;
        }
        let counted = self.counted.entry(state.container).or_default();
        let number = self.facts.first_wait(state.container) + *counted;
        *counted += i64::from(is_inside);
        if let Some(survey) = &mut self.survey {
            survey.add_wait(state.container, is_inside);
        }
        let id = self.next;
        self.next += 1;
        lane.waits.push(id);
        if let Some(group) = group {
            self.groups.entry(group).or_default().push(id);
        }
        self.ends.push(Reverse((state.end, EndOf::Wait(id))));
        self.waits.insert(id, OpenWait::new(state, number, group));
    }

    /// A member of a collective comes: who waits there has waited for it so far.
    fn come(&mut self, state: &TimedState, group: (u32, u64)) {
        for id in self.groups.get(&group).into_iter().flatten() {
            if let Some(wait) = self.waits.get_mut(id)
                && wait.state.start < state.start
                && state.start < wait.state.end
            {
                wait.member = wait.member.max(Some((state.start, Reverse(state.container))));
            }
        }
    }

    /// Ends what ends before an instant, or everything.
    fn settle(&mut self, limit: Option<i64>, give: &mut impl FnMut(SweptWait<'_, D>)) {
        while let Some(Reverse((time, end))) = self.ends.peek().copied() {
            if limit.is_some_and(|limit| time >= limit) {
                return;
            }
            self.ends.pop();
            match end {
                EndOf::Message(number) => self.arrive(number, give),
                EndOf::Wait(id) => {
                    if let Some(wait) = self.waits.get_mut(&id) {
                        wait.is_over = true;
                    }
                    self.resolve(id, give);
                }
            }
        }
    }

    /// A message arrives.
    fn arrive(&mut self, number: u64, give: &mut impl FnMut(SweptWait<'_, D>)) {
        let Some(flying) = self.flying.remove(&number) else { return };
        let WaitMessage { source, target, end, is_collective, size, .. } = flying.swept.message;
        let mut began = None;
        if let Some(lane) = self.lanes.get(&target) {
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
                if let Some(wait) = self.waits.get_mut(id) {
                    wait.reach(&flying);
                }
            }
        }
        let Some(lane) = self.lanes.get_mut(&source) else { return };
        lane.flying.remove(&(flying.start, number));
        if let Some(began) = began.filter(|_| !is_collective && target != source) {
            let is_buffered_size = self.facts.is_buffered(size);
            for id in &lane.waits {
                if let Some(wait) = self.waits.get_mut(id) {
                    wait.receive(&flying, began, is_buffered_size);
                }
            }
        }
        for id in lane.waits.clone() {
            if self.waits.get(&id).is_some_and(|wait| wait.is_over) {
                self.resolve(id, give);
            }
        }
    }

    /// Explains a wait that is over, unless something that it depends on is still in flight.
    fn resolve(&mut self, id: u64, give: &mut impl FnMut(SweptWait<'_, D>)) {
        let Some(wait) = self.waits.get(&id) else { return };
        let (container, end) = (wait.state.container, wait.state.end);
        let Some(lane) = self.lanes.get_mut(&container) else { return };
        let is_pending = lane.flying.first().is_some_and(|(start, _)| *start < end);
        if is_pending && !wait.state.joins && !wait.is_reached {
            return;
        }
        lane.waits.retain(|known| *known != id);
        let Some(wait) = self.waits.remove(&id) else { return };
        if let Some(group) = wait.group
            && let Some(members) = self.groups.get_mut(&group)
        {
            members.retain(|known| *known != id);
            if members.is_empty() {
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

//! In which states links leave and arrive, while states and links come in the order of time.
//!
//! ```text
//!  computing  ####|    |####      leaves at |: in the send without length
//!  send           |               arrives at |: in the receive that ends there
//!  receive    ####|
//! ```
//! A state touches an instant that it covers, begins at or ends at. Of those that touch one, communication comes before
//! anything else, then decides what the state does at the instant, then depth, start and name: [`TouchingState`]. An
//! instant is settled when a row comes that begins after it: by then every state that touches it is there. What is held
//! is what is open: states that may touch what comes, and links that did not arrive.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hashbrown::HashMap;

/// A state that links may leave or arrive in. Times are ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TouchingState {
    /// Where it is.
    pub container: u32,
    /// When it starts.
    pub start: i64,
    /// When it ends, which is not before it starts.
    pub end: i64,
    /// How deep it is nested.
    pub depth: i32,
    /// Place of its type and value in their order.
    pub name: u32,
    /// Whether its container communicates or waits.
    pub communicates: bool,
}

/// A link on its way, and what is known of it beside. By clocks that differ it may end before it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TouchingLink<D> {
    /// Where it starts.
    pub source: u32,
    /// Where it ends.
    pub target: u32,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// Its other columns.
    pub detail: D,
}

/// A link with the names of its states; `None` where no state touches the instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LinkInStates<D> {
    /// The link.
    pub link: TouchingLink<D>,
    /// In what it leaves.
    pub source_state: Option<u32>,
    /// In what it arrives.
    pub target_state: Option<u32>,
}

/// Which end of a link is at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum TouchedEnd {
    Departure,
    Arrival,
}

/// Where and when a link leaves or arrives. Of all instants, those of one place and time follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct LinkInstant {
    tick: i64,
    container: u32,
    end: TouchedEnd,
}

/// A link of which an instant is not settled.
#[derive(Debug)]
struct UnsettledLink<D> {
    found: LinkInStates<D>,
    settled: u8,
}

/// States of a container that may touch an instant to come, and some that have ended.
#[derive(Debug, Default)]
struct OpenStates {
    states: Vec<TouchingState>,
    /// How many there were when those that have ended went.
    before: usize,
}

/// A sweep under way.
#[derive(Debug)]
pub struct LinkStateSweep<D> {
    open: HashMap<u32, OpenStates>,
    /// Bytes of the states that are open.
    open_bytes: usize,
    /// With the place of the link.
    instants: BinaryHeap<Reverse<(LinkInstant, usize)>>,
    links: Vec<Option<UnsettledLink<D>>>,
    /// Places where no link is.
    free: Vec<usize>,
    /// What was settled last, and how.
    latest: Option<(LinkInstant, Option<u32>)>,
}

impl<D> Default for LinkStateSweep<D> {
    fn default() -> LinkStateSweep<D> {
        LinkStateSweep {
            open: HashMap::new(),
            open_bytes: 0,
            instants: BinaryHeap::new(),
            links: vec![],
            free: vec![],
            latest: None,
        }
    }
}

impl<D> LinkStateSweep<D> {
    /// Adds the next state. Rows come in the order in which they begin: a state when it starts, a link when its first
    /// instant is.
    pub fn add_state(&mut self, state: TouchingState, give: &mut impl FnMut(LinkInStates<D>)) {
        self.settle_before(state.start, give);
        let open = self.open.entry(state.container).or_default();
        let bytes = open.bytes();
        open.add(state);
        self.open_bytes = self.open_bytes + open.bytes() - bytes;
    }

    /// Adds the next link.
    pub fn add_link(&mut self, link: TouchingLink<D>, give: &mut impl FnMut(LinkInStates<D>)) {
        self.settle_before(link.start.min(link.end), give);
        let departure = LinkInstant { tick: link.start, container: link.source, end: TouchedEnd::Departure };
        let arrival = LinkInstant { tick: link.end, container: link.target, end: TouchedEnd::Arrival };
        let pending =
            UnsettledLink { found: LinkInStates { link, source_state: None, target_state: None }, settled: 0 };
        let place = match self.free.pop() {
            Some(place) => {
                self.links[place] = Some(pending);
                place
            }
            None => {
                self.links.push(Some(pending));
                self.links.len() - 1
            }
        };
        self.instants.extend([Reverse((departure, place)), Reverse((arrival, place))]);
    }

    /// Nothing comes any more.
    pub fn finish(&mut self, give: &mut impl FnMut(LinkInStates<D>)) {
        while let Some(Reverse((instant, place))) = self.instants.pop() {
            self.settle(instant, place, give);
        }
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        self.open.allocation_size()
            + self.open_bytes
            + self.instants.capacity() * size_of::<Reverse<(LinkInstant, usize)>>()
            + self.links.capacity() * size_of::<Option<UnsettledLink<D>>>()
            + self.free.capacity() * size_of::<usize>()
    }

    fn settle_before(&mut self, now: i64, give: &mut impl FnMut(LinkInStates<D>)) {
        while let Some(Reverse((instant, place))) = self.instants.peek().copied()
            && instant.tick < now
        {
            self.instants.pop();
            self.settle(instant, place, give);
        }
    }

    fn settle(&mut self, instant: LinkInstant, place: usize, give: &mut impl FnMut(LinkInStates<D>)) {
        let state = match self.latest {
            Some((latest, state)) if latest == instant => state,
            _ => self.open.get(&instant.container).and_then(|open| open.chosen(instant)),
        };
        self.latest = Some((instant, state));
        let Some(pending) = self.links[place].as_mut() else { return };
        match instant.end {
            TouchedEnd::Departure => pending.found.source_state = state,
            TouchedEnd::Arrival => pending.found.target_state = state,
        }
        pending.settled += 1;
        if pending.settled == 2
            && let Some(pending) = self.links[place].take()
        {
            self.free.push(place);
            give(pending.found);
        }
    }
}

impl OpenStates {
    /// Adds a state. Instants before its start are settled.
    fn add(&mut self, state: TouchingState) {
        if self.states.len() > 2 * self.before + 8 {
            self.states.retain(|open| open.end >= state.start);
            self.before = self.states.len();
        }
        self.states.push(state);
    }

    /// The name of the state that counts at an instant. None of the states starts later.
    fn chosen(&self, instant: LinkInstant) -> Option<u32> {
        let touching = self.states.iter().filter(|state| state.end >= instant.tick);
        touching.min_by_key(|state| state.rank(instant)).map(|state| state.name)
    }

    fn bytes(&self) -> usize {
        self.states.capacity() * size_of::<TouchingState>()
    }
}

/// Of the states that touch an instant, the one with the smallest counts.
type TouchRank = (Reverse<bool>, u8, Reverse<i32>, Reverse<i64>, Reverse<u32>);

impl TouchingState {
    fn rank(&self, instant: LinkInstant) -> TouchRank {
        let is_departure = instant.end == TouchedEnd::Departure;
        let role = if self.start == self.end {
            if is_departure { 1 } else { 2 }
        } else if self.start == instant.tick {
            if is_departure { 2 } else { 4 }
        } else if self.end == instant.tick {
            if is_departure { 4 } else { 1 }
        } else {
            3
        };
        (Reverse(self.communicates), role, Reverse(self.depth), Reverse(self.start), Reverse(self.name))
    }
}

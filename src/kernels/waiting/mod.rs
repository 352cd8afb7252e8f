//! Waiting: who waits for whom, and the chain of dependencies that sets the end.
//!
//! ```text
//!  late sender     receiver  ..[== receive ==]      waits until the message is sent
//!                  sender    ......s──────►
//!  late receiver   sender    ..[s== send ==]        waits until the receive begins
//!                  receiver  .......[receive ]
//!  collective      one       ..[= barrier ==]       waits until the last one comes
//!                  last      ......[ barrier]
//! ```
//! In: states in which a container can wait, and messages. Out: one wait per state at most, that for the last who
//! let it wait. Ties go to the smaller container. O((n + m) log n) for n states and m messages.

mod path;
#[cfg(test)]
mod tests;

use hashbrown::HashSet;

pub use path::{PathPiece, PathPieceKind, critical_path};

/// A state. Times are ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedState {
    /// The container that is in it.
    pub container: u32,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// Number of its value: collectives of one value belong together.
    pub value: u32,
    /// What the container can wait for.
    pub roles: WaitRoles,
}

/// What a container can wait for in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitRoles {
    /// It waits for messages that it receives.
    pub receives: bool,
    /// It waits for receivers of its messages.
    pub sends: bool,
    /// It takes part in a collective operation.
    pub joins: bool,
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitMessage {
    /// The container that sends it.
    pub source: u32,
    /// The container that receives it.
    pub target: u32,
    /// When it is sent.
    pub start: i64,
    /// When it is received.
    pub end: i64,
}

/// Why a container waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// A receiver waits for a message that was sent late.
    LateSender,
    /// A sender waits for a receiver that came late.
    LateReceiver,
    /// A member waits for the last one of a collective operation.
    Collective,
}

/// A container waits in a state, from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// Why it waits.
    pub reason: Reason,
    /// The container that waits.
    pub waiter: u32,
    /// The container that it waits for.
    pub culprit: u32,
    /// Place of the state among those given.
    pub state: usize,
    /// When the wait starts.
    pub start: i64,
    /// When the wait ends.
    pub end: i64,
    /// Place of the message; a collective has none.
    pub message: Option<usize>,
}

/// All waits, sorted by waiter and start.
pub fn waits(states: &[TimedState], messages: &[WaitMessage]) -> Vec<Wait> {
    let receives = ContainerStays::new(states, |roles| roles.receives);
    let sends = ContainerStays::new(states, |roles| roles.sends);
    let mut found = LongestWaits::default();
    for (place, message) in messages.iter().enumerate() {
        let Some(receive) = receives.ending(message.target, message.end) else { continue };
        let began = states[receive].start;
        if began < message.start {
            found.offer(Wait {
                reason: Reason::LateSender,
                waiter: message.target,
                culprit: message.source,
                state: receive,
                start: began,
                end: message.start,
                message: Some(place),
            });
        }
        let Some(send) = sends.beginning(message.source, message.start) else { continue };
        if message.start < began && began <= states[send].end {
            found.offer(Wait {
                reason: Reason::LateReceiver,
                waiter: message.source,
                culprit: message.target,
                state: send,
                start: message.start,
                end: began,
                message: Some(place),
            });
        }
    }
    for wait in collectives(states) {
        found.offer(wait);
    }
    found.sorted()
}

/// For each state the wait that ends last.
#[derive(Default)]
struct LongestWaits(std::collections::BTreeMap<(usize, Reason), Wait>);

impl LongestWaits {
    fn offer(&mut self, wait: Wait) {
        let rank = |wait: &Wait| (wait.end, std::cmp::Reverse((wait.culprit, wait.start, wait.message)));
        let entry = self.0.entry((wait.state, wait.reason)).or_insert(wait);
        if rank(&wait) > rank(entry) {
            *entry = wait;
        }
    }

    fn sorted(self) -> Vec<Wait> {
        let mut waits: Vec<Wait> = self.0.into_values().collect();
        waits.sort_unstable_by_key(|wait| (wait.waiter, wait.start, wait.end, wait.reason, wait.culprit));
        waits
    }
}

/// Finds the states of a container around an instant. What lies around is on the way from the state that begins
/// last before it to those that were open when it began.
struct ContainerStays<'a> {
    states: &'a [TimedState],
    /// Places of states, sorted by container and start.
    order: Vec<usize>,
    /// For each place of the order, that of a state that was open when it began, and began last.
    around: Vec<Option<usize>>,
}

impl<'a> ContainerStays<'a> {
    fn new(states: &'a [TimedState], has_role: impl Fn(WaitRoles) -> bool) -> ContainerStays<'a> {
        let mut order: Vec<usize> = (0..states.len()).filter(|place| has_role(states[*place].roles)).collect();
        let key = |place: &usize| {
            let state = &states[*place];
            (state.container, state.start, std::cmp::Reverse(state.end), state.value)
        };
        order.sort_by_key(key);
        let mut around = Vec::with_capacity(order.len());
        let mut open: Vec<usize> = vec![];
        for (at, place) in order.iter().enumerate() {
            let state = &states[*place];
            let is_over = |last: &TimedState| last.container != state.container || last.end < state.start;
            while open.last().is_some_and(|last| is_over(&states[order[*last]])) {
                open.pop();
            }
            around.push(open.last().copied());
            open.push(at);
        }
        ContainerStays { states, order, around }
    }

    /// The last state that begins before an instant and ends at it or later.
    fn ending(&self, container: u32, instant: i64) -> Option<usize> {
        self.find(container, instant, (container, instant))
    }

    /// The last state that begins at an instant or before, and ends at it or later.
    fn beginning(&self, container: u32, instant: i64) -> Option<usize> {
        self.find(container, instant, (container, instant.saturating_add(1)))
    }

    /// The last state that begins before a limit, and ends at an instant or later.
    fn find(&self, container: u32, instant: i64, limit: (u32, i64)) -> Option<usize> {
        let begin = |place: &usize| (self.states[*place].container, self.states[*place].start);
        let mut at = self.order.partition_point(|place| begin(place) < limit).checked_sub(1);
        while let Some(now) = at {
            let state = &self.states[self.order[now]];
            if state.container != container {
                return None;
            }
            if state.end >= instant {
                return Some(self.order[now]);
            }
            at = self.around[now];
        }
        None
    }
}

/// The waits of collectives. States of one value that have an instant in common are one collective; a container takes
/// part once.
fn collectives(states: &[TimedState]) -> Vec<Wait> {
    let mut order: Vec<usize> = (0..states.len()).filter(|place| states[*place].roles.joins).collect();
    order.sort_by_key(|place| {
        let state = &states[*place];
        (state.value, state.start, state.container, state.end)
    });
    let mut waits = vec![];
    let mut members: Vec<usize> = vec![];
    let mut containers: HashSet<u32> = HashSet::new();
    let mut first_end = i64::MAX;
    for place in order {
        let state = &states[place];
        let belongs = members.last().is_none_or(|last| states[*last].value == state.value)
            && state.start < first_end
            && !containers.contains(&state.container);
        if !belongs {
            finish(states, &members, &mut waits);
            members.clear();
            containers.clear();
            first_end = i64::MAX;
        }
        members.push(place);
        containers.insert(state.container);
        first_end = first_end.min(state.end);
    }
    finish(states, &members, &mut waits);
    waits
}

/// Everyone waits for the one who came last; of several, for the smallest.
fn finish(states: &[TimedState], members: &[usize], waits: &mut Vec<Wait>) {
    let latest = members
        .iter()
        .map(|member| &states[*member])
        .max_by_key(|state| (state.start, std::cmp::Reverse(state.container)));
    let Some(last) = latest else { return };
    for member in members.iter().filter(|member| states[**member].start < last.start) {
        waits.push(Wait {
            reason: Reason::Collective,
            waiter: states[*member].container,
            culprit: last.container,
            state: *member,
            start: states[*member].start,
            end: last.start,
            message: None,
        });
    }
}

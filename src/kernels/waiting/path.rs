//! The critical path: backwards from the end, over whatever let a container wait.
//!
//! ```text
//!  A  ====s                    A works and sends,
//!         └──────►             the message is in flight,
//!  B  ======[wait]=======|     B works until the end          path: A until s, the message, B
//! ```
//! It is the longest path from the start to the end of the window, if a wait that something ends weighs nothing and
//! everything else its length.

use std::cmp::Reverse;

use hashbrown::HashSet;

use super::causes::{WaitCause, WaitTrace};
use super::{StateRole, TimedState};

/// What a step of the path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepKind {
    /// A container computes, or is in no state.
    Computation,
    /// A message is in flight, or a container is in a state of communication that it does not owe to others, or in a
    /// collective that all have reached.
    Transfer,
    /// A container waits, and nothing explains it.
    Wait,
    /// A container does something else on its own.
    Other,
}

/// A step of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CriticalStep {
    /// What it is.
    pub kind: StepKind,
    /// The container that is on the path; of a message, its source.
    pub container: u32,
    /// Place of the state; `None` in no state, and for a message.
    pub state: Option<usize>,
    /// Place of the message.
    pub message: Option<usize>,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

/// The path of a window, in the order of time, without gaps. It ends in the container whose state ends last; of
/// several, in the smallest. Containers of which nobody knows what they do count only where there are no others. Empty
/// when there is no state in the window.
pub fn critical_path(trace: &WaitTrace, window: (i64, i64)) -> Vec<CriticalStep> {
    let inside = || trace.states().iter().filter(|state| state.start < window.1 && state.end > window.0);
    let known: HashSet<u32> =
        inside().filter(|state| state.role != StateRole::Unknown).map(|state| state.container).collect();
    let counts = |state: &&TimedState| known.is_empty() || known.contains(&state.container);
    let last = inside().filter(counts).map(|state| (state.end.min(window.1), Reverse(state.container))).max();
    let Some((_, Reverse(container))) = last else { return vec![] };
    let mut walk =
        PathWalk { trace, first: window.0, container, instant: window.1, visited: vec![container], steps: vec![] };
    while walk.instant > window.0 {
        walk.go_back();
    }
    walk.steps.reverse();
    walk.steps
}

/// A walk back in time.
struct PathWalk<'a> {
    trace: &'a WaitTrace,
    /// Where the walk ends.
    first: i64,
    container: u32,
    instant: i64,
    /// The containers that were reached at this instant: none of them is reached again, so that a walk ends.
    visited: Vec<u32>,
    /// The last one first.
    steps: Vec<CriticalStep>,
}

impl PathWalk<'_> {
    fn go_back(&mut self) {
        let (container, instant) = (self.container, self.instant);
        let Some(place) = self.trace.holding(container, instant).next() else {
            let since = self.trace.last_end(container, instant).unwrap_or(self.first);
            return self.stay(StepKind::Computation, None, since);
        };
        let state = self.trace.states()[place];
        if !state.is_blocked() {
            return self.stay(self.kind_in(place, &state), Some(place), state.start);
        }
        let cause = self.trace.cause(place, instant, |container| self.visited.contains(&container));
        let kind = self.kind_in(place, &state);
        match cause {
            Some(WaitCause::Arrival(found)) => {
                let message = self.trace.messages()[found];
                self.stay(kind, Some(place), message.end);
                self.step(StepKind::Transfer, message.source, None, Some(found), message.start);
                self.go_to(message.source);
            }
            Some(WaitCause::Member(last)) => {
                let last = self.trace.states()[last];
                self.stay(kind, Some(place), last.start);
                self.go_to(last.container);
            }
            Some(WaitCause::Receipt(found, began)) => {
                let message = self.trace.messages()[found];
                let sent = message.start.max(state.start);
                self.stay(kind, Some(place), message.end);
                self.step(StepKind::Transfer, container, None, Some(found), began.max(sent));
                self.go_to(if began > sent { message.target } else { container });
            }
            None => self.stay(kind, Some(place), state.start),
        }
    }

    /// What the time in a state is that others do not explain.
    fn kind_in(&self, place: usize, state: &TimedState) -> StepKind {
        match state.role {
            _ if state.joins && self.trace.is_matched(place) => StepKind::Transfer,
            StateRole::Works => StepKind::Computation,
            StateRole::Other | StateRole::Unknown => StepKind::Other,
            StateRole::Communicates => StepKind::Transfer,
            StateRole::Waits => StepKind::Wait,
        }
    }

    /// The container was on the path since an instant.
    fn stay(&mut self, kind: StepKind, state: Option<usize>, since: i64) {
        self.step(kind, self.container, state, None, since);
        self.go_to(self.container);
    }

    fn step(&mut self, kind: StepKind, container: u32, state: Option<usize>, message: Option<usize>, since: i64) {
        let start = since.max(self.first);
        if start < self.instant {
            self.steps.push(CriticalStep { kind, container, state, message, start, end: self.instant });
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

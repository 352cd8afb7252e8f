//! The critical path: backwards from the end, over whatever let a container wait.
//!
//! ```text
//!  A  ====s                    A works and sends late,
//!         └──►                 the message travels,
//!  B  ==[recv]=======|         B works until the end          path: A until s, the message, B
//! ```

use super::{Reason, TimedState, Wait, WaitMessage};

/// What a piece of the path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathPieceKind {
    /// A container in a state, by its place; `None` in no state.
    State(Option<usize>),
    /// A message, by its place.
    Message(usize),
}

/// A piece of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathPiece {
    /// What it is.
    pub kind: PathPieceKind,
    /// The container that is on the path; of a message, its source.
    pub container: u32,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

/// The path of a window, in the order of time, without gaps. It ends with the state that ends last; of several, that of
/// the smallest container. `waits` are those of the same states and messages, sorted by waiter.
pub fn critical_path(
    states: &[TimedState],
    messages: &[WaitMessage],
    waits: &[Wait],
    window: (i64, i64),
) -> Vec<PathPiece> {
    let inside = states.iter().filter(|state| state.start < window.1 && state.end > window.0);
    let last = inside.map(|state| (state.end.min(window.1), std::cmp::Reverse(state.container))).max();
    let Some((mut time, std::cmp::Reverse(mut container))) = last else { return vec![] };
    let segments = Segments::new(states);
    let mut left = Waits::new(waits, messages);
    let mut pieces = vec![];
    loop {
        let resumed = left.take_last(container, time).filter(|(resumed, _)| *resumed > window.0);
        let start = resumed.map_or(window.0, |(resumed, _)| resumed);
        segments.cut(container, start, time, &mut pieces);
        let Some((resumed, wait)) = resumed else { break };
        time = resumed;
        if let (Reason::LateSender, Some(place)) = (wait.reason, wait.message) {
            let sent = messages[place].start.max(window.0);
            if sent < time {
                pieces.push(PathPiece {
                    kind: PathPieceKind::Message(place),
                    container: wait.culprit,
                    start: sent,
                    end: time,
                });
            }
            time = sent;
        }
        container = wait.culprit;
        if time <= window.0 {
            break;
        }
    }
    pieces.reverse();
    pieces
}

/// Waits by the time at which the waiter goes on. Each is used once, so that a path ends.
struct Waits<'a> {
    /// Waiter, when it goes on, and place of the wait; sorted.
    order: Vec<(u32, i64, usize)>,
    waits: &'a [Wait],
    used: Vec<bool>,
}

impl<'a> Waits<'a> {
    fn new(waits: &'a [Wait], messages: &[WaitMessage]) -> Waits<'a> {
        let resumes = |wait: &Wait| match (wait.reason, wait.message) {
            (Reason::LateSender, Some(place)) => messages[place].end,
            _ => wait.end,
        };
        let mut order: Vec<(u32, i64, usize)> =
            waits.iter().enumerate().map(|(place, wait)| (wait.waiter, resumes(wait), place)).collect();
        order.sort_unstable();
        Waits { order, waits, used: vec![false; waits.len()] }
    }

    /// The wait of a container that ends last, until an instant.
    fn take_last(&mut self, container: u32, until: i64) -> Option<(i64, &'a Wait)> {
        let mut at = self.order.partition_point(|(waiter, resumed, _)| (*waiter, *resumed) <= (container, until));
        while at > 0 {
            at -= 1;
            let (waiter, resumed, place) = self.order[at];
            if waiter != container {
                return None;
            }
            if !std::mem::replace(&mut self.used[place], true) {
                return Some((resumed, &self.waits[place]));
            }
        }
        None
    }
}

/// States of containers, sorted by container and start.
struct Segments<'a> {
    states: &'a [TimedState],
    order: Vec<usize>,
}

impl<'a> Segments<'a> {
    fn new(states: &'a [TimedState]) -> Segments<'a> {
        let mut order: Vec<usize> =
            (0..states.len()).filter(|place| states[*place].start < states[*place].end).collect();
        order.sort_by_key(|place| {
            (states[*place].container, states[*place].end, states[*place].start, states[*place].value)
        });
        Segments { states, order }
    }

    /// The states of a container from one instant to another, the last one first, and what is between them.
    fn cut(&self, container: u32, start: i64, end: i64, pieces: &mut Vec<PathPiece>) {
        let mut until = end;
        let mut piece = |kind: PathPieceKind, start: i64, end: i64| {
            if start < end {
                pieces.push(PathPiece { kind, container, start, end });
            }
        };
        let key = |place: &usize| (self.states[*place].container, self.states[*place].end);
        let first = self.order.partition_point(|place| key(place) <= (container, start));
        let behind = self.order.partition_point(|place| key(place) <= (container, end));
        // One that goes on beyond the end comes first.
        let beyond = self.order.get(behind).filter(|place| self.states[**place].container == container);
        for place in beyond.into_iter().chain(self.order[first..behind.max(first)].iter().rev()) {
            let state = &self.states[*place];
            if state.start >= until {
                continue;
            }
            let (from, to) = (state.start.max(start), state.end.min(until));
            if to <= start {
                break;
            }
            piece(PathPieceKind::State(None), to, until);
            piece(PathPieceKind::State(Some(*place)), from, to);
            until = from;
            if until <= start {
                break;
            }
        }
        piece(PathPieceKind::State(None), start, until);
    }
}

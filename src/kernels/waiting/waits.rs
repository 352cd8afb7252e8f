//! Every tick of the waiting states, with its kind.
//!
//! ```text
//!  ended by a message        [ late sender   | transfer | unexplained ]     sent at |, received at |
//!  for a receiver            [ late receiver | transfer | unexplained ]     receive begins at |, is over at |
//!  at a collective           [ collective, for the last one | collective ]  the last one comes at |
//!  else                      [ unexplained                            ]
//! ```

use super::causes::WaitTrace;
use super::{StateRole, TimedState};

/// Why a container waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WaitKind {
    /// The message that it waits for has not been sent.
    LateSender,
    /// The container that it sends to has not begun to receive.
    LateReceiver,
    /// The message is in flight.
    Transfer,
    /// It takes part in a collective operation.
    Collective,
    /// Nothing in the trace explains it.
    Unexplained,
}

/// A part of a waiting state, from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitPiece {
    /// Why the container waits.
    pub kind: WaitKind,
    /// Place of the state among those of the trace.
    pub state: usize,
    /// The container that it waits for.
    pub partner: Option<u32>,
    /// Place of the message among those of the trace.
    pub message: Option<usize>,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

/// Visits the pieces of all waiting states, cut at the window, by container and time. The pieces of a state are its
/// whole time in the window.
pub fn for_each_wait(trace: &WaitTrace, window: (i64, i64), mut visit: impl FnMut(WaitPiece)) {
    for (place, state) in trace.states().iter().enumerate() {
        if state.role != StateRole::Waits || state.start >= window.1 || state.end <= window.0 {
            continue;
        }
        let mut from = state.start;
        let mut until = |end: i64, kind: WaitKind, partner: Option<u32>, message: Option<usize>| {
            let (start, end) = (from, end.clamp(from, state.end));
            from = end;
            let (start, end) = (start.max(window.0), end.min(window.1));
            if start < end {
                visit(WaitPiece { kind, state: place, partner, message, start, end });
            }
        };
        explain(trace, place, state, &mut until);
    }
}

/// Says until when the state is of which kind, for whom, and by which message.
fn explain(
    trace: &WaitTrace,
    place: usize,
    state: &TimedState,
    until: &mut impl FnMut(i64, WaitKind, Option<u32>, Option<usize>),
) {
    let arrival = trace.arrival(place, state.end, |message| message.is_collective || !state.joins);
    if let Some(found) = arrival {
        let message = &trace.messages()[found];
        let (partner, found) = (Some(message.source), Some(found));
        if message.is_collective {
            until(message.start, WaitKind::Collective, partner, found);
        } else {
            until(message.start, WaitKind::LateSender, partner, found);
            until(message.end, WaitKind::Transfer, partner, found);
            return until(state.end, WaitKind::Unexplained, None, None);
        }
        return until(state.end, WaitKind::Collective, None, found);
    }
    if state.joins {
        if let Some(last) = trace.last_member(place) {
            let last = &trace.states()[last];
            until(last.start, WaitKind::Collective, Some(last.container), None);
        }
        return until(state.end, WaitKind::Collective, None, None);
    }
    if let Some((found, began)) = trace.receipt(place) {
        let message = &trace.messages()[found];
        let (partner, found) = (Some(message.target), Some(found));
        until(message.start, WaitKind::Unexplained, None, None);
        until(began, WaitKind::LateReceiver, partner, found);
        until(message.end, WaitKind::Transfer, partner, found);
    }
    until(state.end, WaitKind::Unexplained, None, None);
}

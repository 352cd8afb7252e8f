//! A wait of a sweep, from its start until it is explained.

use std::cmp::Reverse;
use std::sync::Arc;

use super::{LEAST_PART, TimedState, WaitKind, WaitMessage};

/// A message with what the caller knows of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SweptMessage<D> {
    /// The message. Its label is not used.
    pub message: WaitMessage,
    /// What the caller knows; it decides the order of messages that are equal otherwise.
    pub detail: D,
}

/// A part of a waiting state, from `start` to `end`.
#[derive(Debug)]
pub struct SweptWait<'a, D> {
    /// Why the container waits.
    pub kind: WaitKind,
    /// The state.
    pub state: TimedState,
    /// Number of the wait by container and time, from 0.
    pub number: i64,
    /// The container that it waits for.
    pub partner: Option<u32>,
    /// The message that explains it.
    pub message: Option<&'a SweptMessage<D>>,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

/// A message in flight, with the number that stands for its label.
#[derive(Debug)]
pub(super) struct FlyingMessage<D> {
    pub(super) swept: SweptMessage<D>,
    /// As it counts: not before its end.
    pub(super) start: i64,
    pub(super) number: u64,
}

pub(super) type Flying<D> = Arc<FlyingMessage<D>>;

/// A waiting state that is not explained yet.
#[derive(Debug)]
pub(super) struct OpenWait<D> {
    pub(super) state: TimedState,
    pub(super) number: i64,
    /// Whether a message arrived in it, or was picked up.
    pub(super) is_reached: bool,
    pub(super) is_over: bool,
    pub(super) arrival: Option<Flying<D>>,
    /// The last member of its collective that came after it: start and container. Known when it is over.
    pub(super) member: Option<(i64, u32)>,
    /// The message whose receiver began last, and when that was.
    pub(super) receipt: Option<(Flying<D>, i64)>,
    /// Whether a receiver began after its end.
    pub(super) is_buffered: bool,
    pub(super) group: Option<(u32, u64)>,
    /// For the survey: the largest size of its messages, and whether all their receivers began after its end.
    pub(super) sent: u8,
    pub(super) is_alone: bool,
}

impl<D> OpenWait<D> {
    pub(super) fn new(state: TimedState, number: i64, group: Option<(u32, u64)>) -> OpenWait<D> {
        OpenWait {
            state,
            number,
            is_reached: false,
            is_over: false,
            arrival: None,
            member: None,
            receipt: None,
            is_buffered: false,
            group,
            sent: 0,
            is_alone: true,
        }
    }

    /// A message arrives at its container.
    pub(super) fn reach(&mut self, flying: &Flying<D>) {
        let WaitMessage { end, is_collective, .. } = flying.swept.message;
        if end <= self.state.start || end > self.state.end {
            return;
        }
        self.is_reached = true;
        let spent = end - flying.start.max(self.state.start);
        let is_wanted = is_collective || !self.state.joins;
        let rank = |flying: &Flying<D>| {
            let message = &flying.swept.message;
            (message.end, flying.start, Reverse((message.source, flying.number)))
        };
        let is_later = self.arrival.as_ref().is_none_or(|known| rank(known) < rank(flying));
        if is_wanted && is_later && spent >= (end - flying.start) / LEAST_PART {
            self.arrival = Some(Arc::clone(flying));
        }
    }

    /// A message of its container is received in a state that began at some time.
    pub(super) fn receive(&mut self, flying: &Flying<D>, began: i64, is_buffered_size: bool) {
        let message = &flying.swept.message;
        let TimedState { start, end, joins, .. } = self.state;
        if joins || message.end <= start || flying.start >= end {
            return;
        }
        self.sent = self.sent.max(message.size);
        self.is_alone &= began > end;
        if is_buffered_size {
            return;
        }
        let rank = |flying: &Flying<D>, began: i64| {
            let message = &flying.swept.message;
            let since = began.max(flying.start).max(start);
            (since, message.end, flying.start, Reverse((message.target, flying.number)))
        };
        self.is_buffered |= began > end;
        if self.receipt.as_ref().is_none_or(|(known, when)| rank(known, *when) < rank(flying, began)) {
            self.receipt = Some((Arc::clone(flying), began));
        }
    }

    /// Gives its pieces, cut at a window.
    pub(super) fn explain(&self, window: (i64, i64), give: &mut impl FnMut(SweptWait<'_, D>)) {
        let (state, number) = (self.state, self.number);
        let mut from = state.start;
        let mut until = |end: i64, kind: WaitKind, partner: Option<u32>, message: Option<&Flying<D>>| {
            let (start, end) = (from, end.clamp(from, state.end));
            from = end;
            let (start, end) = (start.max(window.0), end.min(window.1));
            if start < end {
                let message = message.map(|flying| &flying.swept);
                give(SweptWait { kind, state, number, partner, message, start, end });
            }
        };
        if let Some(found) = &self.arrival {
            let WaitMessage { source, end, is_collective, .. } = found.swept.message;
            if is_collective {
                until(found.start, WaitKind::Collective, Some(source), Some(found));
                return until(state.end, WaitKind::Collective, None, Some(found));
            }
            until(found.start, WaitKind::LateSender, Some(source), Some(found));
            until(end, WaitKind::Transfer, Some(source), Some(found));
            return until(state.end, WaitKind::Unexplained, None, None);
        }
        if state.joins {
            if let Some((start, container)) = self.member {
                until(start, WaitKind::Collective, Some(container), None);
            }
            return until(state.end, WaitKind::Collective, None, None);
        }
        if let Some((found, began)) = self.receipt.as_ref().filter(|_| !self.is_reached && !self.is_buffered) {
            let message = &found.swept.message;
            until(found.start, WaitKind::Unexplained, None, None);
            until(*began, WaitKind::LateReceiver, Some(message.target), Some(found));
            until(message.end, WaitKind::Transfer, Some(message.target), Some(found));
        }
        until(state.end, WaitKind::Unexplained, None, None);
    }
}

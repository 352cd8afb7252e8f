//! A container under way: its last point, the state that it is in, and what may hold it up there.
//!
//! ```text
//!  last point        others      point
//!      |  waits         |  own     |        the wait lasts until the last of the others is there, then it goes on
//! ```

use std::collections::BTreeSet;

use super::carried::CarriedStates;
use super::changes::ReplayChanges;
use super::facts::ReplayFacts;
use super::moment::Moment;
use super::phases::PhaseCount;
use super::{ReplayLink, ReplayState};
use crate::waiting::{LEAST_PART, StateRole, WaitMessage};

/// The receivers of a container's messages.
#[derive(Debug, Clone, Copy)]
pub(super) struct BegunReceivers {
    /// When the last of them had begun.
    pub(super) begun: Moment,
    /// When the last of the messages is received.
    pub(super) received: i64,
}

impl BegunReceivers {
    pub(super) fn and(self, other: BegunReceivers) -> BegunReceivers {
        BegunReceivers { begun: self.begun.and(other.begun), received: self.received.max(other.received) }
    }
}

/// A state that a container is in.
#[derive(Debug)]
pub(super) struct OpenReplay<D> {
    pub(super) row: ReplayState<D>,
    /// When it started.
    pub(super) start: Moment,
    /// The collective that it belongs to.
    pub(super) group: Option<(u32, u64)>,
    /// Whether a message arrived in it, or was picked up.
    pub(super) is_reached: bool,
    /// Whether a message arrived that it waited for.
    pub(super) is_released: bool,
    /// When all had come to a collective of links that its container came to last.
    pub(super) gathered: Option<Moment>,
    /// Those that received messages of its container in it.
    pub(super) receivers: Option<BegunReceivers>,
}

impl<D> OpenReplay<D> {
    /// Whether a message that arrives ends a wait: one that was in it for less than a hundredth of its flight had
    /// arrived before.
    pub(super) fn awaits(&self, sent: i64, received: i64) -> bool {
        let spent = received - sent.max(self.start.old);
        self.row.state.is_blocked() && spent >= (received - sent) / LEAST_PART
    }

    /// Whether its container waited for a receiver of a message. In a call that only communicates there is no sign of that
    /// if the receiver was there before the message was sent, or if the call went on long before it had the message.
    pub(super) fn waits_for(&self, sent: i64, receiver: BegunReceivers) -> bool {
        let state = &self.row.state;
        let BegunReceivers { begun: Moment { old: begun, .. }, received } = receiver;
        state.role == StateRole::Waits || begun > sent && state.end - begun >= (received - begun) / 2
    }

    /// Whether its container can wait in it for the receiver of one of its messages, sent at an instant.
    pub(super) fn hands_over(&self, message: &WaitMessage, sent: i64, facts: &ReplayFacts) -> bool {
        let state = &self.row.state;
        let is_own = state.role == StateRole::Waits || sent >= state.start;
        state.is_blocked()
            && !state.joins
            && is_own
            && sent < state.end
            && !message.is_collective
            && message.source != message.target
            && !facts.waits.is_buffered(message.size)
    }
}

/// A container under way.
#[derive(Debug)]
pub(super) struct ReplayLane<D> {
    /// Its last point.
    pub(super) last: Option<Moment>,
    pub(super) open: Option<OpenReplay<D>>,
    /// Links that it sent and that have not arrived: when they were sent, and their numbers.
    pub(super) sent: BTreeSet<(i64, u64)>,
    /// How many phases it has begun.
    pub(super) phase: PhaseCount,
    /// States that it is in beside.
    pub(super) carried: Option<Box<CarriedStates<D>>>,
}

impl<D> Default for ReplayLane<D> {
    fn default() -> ReplayLane<D> {
        ReplayLane { last: None, open: None, sent: BTreeSet::new(), phase: PhaseCount::default(), carried: None }
    }
}

/// Where the time between two points of a container goes.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneTime<'a, D> {
    pub(super) changes: &'a ReplayChanges,
    pub(super) facts: &'a ReplayFacts,
    pub(super) container: u32,
    pub(super) lane: &'a ReplayLane<D>,
    /// Whether its state is a collective of a value that others have too.
    pub(super) is_matched: bool,
}

impl<D> LaneTime<'_, D> {
    /// What becomes of time that a container spends in its state, or in none, without waiting for others. Until an instant
    /// it is the network's in any case.
    pub(super) fn spent(&self, time: (i64, i64), transfer: i64) -> i64 {
        let LaneTime { changes, facts, container, lane, is_matched } = *self;
        let Some(open) = &lane.open else {
            return changes.own_time(container, time, self.factor(time, changes.gap_factor));
        };
        let is_network = match open.row.state.role {
            StateRole::Communicates => true,
            StateRole::Waits if open.row.state.joins => is_matched,
            // A message is picked up, or what came with it is done.
            StateRole::Waits => open.is_reached,
            StateRole::Works | StateRole::Other | StateRole::Unknown => false,
        };
        let (start, end) = time;
        let border = if is_network { end } else { transfer.clamp(start, end) };
        let (network, own) = ((start, border), (border, end));
        let on_network = changes.network_time(container, network, self.factor(network, open.row.factor), facts);
        on_network.saturating_add(changes.own_time(container, own, self.factor(own, open.row.factor)))
    }

    /// The factor on some time: that of the state that is followed, else the mean of those of the states beside it; and
    /// that which balances the phase.
    fn factor(&self, time: (i64, i64), factor: f64) -> f64 {
        factor * self.balance() * if factor == 1.0 { self.carried_factor(time) } else { 1.0 }
    }

    fn balance(&self) -> f64 {
        let Some(balance) = &self.changes.balance else { return 1.0 };
        let works = self.lane.open.as_ref().map_or(balance.works_in_gaps, |open| !open.row.state.is_blocked());
        if works { balance.factor(self.lane.phase, self.container) } else { 1.0 }
    }

    fn carried_factor(&self, time: (i64, i64)) -> f64 {
        let Some(carried) = &self.lane.carried else { return 1.0 };
        let Some(inside) = self.changes.inside(self.container, time) else { return 1.0 };
        let (ticks, factor) = carried.changed(inside);
        if ticks == 0 { 1.0 } else { 1.0 + (factor - 1.0) * ticks as f64 / (inside.1 - inside.0) as f64 }
    }
}

/// A link that has not arrived, or whose ends are not both known.
#[derive(Debug)]
pub(super) struct FlyingReplay<D> {
    pub(super) link: ReplayLink<D>,
    /// When it counts as sent: not after its end.
    pub(super) sent: i64,
    /// From when on it flies now.
    pub(super) flies: i64,
    /// Its new ends, as far as they are known.
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
}

//! When the points of an instant are reached: by the time since the point before, by messages, and when others are there.

use super::ReplayLink;
use super::happenings::Happenings;
use super::lane::{BegunReceivers, FlyingReplay, LaneTime, OpenReplay, ReplayLane};
use super::moment::Moment;
use super::sweep::ReplaySweep;
use crate::waiting::{StateRole, WaitMessage};

/// Where a message in flight is received.
enum Receive {
    /// In a state in which a container waits or communicates, which has begun.
    Begun(Moment),
    /// In such a state, which begins now.
    BeginsNow,
    /// In any other state.
    Elsewhere,
}

impl<D> ReplaySweep<D> {
    /// A message arrives: the state of its target has got one, and that of its source need not wait for the receiver.
    pub(super) fn note_arrival(&mut self, number: u64) {
        let FlyingReplay { link, sent, .. } = &self.flying[&number];
        let Some(receive) = self.lanes.get_mut(&link.message.target).and_then(|lane| lane.open.as_mut()) else {
            return;
        };
        receive.is_reached = true;
        if !receive.row.state.is_blocked() {
            return;
        }
        let receiver = BegunReceivers { begun: receive.start, received: link.message.end };
        let Some(send) = self.lanes.get_mut(&link.message.source).and_then(|lane| lane.open.as_mut()) else { return };
        if send.hands_over(&link.message, *sent, &self.facts) && send.waits_for(*sent, receiver) {
            send.receivers = Some(send.receivers.map_or(receiver, |known| known.and(receiver)));
        }
    }

    /// Points are reached no earlier than the messages that arrive there.
    pub(super) fn wait_for_messages(&self, all: &mut Happenings<D>) {
        for number in &all.arrivals {
            let FlyingReplay { link: ReplayLink { message, volume, .. }, sent, flies, .. } = &self.flying[number];
            let place = all.place(message.target);
            let open = self.lanes.get(&message.target).and_then(|lane| lane.open.as_ref());
            let is_awaited = open.is_some_and(|open| open.awaits(*sent, message.end));
            all.is_released[place] |= is_awaited;
            if *sent == all.tick {
                all.needs.push((all.place(message.source), place));
                continue;
            }
            let flight = message.end - sent;
            let took = if is_awaited { flight } else { self.facts.unseen_flight(flight, *volume) };
            let point = &mut all.points[place];
            point.is_explained |= is_awaited;
            point.time = point.time.max(flies.saturating_add(self.changes.flight(message, took, &self.facts)));
        }
    }

    /// A container reaches its point: by its own time since the point before, and when others are there.
    pub(super) fn reach(&self, all: &mut Happenings<D>, place: usize) {
        let (tick, container) = (all.tick, all.containers[place]);
        let Some((last, lane)) = self.lanes.get(&container).and_then(|lane| Some((lane.last?, lane))) else {
            // It begins when it began.
            let point = &mut all.points[place];
            point.time = point.time.max(tick);
            point.is_explained = true;
            return;
        };
        let open = lane.open.as_ref();
        let time = self.time_of(container, lane);
        let own = last.new.saturating_add(time.spent((last.old, tick), last.old));
        all.points[place].own = own;
        if all.is_released[place] {
            let point = &mut all.points[place];
            point.time = point.time.max(last.new);
            return;
        }
        let mut ready = last;
        let mut transfer = last.old;
        if let Some(open) = open {
            ready = open.gathered.map_or(ready, |gathered| ready.and(gathered));
            if !open.is_released
                && let Some(come) = open.group.and_then(|group| self.groups.come(group))
            {
                ready = ready.and(come);
            }
            if let Some(receivers) = self.receivers(all, place, open) {
                ready = ready.and(receivers.begun);
                transfer = receivers.received;
            }
        }
        let reached = ready.new.saturating_add(time.spent((ready.old, tick), transfer));
        let point = &mut all.points[place];
        point.time = point.time.max(reached);
        point.is_explained |= ready.old < tick;
    }

    fn time_of<'a>(&'a self, container: u32, lane: &'a ReplayLane<D>) -> LaneTime<'a, D> {
        let waits = &self.facts.waits;
        let is_matched = lane.open.as_ref().is_some_and(|open| {
            let value = open.row.state.value;
            waits.is_shared(value) || waits.is_linked(value)
        });
        LaneTime { changes: &self.changes, facts: &self.facts, container, lane, is_matched }
    }

    /// The receivers that a container waited for in a state that ends now; `None` when it waited for something else.
    fn receivers(&self, all: &mut Happenings<D>, place: usize, open: &OpenReplay<D>) -> Option<BegunReceivers> {
        let state = &open.row.state;
        if state.end != all.tick || open.is_reached || state.joins || !state.is_blocked() {
            return None;
        }
        let mut found = open.receivers;
        let mut begin_now = vec![];
        let since = if state.role == StateRole::Waits { i64::MIN } else { state.start };
        for (sent, number) in self.lanes.get(&state.container)?.sent.range((since, 0)..) {
            let message = self.flying[number].link.message;
            if message.end <= all.tick || !open.hands_over(&message, *sent, &self.facts) {
                continue;
            }
            // It does not wait for those that have not begun when it goes on.
            let Some(receive) = self.receive_of(all, &message) else { continue };
            // Its new time is passed on within the instant.
            let begun = match receive {
                Receive::Begun(begun) => begun,
                Receive::BeginsNow => Moment { old: all.tick, new: i64::MIN },
                Receive::Elsewhere => continue,
            };
            let receiver = BegunReceivers { begun, received: message.end };
            if !open.waits_for(*sent, receiver) {
                continue;
            }
            found = Some(found.map_or(receiver, |known| known.and(receiver)));
            if begun.old == all.tick {
                begin_now.push(message.target);
            }
        }
        for target in begin_now {
            all.needs.push((all.place(target), place));
        }
        found
    }

    /// Where a message in flight is received; `None` if that has not begun.
    fn receive_of(&self, all: &Happenings<D>, message: &WaitMessage) -> Option<Receive> {
        let open = self.lanes.get(&message.target).and_then(|lane| lane.open.as_ref());
        if let Some(open) = open.filter(|open| open.row.state.end >= message.end) {
            return Some(if open.row.state.is_blocked() { Receive::Begun(open.start) } else { Receive::Elsewhere });
        }
        let begins = all.beginning(message.target).filter(|row| row.state.end >= message.end)?;
        Some(if begins.state.is_blocked() { Receive::BeginsNow } else { Receive::Elsewhere })
    }
}

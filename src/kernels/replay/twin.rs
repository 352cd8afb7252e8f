//! The slow twin: a list of all dependencies by the words of the definition, and the longest path over them.

use std::collections::{BTreeMap, BTreeSet};

use super::{ReplayLink, ReplayState};
use crate::waiting::twins::PlainTrace;
use crate::waiting::{StateRole, TimedState, WaitMessage};

/// Changes in quarters, so that products are exact.
#[derive(Debug, Clone)]
pub(super) struct QuarterChanges {
    pub(super) latency: i64,
    pub(super) transfer: i64,
    pub(super) gap: i64,
    pub(super) window: (i64, i64),
    pub(super) containers: Vec<u32>,
}

/// A point: container and measured instant.
type Point = (u32, i64);

/// One point is reached no earlier than another, and a time after it: as it was, and as it is now.
struct Dependency {
    from: Point,
    to: Point,
    before: i64,
    now: i64,
}

/// A trace that is replayed slowly.
pub(super) struct SlowReplay<'a> {
    pub(super) states: &'a [ReplayState<i64>],
    pub(super) links: &'a [ReplayLink<i64>],
    pub(super) changes: QuarterChanges,
    /// Of states that have a length.
    plain: Vec<TimedState>,
    /// Sent no later than received.
    messages: Vec<WaitMessage>,
}

fn quarters(ticks: i64, factor: i64) -> i64 {
    (ticks * factor + 2).div_euclid(4)
}

fn is_blocked(state: &TimedState) -> bool {
    state.joins || matches!(state.role, StateRole::Communicates | StateRole::Waits)
}

impl<'a> SlowReplay<'a> {
    /// The detail of a state is its factor in quarters.
    pub(super) fn new(
        states: &'a [ReplayState<i64>],
        links: &'a [ReplayLink<i64>],
        changes: QuarterChanges,
    ) -> SlowReplay<'a> {
        let plain = states.iter().map(|row| row.state).filter(|state| state.start < state.end).collect();
        let sent =
            |link: &ReplayLink<i64>| WaitMessage { start: link.message.start.min(link.message.end), ..link.message };
        SlowReplay { states, links, changes, plain, messages: links.iter().map(sent).collect() }
    }

    fn trace(&self) -> PlainTrace<'_> {
        PlainTrace { states: &self.plain, messages: &self.messages }
    }

    /// All instants at which something happens in a container.
    fn points(&self) -> BTreeMap<u32, BTreeSet<i64>> {
        let mut points: BTreeMap<u32, BTreeSet<i64>> = BTreeMap::new();
        for ReplayState { state, .. } in self.states {
            points.entry(state.container).or_default().extend([state.start, state.end]);
        }
        for (link, message) in self.links.iter().zip(&self.messages) {
            points.entry(message.source).or_default().extend([link.message.start, message.start]);
            points.entry(message.target).or_default().insert(message.end);
        }
        points
    }

    /// When every point is reached.
    pub(super) fn times(&self) -> BTreeMap<Point, i64> {
        let points = self.points();
        let mut all = vec![];
        for (container, instants) in &points {
            self.depend_on_links((*container, *instants.first().expect("has a point")), None, &mut all);
            for (last, at) in instants.iter().zip(instants.iter().skip(1)) {
                self.depend(*container, *last, *at, &mut all);
            }
        }
        let first = points.iter().map(|(container, instants)| (*container, *instants.first().expect("has a point")));
        let first: Vec<Point> = first.collect();
        // Whoever is not held up as long as measured, the earliest first, has spent the time on its own.
        loop {
            let times = longest(&first, &all, |dependency| dependency.before);
            let short = times.iter().filter(|((_, at), time)| *time < at).map(|((_, at), _)| *at).min();
            let Some(earliest) = short else { break };
            for (to, _) in times.iter().filter(|((_, at), time)| *at == earliest && *time < at) {
                let last = *points[&to.0].range(..to.1).next_back().expect("has a point before");
                let now = self.own(to.0, (last, to.1), last);
                all.push(Dependency { from: (to.0, last), to: *to, before: to.1 - last, now });
            }
        }
        longest(&first, &all, |dependency| dependency.now)
    }

    /// Whether a state waits for a message that arrives in it.
    fn awaits(state: &TimedState, message: &WaitMessage) -> bool {
        let (flight, spent) = (message.end - message.start, message.end - message.start.max(state.start));
        is_blocked(state) && spent >= flight / 100
    }

    /// The links that arrive at a point, and whether it was waited for one of them in a state.
    fn depend_on_links(&self, to: Point, state: Option<&TimedState>, all: &mut Vec<Dependency>) -> bool {
        let mut is_waiting = false;
        for (message, link) in self.messages.iter().zip(self.links) {
            if (message.target, message.end) != to {
                continue;
            }
            let flight = message.end - message.start;
            let is_awaited = state.is_some_and(|state| SlowReplay::awaits(state, message));
            is_waiting |= is_awaited;
            let before = if is_awaited { flight } else { self.unseen(flight, link.volume) };
            let now = self.flight(message, before);
            all.push(Dependency { from: (message.source, message.start), to, before, now });
            for other in self.gathered(message) {
                all.push(Dependency { from: (other.container, other.start), to, before, now });
            }
        }
        is_waiting
    }

    /// What a point depends on.
    fn depend(&self, container: u32, last: i64, at: i64, all: &mut Vec<Dependency>) {
        let to = (container, at);
        let state = self.state_of(container, last, at);
        let is_waiting = self.depend_on_links(to, state, all);
        if is_waiting {
            return all.push(Dependency { from: (container, last), to, before: 0, now: 0 });
        }
        let Some(state) = state else {
            let now = self.own(container, (last, at), last);
            return all.push(Dependency { from: (container, last), to, before: at - last, now });
        };
        let released = |message: &&WaitMessage| {
            message.target == container
                && message.end > state.start
                && message.end < at
                && SlowReplay::awaits(state, message)
        };
        let mut others: Vec<Point> = vec![(container, last)];
        // The one that came last to a collective of links also waits for all of them.
        let own = self.messages.iter().filter(|message| message.source == container && message.start == last);
        others.extend(own.flat_map(|message| self.gathered(message)).map(|other| (other.container, other.start)));
        if self.messages.iter().filter(released).count() == 0 {
            let trace = self.trace();
            let members = trace.members(state);
            if members.len() > 1 {
                let come = members.iter().filter(|member| member.start < at);
                others.extend(come.map(|member| (member.container, member.start)));
            }
        }
        let mut transfer = last;
        if state.end == at
            && let Some(receivers) = self.receivers(state)
        {
            for (began, received) in receivers {
                others.push(began);
                transfer = transfer.max(received);
            }
        }
        let ready = others.iter().map(|(_, instant)| *instant).max().unwrap_or(last);
        let now = self.own(container, (ready, at), transfer);
        all.extend(others.into_iter().map(|from| Dependency { from, to, before: at - ready, now }));
    }

    /// The states that are in a collective of links when its last member comes and sends a link.
    fn gathered(&self, link: &WaitMessage) -> Vec<&TimedState> {
        if !link.is_collective || link.start == link.end {
            return vec![];
        }
        let same = |other: &&WaitMessage| {
            other.is_collective && other.end > other.start && (other.source, other.start) == (link.source, link.start)
        };
        let mut found = vec![];
        for other in self.messages.iter().filter(same) {
            let there = |state: &&TimedState| {
                state.container == other.target && state.start <= other.start && other.end <= state.end
            };
            match self.plain.iter().find(there).filter(|state| is_blocked(state)) {
                Some(state) => found.push(state),
                None => return vec![],
            }
        }
        found
    }

    /// When and where receivers began that a state waits for, and when they have the message.
    fn receivers(&self, state: &TimedState) -> Option<Vec<(Point, i64)>> {
        let is_reached = self
            .messages
            .iter()
            .any(|message| message.target == state.container && message.end > state.start && message.end <= state.end);
        if state.joins || is_reached || !is_blocked(state) {
            return None;
        }
        let buffered = self.trace().buffered_size();
        let mut found = vec![];
        for message in &self.messages {
            let is_own = state.role == StateRole::Waits || message.start >= state.start;
            let is_pending = message.start < state.end && message.end > state.start;
            let is_buffered = message.size > 0 && message.size <= buffered;
            let is_other = message.source != state.container || message.target == message.source;
            if is_other || !is_own || !is_pending || is_buffered || message.is_collective {
                continue;
            }
            let holds = |known: &&TimedState| {
                known.container == message.target && known.start < message.end && message.end <= known.end
            };
            let receive = self.plain.iter().find(holds);
            if message.end > state.end && receive.is_none_or(|receive| receive.start > state.end) {
                continue;
            }
            let is_late = |receive: &&TimedState| {
                let covers_half = state.end - receive.start >= (message.end - receive.start) / 2;
                state.role == StateRole::Waits || receive.start > message.start && covers_half
            };
            if let Some(receive) = receive.filter(|receive| is_blocked(receive)).filter(is_late) {
                found.push(((receive.container, receive.start), message.end));
            }
        }
        Some(found)
    }

    fn state_of(&self, container: u32, last: i64, at: i64) -> Option<&TimedState> {
        let holds = |state: &&TimedState| state.container == container && state.start <= last && at <= state.end;
        self.plain.iter().find(holds)
    }

    fn latency(&self) -> i64 {
        self.messages.iter().map(|message| message.end - message.start).filter(|flight| *flight > 0).min().unwrap_or(0)
    }

    fn unseen(&self, flight: i64, volume: Option<f64>) -> i64 {
        let measured = self.messages.iter().zip(self.links).filter(|(message, _)| message.end > message.start);
        let rates = measured.filter_map(|(message, link)| {
            link.volume.filter(|volume| *volume > 0.0).map(|volume| (message.end - message.start) as f64 / volume)
        });
        let fastest = rates.fold(f64::INFINITY, f64::min);
        let by_volume = volume.filter(|_| fastest.is_finite()).map_or(0, |volume| (volume * fastest).floor() as i64);
        flight.min(self.latency().max(by_volume))
    }

    fn network(&self, ticks: i64) -> i64 {
        let latency = ticks.min(self.latency());
        quarters(latency, self.changes.latency) + quarters(ticks - latency, self.changes.transfer)
    }

    fn flight(&self, message: &WaitMessage, ticks: i64) -> i64 {
        let QuarterChanges { window, containers, .. } = &self.changes;
        let is_chosen = containers.contains(&message.source) || containers.contains(&message.target);
        if is_chosen && message.start >= window.0 && message.start < window.1 { self.network(ticks) } else { ticks }
    }

    /// What becomes of time of a container on its own; until an instant it is the network's.
    fn own(&self, container: u32, (start, end): (i64, i64), transfer: i64) -> i64 {
        if !self.changes.containers.contains(&container) || start >= end {
            return end - start;
        }
        let window = self.changes.window;
        let inside = |from: i64, to: i64| (to.min(window.1) - from.max(window.0)).max(0);
        let holds = |row: &&ReplayState<i64>| {
            row.state.container == container && row.state.start <= start && end <= row.state.end
        };
        let Some(row) = self.states.iter().find(holds) else {
            return end - start - inside(start, end) + quarters(inside(start, end), self.changes.gap);
        };
        let is_shared = self
            .plain
            .iter()
            .any(|other| other.joins && other.value == row.state.value && other.container != row.state.container);
        let is_matched = || is_shared || self.trace().is_linked(&row.state);
        let has_arrived =
            |message: &WaitMessage| message.target == container && row.state.start < message.end && message.end <= end;
        let is_network = match (row.state.role, row.state.joins) {
            (StateRole::Communicates, _) => true,
            (StateRole::Waits, true) => is_matched(),
            (StateRole::Waits, false) => self.messages.iter().any(has_arrived),
            _ => false,
        };
        let border = if is_network { end } else { transfer.clamp(start, end) };
        let (network, own) = (inside(start, border), inside(border, end));
        end - start - network - own + quarters(self.network(network), row.detail) + quarters(own, row.detail)
    }
}

/// When every point is reached: rounds over all dependencies until nothing changes.
fn longest(first: &[Point], all: &[Dependency], weight: impl Fn(&Dependency) -> i64) -> BTreeMap<Point, i64> {
    let mut times: BTreeMap<Point, i64> = first.iter().map(|point| (*point, point.1)).collect();
    let mut is_changed = true;
    while is_changed {
        is_changed = false;
        for dependency in all {
            let Some(from) = times.get(&dependency.from) else { continue };
            let reached = from + weight(dependency);
            let known = times.entry(dependency.to).or_insert(i64::MIN);
            if *known < reached {
                *known = reached;
                is_changed = true;
            }
        }
    }
    times
}

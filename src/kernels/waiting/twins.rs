//! Slow twins: every tick of every state by the words of the definitions, and a longest path over a grid of instants.

use std::cmp::Reverse;

use super::{StateRole, StepKind, TimedState, WaitKind, WaitMessage};

/// A tick of a wait: container, tick, kind, partner.
pub(super) type WaitTick = (u32, i64, WaitKind, Option<u32>);

/// A tick of a path: tick, kind, container.
pub(super) type PathTick = (i64, StepKind, u32);

/// States and messages, looked at one by one.
pub(crate) struct PlainTrace<'a> {
    pub(crate) states: &'a [TimedState],
    pub(crate) messages: &'a [WaitMessage],
}

impl PlainTrace<'_> {
    /// Messages that arrive in a state.
    fn reaching(&self, state: &TimedState) -> Vec<&WaitMessage> {
        let reaches = |message: &&WaitMessage| {
            message.target == state.container && state.start < message.end && message.end <= state.end
        };
        self.messages.iter().filter(reaches).collect()
    }

    /// Those that were in flight in it for a hundredth of the time.
    fn arrivals(&self, state: &TimedState) -> Vec<&WaitMessage> {
        let mut found = self.reaching(state);
        found.retain(|message| {
            let spent = (message.start.max(state.start)..message.end).count() as i64;
            spent >= (message.end - message.start) / 100
        });
        found
    }

    /// Whether a link of a collective arrives in a state of this value.
    pub(crate) fn is_linked(&self, state: &TimedState) -> bool {
        let same = |other: &TimedState| other.joins && other.value == state.value;
        let links = self.messages.iter().filter(|message| message.is_collective);
        links.filter_map(|link| self.state_at(link.target, link.end)).any(same)
    }

    /// What a tick of a state is on a path.
    fn kind_in(&self, state: &TimedState) -> StepKind {
        let is_matched = state.joins && (self.members(state).len() > 1 || self.is_linked(state));
        match state.role {
            _ if is_matched => StepKind::Transfer,
            StateRole::Works => StepKind::Computation,
            StateRole::Other | StateRole::Unknown => StepKind::Other,
            StateRole::Communicates => StepKind::Transfer,
            StateRole::Waits => StepKind::Wait,
        }
    }

    /// The states of the same collective, this one included.
    pub(crate) fn members(&self, state: &TimedState) -> Vec<&TimedState> {
        if !state.joins || self.is_linked(state) {
            return vec![];
        }
        let mut calls: Vec<&TimedState> =
            self.states.iter().filter(|other| other.joins && other.value == state.value).collect();
        calls.sort_by_key(|call| (call.start, call.container, call.end));
        let of = |container: u32| calls.iter().filter(move |call| call.container == container);
        let counts: Vec<usize> = calls.iter().map(|call| of(call.container).count()).collect();
        let before = |call: &TimedState| of(call.container).filter(|other| other.start < call.start).count();
        if counts.iter().all(|count| *count == counts[0]) {
            return calls.iter().copied().filter(|call| before(call) == before(state)).collect();
        }
        let mut groups: Vec<Vec<&TimedState>> = vec![];
        for call in calls {
            match groups.last_mut() {
                Some(group)
                    if group.iter().all(|member| call.start < member.end && call.container != member.container) =>
                {
                    group.push(call);
                }
                _ => groups.push(vec![call]),
            }
        }
        groups.into_iter().find(|group| group.contains(&state)).unwrap_or_default()
    }

    /// Messages of a state that are still to be received, and when their targets begin to.
    fn receivers(&self, state: &TimedState) -> Vec<(&WaitMessage, i64)> {
        let mut found = vec![];
        for message in self.messages {
            let is_own = state.role == StateRole::Waits || message.start >= state.start;
            let is_pending = message.start < state.end && message.end > state.start;
            if message.source != state.container || !is_own || !is_pending || message.is_collective || state.joins {
                continue;
            }
            let Some(receive) = self.state_at(message.target, message.end).filter(|found| is_blocked(found)) else {
                continue;
            };
            if message.target != message.source {
                found.push((message, receive.start));
            }
        }
        found
    }

    /// The largest size of messages that are buffered.
    pub(crate) fn buffered_size(&self) -> u8 {
        let is_free = |state: &&TimedState| {
            let receivers = self.receivers(state);
            state.role == StateRole::Waits
                && self.reaching(state).is_empty()
                && receivers.iter().all(|(_, began)| *began > state.end)
        };
        let sizes = |state: &TimedState| self.receivers(state).into_iter().map(|(message, _)| message.size).max();
        self.states.iter().filter(is_free).filter_map(sizes).max().unwrap_or(0)
    }

    /// The message that a state waits to be received, and when its target begins to.
    fn receipt(&self, state: &TimedState) -> Option<(&WaitMessage, i64)> {
        if !self.reaching(state).is_empty() {
            return None;
        }
        let buffered = self.buffered_size();
        let mut found = self.receivers(state);
        found.retain(|(message, _)| message.size == 0 || message.size > buffered);
        if found.iter().any(|(_, began)| *began > state.end) {
            return None;
        }
        found.into_iter().max_by_key(|(message, began)| {
            (
                (*began).max(state.start).max(message.start),
                message.end,
                message.start,
                Reverse((message.target, message.label)),
            )
        })
    }

    fn state_at(&self, container: u32, instant: i64) -> Option<&TimedState> {
        let holds = |state: &&TimedState| state.container == container && state.start < instant && instant <= state.end;
        self.states.iter().find(holds)
    }

    /// Every tick of every waiting state.
    pub(super) fn wait_ticks(&self) -> Vec<WaitTick> {
        let mut ticks = vec![];
        for state in self.states.iter().filter(|state| state.role == StateRole::Waits) {
            let arrivals = self.arrivals(state).into_iter().filter(|message| message.is_collective || !state.joins);
            let last =
                arrivals.max_by_key(|message| (message.end, message.start, Reverse((message.source, message.label))));
            let later = |member: &&&TimedState| member.start > state.start && member.start < state.end;
            let members = self.members(state);
            let member = members.iter().filter(later).max_by_key(|member| (member.start, Reverse(member.container)));
            let receipt = self.receipt(state);
            for tick in state.start..state.end {
                let (kind, partner) = match (last, receipt) {
                    (Some(message), _) if message.is_collective => {
                        (WaitKind::Collective, (tick < message.start).then_some(message.source))
                    }
                    (Some(message), _) if tick < message.start => (WaitKind::LateSender, Some(message.source)),
                    (Some(message), _) if tick < message.end => (WaitKind::Transfer, Some(message.source)),
                    (Some(_), _) => (WaitKind::Unexplained, None),
                    (None, _) if state.joins => {
                        let comes = member.filter(|member| tick < member.start);
                        (WaitKind::Collective, comes.map(|member| member.container))
                    }
                    (None, Some((message, _))) if tick < message.start => (WaitKind::Unexplained, None),
                    (None, Some((message, began))) if tick < began => (WaitKind::LateReceiver, Some(message.target)),
                    (None, Some((message, _))) if tick < message.end => (WaitKind::Transfer, Some(message.target)),
                    _ => (WaitKind::Unexplained, None),
                };
                ticks.push((state.container, tick, kind, partner));
            }
        }
        ticks.sort_unstable();
        ticks
    }

    /// What a container waited for until an instant, by where it leads: container, instant, rank among equals, and the
    /// ticks of the step.
    fn ways(&self, container: u32, instant: i64) -> Vec<PathWay> {
        let Some(state) = self.state_at(container, instant).filter(|state| is_blocked(state)) else { return vec![] };
        let arrivals = self.arrivals(state);
        let now = arrivals.iter().filter(|message| message.end == instant);
        let mut ways: Vec<PathWay> = now
            .map(|message| PathWay {
                container: message.source,
                instant: message.start,
                rank: (message.start, Reverse(message.source)),
                steps: (message.start..instant).map(|tick| (tick, StepKind::Transfer, message.source)).collect(),
            })
            .collect();
        if arrivals.iter().any(|message| message.end <= instant) {
            return ways;
        }
        let members = self.members(state);
        for member in &members {
            if member.start == instant && instant > state.start && instant < state.end {
                let rank = (instant, Reverse(member.container));
                ways.push(PathWay { container: member.container, instant, rank, steps: vec![] });
            }
        }
        if instant == state.end
            && !members.iter().any(|member| member.start > state.start && member.start < state.end)
            && let Some((message, began)) = self.receipt(state)
        {
            let sent = message.start.max(state.start);
            let since = began.max(sent);
            let own = self.kind_in(state);
            let kind = |tick: i64| if tick < message.end { StepKind::Transfer } else { own };
            let container = if began > sent { message.target } else { container };
            let steps = (since..instant).map(|tick| (tick, kind(tick), state.container)).collect();
            ways.push(PathWay { container, instant: since, rank: (since, Reverse(container)), steps });
        }
        ways
    }

    /// The longest path from the first to the last instant that ends in a container, with its length: a tick in which
    /// a container waits for what comes at its end weighs nothing. `None` where instants chase each other.
    pub(super) fn longest_path(&self, end: u32, window: (i64, i64)) -> Option<(i64, Vec<PathTick>)> {
        let containers = 1 + self.states.iter().map(|state| state.container).max()?;
        let containers = containers.max(1 + self.messages.iter().map(|message| message.source).max().unwrap_or(0));
        let instants = (window.1 - window.0) as usize + 1;
        let mut longest = vec![vec![0_i64; instants]; containers as usize];
        let at = |instant: i64| (instant.max(window.0) - window.0) as usize;
        for instant in window.0 + 1..=window.1 {
            // Steps without length lead from one container to another at the same instant.
            for _ in 0..containers {
                for container in 0..containers {
                    let ways = self.ways(container, instant);
                    let local = longest[container as usize][at(instant - 1)] + i64::from(ways.is_empty());
                    let lengths = ways.iter().map(|way| {
                        longest[way.container as usize][at(way.instant)] + instant - way.instant.max(window.0)
                    });
                    longest[container as usize][at(instant)] = lengths.fold(local, i64::max);
                }
            }
        }
        let length = longest[end as usize][instants - 1];
        let (mut container, mut instant, mut ticks, mut hops) = (end, window.1, vec![], 0);
        while instant > window.0 {
            let best = self.ways(container, instant).into_iter().max_by_key(|way| way.rank);
            if let Some(way) = best {
                ticks.extend(way.steps.into_iter().filter(|(tick, ..)| *tick >= window.0));
                hops = if way.instant < instant { 0 } else { hops + 1 };
                (container, instant) = (way.container, way.instant);
                if hops > containers {
                    return None;
                }
                continue;
            }
            instant -= 1;
            hops = 0;
            let kind = match self.state_at(container, instant + 1) {
                Some(state) => self.kind_in(state),
                None => StepKind::Computation,
            };
            ticks.push((instant, kind, container));
        }
        ticks.sort_unstable_by_key(|(tick, ..)| *tick);
        Some((length, ticks))
    }
}

/// A step back of a path.
struct PathWay {
    container: u32,
    instant: i64,
    rank: (i64, Reverse<u32>),
    steps: Vec<PathTick>,
}

fn is_blocked(state: &TimedState) -> bool {
    state.joins || matches!(state.role, StateRole::Communicates | StateRole::Waits)
}

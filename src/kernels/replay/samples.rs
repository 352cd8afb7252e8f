//! Rows and random traces for tests.

use proptest::prelude::*;

use super::twin::QuarterChanges;
use super::{ReplayLink, ReplayPart, ReplayState};
use crate::waiting::{StateRole, TimedState, WaitMessage};

pub(super) type States = Vec<ReplayState<i64>>;
pub(super) type Links = Vec<ReplayLink<i64>>;

pub(super) fn state(container: u32, start: i64, end: i64, role: StateRole) -> ReplayState<i64> {
    let state = TimedState { container, start, end, value: role as u32, role, joins: false };
    ReplayState { state, part: ReplayPart::Whole, factor: 1.0, detail: 4 }
}

pub(super) fn work(container: u32, start: i64, end: i64) -> ReplayState<i64> {
    state(container, start, end, StateRole::Works)
}

pub(super) fn wait(container: u32, start: i64, end: i64) -> ReplayState<i64> {
    state(container, start, end, StateRole::Waits)
}

pub(super) fn barrier(container: u32, start: i64, end: i64) -> ReplayState<i64> {
    let mut row = wait(container, start, end);
    (row.state.joins, row.state.value) = (true, 9);
    row
}

pub(super) fn link(source: u32, target: u32, start: i64, end: i64) -> ReplayLink<i64> {
    let message = WaitMessage { source, target, start, end, label: 0, size: 0, is_collective: false };
    ReplayLink { message, volume: None, detail: 0 }
}

pub(super) const CONTAINERS: u32 = 4;

pub(super) fn arbitrary_states() -> impl Strategy<Value = States> {
    let roles = prop_oneof![
        4 => Just(StateRole::Works),
        1 => Just(StateRole::Other),
        1 => Just(StateRole::Unknown),
        3 => Just(StateRole::Communicates),
        4 => Just(StateRole::Waits)
    ];
    let piece = (0..4_i64, 0..6_i64, roles, prop::bool::weighted(0.25), 0..2_u32, 0..9_i64);
    let lane = prop::collection::vec(piece, 0..7);
    prop::collection::vec(lane, 1..=CONTAINERS as usize).prop_map(|lanes| {
        let mut states = vec![];
        for (container, pieces) in (0..).zip(lanes) {
            let mut at = 0;
            for (gap, length, role, joins, value, quarters) in pieces {
                let start = if gap == 3 { at + 2 } else { at };
                at = start + length;
                let value = if joins { 10 + value } else { role as u32 };
                let state = TimedState { container, start, end: at, value, role, joins };
                states.push(ReplayState {
                    state,
                    part: ReplayPart::Whole,
                    factor: quarters as f64 / 4.0,
                    detail: quarters,
                });
            }
        }
        states
    })
}

pub(super) fn arbitrary_links() -> impl Strategy<Value = Links> {
    let link = (0..CONTAINERS, 0..CONTAINERS, 0..24_i64, -2..8_i64, 0..5_u8, prop::bool::weighted(0.2));
    let link = link.prop_map(|(source, target, start, flight, size, is_collective)| {
        let message = WaitMessage { source, target, start, end: start + flight, label: 0, size, is_collective };
        ReplayLink { message, volume: (size > 0).then(|| f64::from(1_u32 << size) - 1.0), detail: 0 }
    });
    prop::collection::vec(link, 0..12)
}

pub(super) fn arbitrary_changes() -> impl Strategy<Value = QuarterChanges> {
    let containers = prop::collection::vec(0..CONTAINERS, 1..4);
    let containers = prop_oneof![Just((0..CONTAINERS).collect()), containers];
    let window = prop_oneof![Just((-99, 99)), (0..12_i64, 12..30_i64)];
    (0..9_i64, 0..9_i64, 0..9_i64, window, containers).prop_map(|(latency, transfer, gap, window, containers)| {
        QuarterChanges { latency, transfer, gap, window, containers }
    })
}

/// Rounds of a program: all compute, send to one of the others and receive, and perhaps meet at a barrier.
pub(super) fn arbitrary_program() -> impl Strategy<Value = (States, Links)> {
    let round = (
        prop::collection::vec(1..20_i64, CONTAINERS as usize),
        1..CONTAINERS,
        prop::collection::vec(1..9_i64, CONTAINERS as usize),
        prop::option::of(1..4_i64),
    );
    prop::collection::vec(round, 1..6).prop_map(|rounds| simulated(&rounds))
}

/// A round: computation of each, how far messages go, their flights, and the time of the barrier.
type Round = (Vec<i64>, u32, Vec<i64>, Option<i64>);

fn simulated(rounds: &[Round]) -> (States, Links) {
    let (mut states, mut links) = (vec![], vec![]);
    let mut now = [0_i64; CONTAINERS as usize];
    for (work_of, shift, flights, meeting) in rounds {
        let mut received = [0; CONTAINERS as usize];
        for (place, at) in now.iter_mut().enumerate() {
            let container = place as u32;
            states.push(work(container, *at, *at + work_of[place]));
            *at += work_of[place];
            let target = (container + shift) % CONTAINERS;
            links.push(link(container, target, *at, *at + flights[place]));
            received[target as usize] = *at + flights[place];
            states.push(state(container, *at, *at + 1, StateRole::Communicates));
            *at += 1;
        }
        for (place, at) in now.iter_mut().enumerate() {
            // A message that is there is picked up in a tick, and its link ends then.
            let end = received[place].max(*at + 1);
            for link in links.iter_mut().rev().take(CONTAINERS as usize) {
                if link.message.target == place as u32 {
                    link.message.end = end;
                }
            }
            states.push(wait(place as u32, *at, end));
            *at = end;
        }
        if let Some(meeting) = meeting {
            let end = now.iter().max().copied().unwrap_or(0) + meeting;
            for (place, at) in now.iter_mut().enumerate() {
                states.push(barrier(place as u32, *at, end));
                *at = end;
            }
        }
    }
    (states, links)
}

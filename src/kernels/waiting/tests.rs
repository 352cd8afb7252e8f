//! Worked examples and slow twins.

use proptest::prelude::*;

use super::*;

const RECEIVE: WaitRoles = WaitRoles { receives: true, sends: false, joins: false };
const SEND: WaitRoles = WaitRoles { receives: false, sends: true, joins: false };
const JOIN: WaitRoles = WaitRoles { receives: false, sends: false, joins: true };
const WORK: WaitRoles = WaitRoles { receives: false, sends: false, joins: false };

fn state(container: u32, start: i64, end: i64, roles: WaitRoles) -> TimedState {
    TimedState { container, start, end, value: 0, roles }
}

fn message(source: u32, target: u32, start: i64, end: i64) -> WaitMessage {
    WaitMessage { source, target, start, end }
}

fn shown(waits: &[Wait]) -> Vec<(Reason, u32, u32, i64, i64)> {
    waits.iter().map(|wait| (wait.reason, wait.waiter, wait.culprit, wait.start, wait.end)).collect()
}

#[test]
fn the_cases_of_the_drawing() {
    let late_sender = [state(1, 2, 9, RECEIVE)];
    assert_eq!(shown(&waits(&late_sender, &[message(2, 1, 6, 9)])), [(Reason::LateSender, 1, 2, 2, 6)]);
    let late_receiver = [state(1, 2, 9, SEND), state(2, 7, 12, RECEIVE)];
    assert_eq!(shown(&waits(&late_receiver, &[message(1, 2, 2, 10)])), [(Reason::LateReceiver, 1, 2, 2, 7)]);
    let barrier = [state(1, 2, 10, JOIN), state(2, 6, 10, JOIN), state(3, 4, 11, JOIN)];
    let expected = [(Reason::Collective, 1, 2, 2, 6), (Reason::Collective, 3, 2, 4, 6)];
    assert_eq!(shown(&waits(&barrier, &[])), expected);
}

#[test]
fn nobody_waits_for_what_is_there() {
    // Sent before the receive began, and buffered: the sender is done before the receive begins.
    let early = [state(1, 0, 2, SEND), state(2, 5, 6, RECEIVE)];
    assert!(waits(&early, &[message(1, 2, 0, 6)]).is_empty());
    // The receiver works when the message comes.
    assert!(waits(&[state(2, 0, 9, WORK)], &[message(1, 2, 3, 4)]).is_empty());
    // Two barriers of the same containers, one after the other.
    let twice = [state(1, 0, 2, JOIN), state(2, 0, 2, JOIN), state(1, 2, 4, JOIN), state(2, 2, 4, JOIN)];
    assert!(waits(&twice, &[]).is_empty());
}

/// Of several messages the one that was sent last counts.
#[test]
fn a_state_waits_once() {
    let all = [state(1, 0, 9, RECEIVE)];
    let found = waits(&all, &[message(2, 1, 3, 4), message(3, 1, 5, 8), message(4, 1, 5, 9)]);
    assert_eq!(shown(&found), [(Reason::LateSender, 1, 3, 0, 5)]);
}

/// A works until 4 and sends, the message arrives at 6, B works until 10.
#[test]
fn the_path_goes_over_the_message() {
    let states = [state(1, 0, 5, WORK), state(2, 0, 2, WORK), state(2, 2, 6, RECEIVE), state(2, 6, 10, WORK)];
    let messages = [message(1, 2, 4, 6)];
    let found = critical_path(&states, &messages, &waits(&states, &messages), (0, 10));
    let piece = |kind, container, start, end| PathPiece { kind, container, start, end };
    assert_eq!(
        found,
        [
            piece(PathPieceKind::State(Some(0)), 1, 0, 4),
            piece(PathPieceKind::Message(0), 1, 4, 6),
            piece(PathPieceKind::State(Some(3)), 2, 6, 10),
        ]
    );
    // A window within: from the middle of the message on.
    let found = critical_path(&states, &messages, &waits(&states, &messages), (5, 8));
    assert_eq!(found, [piece(PathPieceKind::Message(0), 1, 5, 6), piece(PathPieceKind::State(Some(3)), 2, 6, 8)]);
    assert!(critical_path(&[], &[], &[], (0, 10)).is_empty());
}

/// The twin: looks at every state for every message, and at every state for every other.
fn slow_waits(states: &[TimedState], messages: &[WaitMessage]) -> Vec<(Reason, u32, usize, i64, i64)> {
    let around = |container: u32, roles: fn(WaitRoles) -> bool, starts: &dyn Fn(i64) -> bool, at: i64| {
        let fits = |place: &usize| {
            let state = &states[*place];
            state.container == container && roles(state.roles) && starts(state.start) && state.end >= at
        };
        let rank =
            |place: &usize| (states[*place].start, std::cmp::Reverse(states[*place].end), states[*place].value, *place);
        (0..states.len()).filter(fits).max_by_key(rank)
    };
    let mut found = vec![];
    for message in messages {
        let receive = around(message.target, |roles| roles.receives, &|start| start < message.end, message.end);
        let Some(receive) = receive else { continue };
        let began = states[receive].start;
        if began < message.start {
            found.push((Reason::LateSender, message.source, receive, began, message.start));
        }
        let send = around(message.source, |roles| roles.sends, &|start| start <= message.start, message.start);
        if let Some(send) = send.filter(|send| message.start < began && began <= states[*send].end) {
            found.push((Reason::LateReceiver, message.target, send, message.start, began));
        }
    }
    // The one that ends last is kept; of equals, that of the smaller culprit.
    found.sort_by_key(|(reason, culprit, state, start, end)| {
        (*state, *reason, std::cmp::Reverse(*end), *culprit, *start)
    });
    found.dedup_by_key(|(reason, _, state, ..)| (*state, *reason));
    found
}

fn states() -> impl Strategy<Value = Vec<TimedState>> {
    let roles = (any::<bool>(), any::<bool>(), any::<bool>());
    let one = (0_u32..4, 0_i64..30, 0_i64..10, 0_u32..3, roles);
    prop::collection::vec(one, 0..30).prop_map(|rows| {
        let states = rows.into_iter().map(|(container, start, length, value, (receives, sends, joins))| TimedState {
            container,
            start,
            end: start + length,
            value,
            roles: WaitRoles { receives, sends, joins },
        });
        states.collect()
    })
}

fn messages() -> impl Strategy<Value = Vec<WaitMessage>> {
    let one = (0_u32..4, 0_u32..4, 0_i64..30, 0_i64..10);
    prop::collection::vec(one, 0..20).prop_map(|rows| {
        rows.into_iter().map(|(source, target, start, length)| message(source, target, start, start + length)).collect()
    })
}

proptest! {
    #[test]
    fn waits_for_messages_agree_with_their_twin(states in states(), messages in messages()) {
        let found = waits(&states, &messages).into_iter().filter(|wait| wait.reason != Reason::Collective);
        let mut found: Vec<_> =
            found.map(|wait| (wait.reason, wait.culprit, wait.state, wait.start, wait.end)).collect();
        found.sort_by_key(|(reason, _, state, ..)| (*state, *reason));
        prop_assert_eq!(found, slow_waits(&states, &messages));
    }

    /// In a collective all are there when the last one comes, and nobody waits for himself.
    #[test]
    fn members_of_a_collective_meet(states in states()) {
        for wait in waits(&states, &[]) {
            prop_assert!(wait.waiter != wait.culprit && wait.start < wait.end);
            prop_assert!(wait.end < states[wait.state].end);
            let comes = |other: &TimedState| {
                other.container == wait.culprit && other.start == wait.end && other.value == states[wait.state].value
            };
            prop_assert!(states.iter().any(comes));
        }
    }

    /// A path has no gaps, lies in the window, and ends where the last state ends.
    #[test]
    fn paths_have_no_gaps(states in states(), messages in messages(), start in 0_i64..20, length in 1_i64..30) {
        let window = (start, start + length);
        let found = critical_path(&states, &messages, &waits(&states, &messages), window);
        let ends = states.iter().filter(|state| state.start < window.1 && state.end > window.0);
        let last = ends.map(|state| state.end.min(window.1)).max();
        prop_assert_eq!(found.last().map(|piece| piece.end), last);
        prop_assert!(found.iter().all(|piece| piece.start < piece.end && piece.start >= window.0));
        prop_assert!(found.windows(2).all(|pair| pair[0].end == pair[1].start));
        prop_assert!(found.first().is_none_or(|piece| piece.start == window.0));
        for piece in &found {
            match piece.kind {
                PathPieceKind::State(Some(place)) => {
                    let state = &states[place];
                    prop_assert!(state.container == piece.container && state.start <= piece.start && piece.end <= state.end);
                }
                PathPieceKind::Message(place) => prop_assert_eq!(messages[place].source, piece.container),
                PathPieceKind::State(None) => {}
            }
        }
    }
}

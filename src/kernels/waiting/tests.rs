//! Worked examples, and slow twins.

use proptest::prelude::*;

use super::twins::{PathTick, PlainTrace, WaitTick};
use super::*;

fn state(container: u32, start: i64, end: i64, role: StateRole) -> TimedState {
    TimedState { container, start, end, value: 0, role, joins: false }
}

fn work(container: u32, start: i64, end: i64) -> TimedState {
    state(container, start, end, StateRole::Works)
}

fn wait(container: u32, start: i64, end: i64) -> TimedState {
    state(container, start, end, StateRole::Waits)
}

fn barrier(container: u32, start: i64, end: i64) -> TimedState {
    TimedState { joins: true, value: 1, ..wait(container, start, end) }
}

fn message(source: u32, target: u32, start: i64, end: i64) -> WaitMessage {
    WaitMessage { source, target, start, end, label: 0, size: 0, is_collective: false }
}

fn waits(states: &[TimedState], messages: &[WaitMessage]) -> Vec<(WaitKind, u32, Option<u32>, i64, i64)> {
    let trace = WaitTrace::new(states.to_vec(), messages.to_vec());
    let mut found = vec![];
    for_each_wait(&trace, (i64::MIN, i64::MAX), |piece| {
        found.push((piece.kind, trace.states()[piece.state].container, piece.partner, piece.start, piece.end));
    });
    found
}

/// Steps as kind, container, target, start, end.
fn path(
    states: &[TimedState],
    messages: &[WaitMessage],
    window: (i64, i64),
) -> Vec<(StepKind, u32, Option<u32>, i64, i64)> {
    let trace = WaitTrace::new(states.to_vec(), messages.to_vec());
    let target = |step: &CriticalStep| step.message.map(|place| trace.messages()[place].target);
    let steps = critical_path(&trace, window);
    steps.iter().map(|step| (step.kind, step.container, target(step), step.start, step.end)).collect()
}

/// The wait begins at 2, the message is sent at 6, received at 8, and the wait goes on until 9.
#[test]
fn a_late_sender() {
    assert_eq!(
        waits(&[wait(1, 2, 9)], &[message(2, 1, 6, 8)]),
        [
            (WaitKind::LateSender, 1, Some(2), 2, 6),
            (WaitKind::Transfer, 1, Some(2), 6, 8),
            (WaitKind::Unexplained, 1, None, 8, 9)
        ]
    );
    // Sent before the wait began: all of it is transfer.
    assert_eq!(waits(&[wait(1, 2, 9)], &[message(2, 1, 0, 9)]), [(WaitKind::Transfer, 1, Some(2), 2, 9)]);
}

/// The sender waits from 2 on; the receiver comes at 7 and has the message at 9.
#[test]
fn a_late_receiver() {
    let states = [wait(1, 2, 9), wait(2, 7, 9)];
    let messages = [message(1, 2, 1, 9)];
    let expected = [
        (WaitKind::LateReceiver, 1, Some(2), 2, 7),
        (WaitKind::Transfer, 1, Some(2), 7, 9),
        (WaitKind::Transfer, 2, Some(1), 7, 9),
    ];
    assert_eq!(waits(&states, &messages), expected);
    // Another message that nobody begins to receive before 9: messages are buffered.
    let buffered = [wait(1, 2, 9), wait(2, 7, 9), wait(3, 11, 12)];
    let found = waits(&buffered, &[messages[0], message(1, 3, 1, 12)]);
    assert_eq!(found[0], (WaitKind::Unexplained, 1, None, 2, 9));
}

/// Another container goes on at 5, though nobody has begun to receive its message of the same size: such are buffered.
#[test]
fn sizes_of_buffered_messages() {
    let states = [wait(1, 2, 9), wait(2, 7, 9), wait(3, 4, 5), wait(4, 10, 11)];
    let messages =
        |size: u8| [WaitMessage { size, ..message(1, 2, 1, 9) }, WaitMessage { size: 5, ..message(3, 4, 4, 11) }];
    assert_eq!(waits(&states, &messages(5))[0], (WaitKind::Unexplained, 1, None, 2, 9));
    assert_eq!(waits(&states, &messages(6))[0], (WaitKind::LateReceiver, 1, Some(2), 2, 7));
    assert_eq!(waits(&states, &messages(0))[0], (WaitKind::LateReceiver, 1, Some(2), 2, 7));
}

#[test]
fn a_barrier_waits_for_the_last() {
    let states = [barrier(1, 2, 10), barrier(2, 6, 10), barrier(3, 4, 11)];
    let expected = [
        (WaitKind::Collective, 1, Some(2), 2, 6),
        (WaitKind::Collective, 1, None, 6, 10),
        (WaitKind::Collective, 2, None, 6, 10),
        (WaitKind::Collective, 3, Some(2), 4, 6),
        (WaitKind::Collective, 3, None, 6, 11),
    ];
    assert_eq!(waits(&states, &[]), expected);
    // A link of a collective says who was the last, whatever the states look like.
    let link = WaitMessage { is_collective: true, ..message(3, 1, 4, 10) };
    assert_eq!(waits(&states, &[link])[0], (WaitKind::Collective, 1, Some(3), 2, 4));
}

/// The second barrier of one is not the first of the other, though they overlap.
#[test]
fn the_nth_states_of_a_value_are_one_collective() {
    let states = [barrier(1, 0, 5), barrier(1, 6, 9), barrier(2, 4, 7), barrier(2, 8, 9)];
    let expected = [
        (WaitKind::Collective, 1, Some(2), 0, 4),
        (WaitKind::Collective, 1, None, 4, 5),
        (WaitKind::Collective, 1, Some(2), 6, 8),
        (WaitKind::Collective, 1, None, 8, 9),
        (WaitKind::Collective, 2, None, 4, 7),
        (WaitKind::Collective, 2, None, 8, 9),
    ];
    assert_eq!(waits(&states, &[]), expected);
}

/// The sender is in a call that sends at 3, the receiver was there before: it does not wait for the receiver.
#[test]
fn a_receiver_that_is_there() {
    let states = [wait(1, 2, 9), wait(2, 1, 9)];
    let messages = [message(1, 2, 3, 8)];
    let found = waits(&states, &messages);
    let expected = [
        (WaitKind::Unexplained, 1, None, 2, 3),
        (WaitKind::Transfer, 1, Some(2), 3, 8),
        (WaitKind::Unexplained, 1, None, 8, 9),
    ];
    assert_eq!(found[..3], expected);
    let expected =
        [(StepKind::Wait, 1, None, 0, 3), (StepKind::Transfer, 1, Some(2), 3, 8), (StepKind::Wait, 1, None, 8, 9)];
    assert_eq!(path(&[wait(1, 0, 9), wait(2, 0, 8)], &messages, (0, 9)), expected);
}

/// Of several messages the one that arrives last counts, of those that arrive at once the one that was sent last.
#[test]
fn one_message_ends_a_wait() {
    let messages = [message(2, 1, 3, 4), message(3, 1, 5, 9), message(4, 1, 6, 9), message(5, 1, 0, 9)];
    let expected = [(WaitKind::LateSender, 1, Some(4), 0, 6), (WaitKind::Transfer, 1, Some(4), 6, 9)];
    assert_eq!(waits(&[wait(1, 0, 9)], &messages), expected);
}

/// In flight for 1000 ticks, of which 9 in the wait: it had arrived, and was picked up.
#[test]
fn a_message_that_was_there_ends_no_wait() {
    let states = [work(1, 0, 1000), wait(1, 1000, 1009), work(2, 0, 1009)];
    let messages = [message(2, 1, 9, 1009)];
    assert_eq!(waits(&states, &messages), [(WaitKind::Unexplained, 1, None, 1000, 1009)]);
    let expected = [(StepKind::Computation, 1, None, 0, 1000), (StepKind::Wait, 1, None, 1000, 1009)];
    assert_eq!(path(&states, &messages, (0, 1009)), expected);
    // Then it does not wait for a receiver of its own message either.
    let both = [messages[0], message(1, 2, 1000, 1009)];
    assert_eq!(
        waits(&[states[0], states[1], wait(2, 0, 1009)], &both)[0],
        (WaitKind::Unexplained, 1, None, 1000, 1009)
    );
    // One tick more is a hundredth.
    let messages = [message(2, 1, 9, 1009), message(2, 1, 109, 1009)];
    assert_eq!(waits(&states, &messages), [(WaitKind::Transfer, 1, Some(2), 1000, 1009)]);
}

/// A works until 4 and sends, the message arrives at 8, B waits from 6 on and works until 10: sent before the wait began.
#[test]
fn the_path_follows_a_message_that_was_sent_before_the_wait() {
    let states = [work(1, 0, 5), work(2, 0, 6), wait(2, 6, 8), work(2, 8, 10)];
    let messages = [message(1, 2, 4, 8)];
    let expected = [
        (StepKind::Computation, 1, None, 0, 4),
        (StepKind::Transfer, 1, Some(2), 4, 8),
        (StepKind::Computation, 2, None, 8, 10),
    ];
    assert_eq!(path(&states, &messages, (0, 10)), expected);
    // A window within: from the middle of the message on, and beyond the last state.
    let expected = [
        (StepKind::Transfer, 1, Some(2), 5, 8),
        (StepKind::Computation, 2, None, 8, 10),
        (StepKind::Computation, 2, None, 10, 12),
    ];
    assert_eq!(path(&states, &messages, (5, 12)), expected);
    assert!(path(&[], &[], (0, 10)).is_empty());
}

/// By clocks that differ the message is received at 5 and sent at 7: it takes no time, and the path goes on at 5.
#[test]
fn a_message_received_before_it_is_sent() {
    let states = [work(1, 0, 9), work(2, 0, 3), wait(2, 3, 5), work(2, 5, 10)];
    let messages = [message(1, 2, 7, 5)];
    assert_eq!(waits(&states, &messages), [(WaitKind::LateSender, 2, Some(1), 3, 5)]);
    let expected = [(StepKind::Computation, 1, None, 0, 5), (StepKind::Computation, 2, None, 5, 10)];
    assert_eq!(path(&states, &messages, (0, 10)), expected);
}

/// Both end together, 2 comes last: the path goes on with it. What all have reached is transfer, whatever the state is; who is
/// alone does something else.
#[test]
fn a_collective_that_is_no_wait() {
    let end = |container, start, role| TimedState { role, ..barrier(container, start, 10) };
    for role in [StateRole::Works, StateRole::Other, StateRole::Communicates, StateRole::Waits] {
        let states = [work(1, 0, 6), end(1, 6, role), work(2, 0, 7), state(2, 7, 8, StateRole::Other), end(2, 8, role)];
        let expected = [
            (StepKind::Computation, 2, None, 0, 7),
            (StepKind::Other, 2, None, 7, 8),
            (StepKind::Transfer, 1, None, 8, 10),
        ];
        assert_eq!(path(&states, &[], (0, 10)), expected, "{role:?}");
    }
    let states = [work(1, 0, 6), end(1, 6, StateRole::Other)];
    assert_eq!(
        path(&states, &[], (0, 10)),
        [(StepKind::Computation, 1, None, 0, 6), (StepKind::Other, 1, None, 6, 10)]
    );
}

/// What a container does that nobody knows sets no end, unless nobody knows anything.
#[test]
fn the_path_ends_where_something_is_known() {
    let unknown = |container, end| state(container, 0, end, StateRole::Unknown);
    let states = [work(1, 0, 6), state(1, 6, 7, StateRole::Unknown), unknown(2, 10)];
    let path_of = |states: &[TimedState]| path(states, &[], (0, 10)).iter().map(|step| step.1).collect::<Vec<_>>();
    assert!(path_of(&states[..1]).iter().all(|container| *container == 1));
    assert!(path_of(&states).iter().all(|container| *container == 1), "{:?}", path_of(&states));
    assert!(path_of(&states[2..]).iter().all(|container| *container == 2));
    let writes = [work(1, 0, 6), state(2, 0, 10, StateRole::Other)];
    assert_eq!(path(&writes, &[], (0, 10)), [(StepKind::Other, 2, None, 0, 10)]);
}

/// Two that wait for each other at one instant, by messages without length: the path does not go in circles.
#[test]
fn instants_that_chase_each_other() {
    let states = [wait(1, 0, 5), wait(2, 0, 5)];
    let messages = [message(1, 2, 5, 5), message(2, 1, 5, 5)];
    assert_eq!(path(&states, &messages, (0, 5)), [(StepKind::Wait, 2, None, 0, 5)]);
}

/// States that do not overlap, as segments are.
fn segments() -> impl Strategy<Value = Vec<TimedState>> {
    let role = prop::sample::select(vec![
        StateRole::Works,
        StateRole::Other,
        StateRole::Unknown,
        StateRole::Communicates,
        StateRole::Waits,
        StateRole::Waits,
    ]);
    let one = (0_i64..3, 1_i64..9, 0_u32..2, role, any::<bool>());
    prop::collection::vec(prop::collection::vec(one, 0..8), 1..5).prop_map(|containers| {
        let mut states = vec![];
        for (container, segments) in (0..).zip(containers) {
            let mut now = 0;
            for (gap, length, value, role, joins) in segments {
                let start = now + gap;
                now = start + length;
                states.push(TimedState { container, start, end: now, value, role, joins });
            }
        }
        states
    })
}

/// States that may overlap.
fn overlapping() -> impl Strategy<Value = Vec<TimedState>> {
    let role =
        prop::sample::select(vec![StateRole::Works, StateRole::Other, StateRole::Communicates, StateRole::Waits]);
    let one = (0_u32..4, 0_i64..30, 0_i64..10, 0_u32..3, role, any::<bool>());
    let state = |(container, start, length, value, role, joins)| TimedState {
        container,
        start,
        end: start + length,
        value,
        role,
        joins,
    };
    prop::collection::vec(one.prop_map(state), 0..30)
}

fn messages(least: i64, collectives: bool) -> impl Strategy<Value = Vec<WaitMessage>> {
    let one = (0_u32..4, 0_u32..4, 0_i64..40, least..12, 0_u8..4, any::<bool>());
    let message = move |(source, target, start, length, size, is_collective)| WaitMessage {
        size,
        is_collective: is_collective && collectives,
        ..message(source, target, start, start + length)
    };
    prop::collection::vec(one.prop_map(message), 0..24).prop_map(|mut messages: Vec<WaitMessage>| {
        for (label, message) in (0..).zip(&mut messages) {
            message.label = label;
        }
        messages
    })
}

fn check_waits(states: &[TimedState], messages: &[WaitMessage]) -> Result<(), TestCaseError> {
    let mut found: Vec<WaitTick> = vec![];
    for (kind, container, partner, start, end) in waits(states, messages) {
        found.extend((start..end).map(|tick| (container, tick, kind, partner)));
    }
    found.sort_unstable();
    prop_assert_eq!(found, PlainTrace { states, messages }.wait_ticks());
    Ok(())
}

/// The walk back is the longest path, step by step, and as long as the window.
fn check_path(states: &[TimedState], messages: &[WaitMessage], window: (i64, i64)) -> Result<(), TestCaseError> {
    let trace = WaitTrace::new(states.to_vec(), messages.to_vec());
    let steps = critical_path(&trace, window);
    let inside: Vec<&TimedState> =
        states.iter().filter(|state| state.start < window.1 && state.end > window.0).collect();
    let is_known =
        |container: u32| inside.iter().any(|state| state.container == container && state.role != StateRole::Unknown);
    let rank =
        |state: &&&TimedState| (is_known(state.container), state.end.min(window.1), std::cmp::Reverse(state.container));
    let Some(last) = inside.iter().max_by_key(rank) else { return Ok(()) };
    let ticks = steps.iter().flat_map(|step| (step.start..step.end).map(|tick| (tick, step.kind, step.container)));
    let found: Vec<PathTick> = ticks.collect();
    let plain = PlainTrace { states, messages };
    if let Some((length, expected)) = plain.longest_path(last.container, window) {
        prop_assert_eq!(&found, &expected);
        prop_assert_eq!(length, window.1 - window.0);
    }
    Ok(())
}

proptest! {
    #[test]
    fn waits_agree_with_their_twin(states in segments(), messages in messages(0, false)) {
        check_waits(&states, &messages)?;
    }

    #[test]
    fn waits_with_links_of_collectives_agree_with_their_twin(states in segments(), messages in messages(0, true)) {
        check_waits(&states, &messages)?;
    }

    #[test]
    fn the_path_is_the_longest(states in segments(), messages in messages(1, false), start in 0_i64..20, length in 1_i64..40) {
        check_path(&states, &messages, (start, start + length))?;
    }

    #[test]
    fn the_path_with_links_of_collectives_is_the_longest(states in segments(), messages in messages(1, true)) {
        check_path(&states, &messages, (0, 50))?;
    }

    /// Whatever the trace, clocks that differ and overlapping states included: the path has no gaps and fills the
    /// window, and the pieces of a wait are the whole wait.
    #[test]
    fn nothing_is_lost(
        states in overlapping(),
        messages in messages(-6, true),
        start in 0_i64..20,
        length in 1_i64..30,
    ) {
        let window = (start, start + length);
        let found = path(&states, &messages, window);
        let is_inside = |state: &&TimedState| state.start < window.1.min(state.end) && state.end > window.0;
        prop_assert_eq!(found.is_empty(), !states.iter().any(|state| is_inside(&state)));
        prop_assert!(found.iter().all(|(.., start, end)| start < end));
        prop_assert!(found.windows(2).all(|pair| pair[0].4 == pair[1].3));
        prop_assert!(found.first().is_none_or(|step| step.3 == window.0));
        prop_assert!(found.last().is_none_or(|step| step.4 == window.1));
        let waiting = states.iter().filter(|state| state.role == StateRole::Waits);
        let whole: i64 = waiting.map(|state| state.end - state.start).sum();
        prop_assert_eq!(waits(&states, &messages).iter().map(|(.., start, end)| end - start).sum::<i64>(), whole);
    }
}

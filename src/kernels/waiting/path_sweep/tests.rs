//! Forwards and backwards gives the steps that everything at once gives.

use proptest::prelude::*;

use super::super::{StateRole, StepKind, TimedState, WaitMessage, WaitTrace, critical_path};
use super::*;

/// The twin: everything at once. The last step first.
fn at_once(states: &[TimedState], messages: &[WaitMessage], window: (i64, i64)) -> Vec<BackStep> {
    let trace = WaitTrace::new(states.to_vec(), messages.to_vec());
    let steps = critical_path(&trace, window);
    let row = steps.iter().rev().map(|step| {
        let message = step.message.map(|place| trace.messages()[place]);
        let state = step.state.map(|place| trace.states()[place]);
        BackStep {
            kind: step.kind,
            container: step.container,
            target: message.map(|message| message.target),
            value: message.map(|message| message.label).or(state.map(|state| state.value)),
            start: step.start,
            end: step.end,
        }
    });
    row.collect()
}

fn surveyed(
    states: &[TimedState],
    messages: &[WaitMessage],
    window: (i64, i64),
) -> (Vec<PathRecord>, Result<PathFacts, (TimedState, TimedState)>) {
    let mut rows: Vec<(i64, Result<TimedState, WaitMessage>)> = vec![];
    rows.extend(states.iter().map(|state| (state.start, Ok(*state))));
    rows.extend(messages.iter().map(|message| (message.start.min(message.end), Err(*message))));
    rows.sort_by_key(|(begin, _)| *begin);
    let (mut survey, mut records) = (PathSurvey::new(window), vec![]);
    let mut log = |record| records.push(record);
    for (_, row) in rows {
        match row {
            Ok(state) => survey.add_state(state, &mut log),
            Err(message) => survey.add_message(message, &mut log),
        }
    }
    let facts = survey.finish(&mut log);
    (records, facts)
}

fn swept(states: &[TimedState], messages: &[WaitMessage], window: (i64, i64)) -> Vec<BackStep> {
    let (records, facts) = surveyed(states, messages, window);
    let (mut walk, mut steps) = (PathWalkBack::new(window, facts.expect("no state overlaps another")), vec![]);
    let mut give = |step| steps.push(step);
    for record in records.into_iter().rev() {
        walk.add(record, &mut give);
    }
    walk.finish(&mut give);
    steps
}

fn state(container: u32, start: i64, end: i64, role: StateRole) -> TimedState {
    TimedState { container, start, end, value: role as u32, role, joins: false }
}

fn message(source: u32, target: u32, start: i64, end: i64) -> WaitMessage {
    WaitMessage { source, target, start, end, label: 0, size: 0, is_collective: false }
}

/// A works until 4 and sends, the message arrives at 8, B waits from 6 on and works until 10.
#[test]
fn a_path_of_a_message() {
    let (works, waits) = (StateRole::Works, StateRole::Waits);
    let states = [state(1, 0, 5, works), state(2, 0, 6, works), state(2, 6, 8, waits), state(2, 8, 10, works)];
    let step = |kind, container, target, value, start, end| BackStep { kind, container, target, value, start, end };
    let expected = [
        step(StepKind::Computation, 2, None, Some(works as u32), 8, 10),
        step(StepKind::Transfer, 1, Some(2), Some(0), 4, 8),
        step(StepKind::Computation, 1, None, Some(works as u32), 0, 4),
    ];
    assert_eq!(swept(&states, &[message(1, 2, 4, 8)], (0, 10)), expected);
    assert!(swept(&[], &[], (0, 10)).is_empty());
}

/// 2 is in two states from 3 to 4, and 1 in two at 5: the smallest container is named, and its first two states.
#[test]
fn states_that_overlap_are_refused() {
    let works = StateRole::Works;
    let states = [state(2, 0, 4, works), state(2, 3, 5, works), state(1, 4, 9, works), state(1, 5, 6, works)];
    let (_, facts) = surveyed(&states, &[], (0, 10));
    assert_eq!(facts.unwrap_err(), (states[2], states[3]));
    assert_eq!(surveyed(&states[..2], &[], (0, 10)).1.unwrap_err(), (states[0], states[1]));
}

/// A message that is in flight all the time, and ten thousand waits of its sender, a message in each: what is held does
/// not grow, neither forwards nor backwards.
#[test]
fn both_ways_forget() {
    let (mut survey, mut records) = (PathSurvey::new((0, i64::MAX)), vec![]);
    let mut log = |record| records.push(record);
    survey.add_message(WaitMessage { size: 9, ..message(1, 3, 0, 1_000_000) }, &mut log);
    let mut most = 0;
    for round in 0..10_000 {
        let start = round * 10;
        survey.add_state(state(1, start, start + 4, StateRole::Waits), &mut log);
        survey.add_message(message(1, 2, start + 3, start + 8), &mut log);
        survey.add_state(state(2, start + 5, start + 9, StateRole::Waits), &mut log);
        most = most.max(survey.bytes());
    }
    survey.add_state(state(3, 999_999, 1_000_001, StateRole::Waits), &mut log);
    let facts = survey.finish(&mut log).expect("no state overlaps another");
    assert!(most < 20_000, "{most} bytes");
    // Nobody had begun to receive when any of the waits was over.
    assert_eq!(facts.waits.buffered_size, 9);
    let (mut walk, mut steps, mut most) = (PathWalkBack::new((0, 2_000_000), facts), 0, 0);
    for record in records.into_iter().rev() {
        walk.add(record, &mut |_| steps += 1);
        most = most.max(walk.bytes());
    }
    walk.finish(&mut |_| steps += 1);
    assert!(most < 20_000, "{most} bytes");
    assert!(steps > 0 && walk.is_over());
}

/// What the states of a value are.
const VALUES: [(StateRole, bool); 9] = [
    (StateRole::Waits, false),
    (StateRole::Waits, false),
    (StateRole::Waits, true),
    (StateRole::Communicates, false),
    (StateRole::Communicates, true),
    (StateRole::Works, false),
    (StateRole::Other, true),
    (StateRole::Other, false),
    (StateRole::Unknown, false),
];

fn valued(container: u32, start: i64, end: i64, value: u32) -> TimedState {
    let (role, joins) = VALUES[value as usize];
    TimedState { container, start, end, value, role, joins }
}

/// States one after the other, some without length.
fn segments() -> impl Strategy<Value = Vec<TimedState>> {
    let one = (0_i64..3, 0_i64..9, 0_u32..9);
    prop::collection::vec(prop::collection::vec(one, 0..10), 1..6).prop_map(|containers| {
        let mut states = vec![];
        for (container, segments) in (0..).zip(containers) {
            let mut now = 0;
            for (gap, length, value) in segments {
                let start = now + gap;
                now = start + length;
                states.push(valued(container, start, now, value));
            }
        }
        states
    })
}

/// States one after the other, the same ones in each container but for one.
fn alike() -> impl Strategy<Value = Vec<TimedState>> {
    let one = (0_i64..3, 1_i64..9, 0_u32..9);
    let missing = prop::option::of(0_usize..20);
    (prop::collection::vec(one, 0..8), prop::collection::vec((0_i64..5, 0_i64..3), 1..6), missing).prop_map(
        |(calls, delays, missing)| {
            let mut states = vec![];
            for (container, (delay, longer)) in (0..).zip(delays) {
                let mut now = delay;
                for (gap, length, value) in &calls {
                    let start = now + gap;
                    now = start + length + longer;
                    states.push(valued(container, start, now, *value));
                }
            }
            if let Some(place) = missing.filter(|place| *place < states.len()) {
                states.remove(place);
            }
            states
        },
    )
}

/// Messages, in the order of their labels; some received before they are sent, some to themselves, some alike.
fn messages(longest: i64, collectives: bool) -> impl Strategy<Value = Vec<WaitMessage>> {
    let one = (0_u32..6, 0_u32..6, 0_i64..45, -6..longest, 0_u8..4, 0_u8..4);
    let message = move |(source, target, start, length, size, kind)| WaitMessage {
        size,
        is_collective: kind == 0 && collectives,
        ..message(source, target, start, start + length)
    };
    prop::collection::vec(one.prop_map(message), 0..30).prop_map(labeled)
}

/// Many messages between few containers at few instants.
fn crowded() -> impl Strategy<Value = Vec<WaitMessage>> {
    let one = (0_u32..3, 0_u32..3, 0_i64..14, -2_i64..5, 0_u8..3);
    let message =
        |(source, target, start, length, size)| WaitMessage { size, ..message(source, target, start, start + length) };
    prop::collection::vec(one.prop_map(message), 0..40).prop_map(labeled)
}

/// Messages that were sent long before.
fn waiting_messages() -> impl Strategy<Value = Vec<WaitMessage>> {
    let one = (0_u32..6, 0_u32..6, -900_i64..0, 0_i64..50);
    prop::collection::vec(one.prop_map(|(source, target, start, end)| message(source, target, start, end)), 0..30)
        .prop_map(labeled)
}

fn labeled(mut messages: Vec<WaitMessage>) -> Vec<WaitMessage> {
    messages.sort_by_key(|message| (message.source, message.target, message.start, message.end));
    for (label, message) in (0..).zip(&mut messages) {
        message.label = label;
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn any_states(
        states in segments(),
        messages in messages(12, true),
        start in -2_i64..40,
        length in 1_i64..70,
    ) {
        let window = (start, start + length);
        prop_assert_eq!(swept(&states, &messages, window), at_once(&states, &messages, window));
    }

    #[test]
    fn short_messages(states in segments(), messages in messages(3, false)) {
        prop_assert_eq!(swept(&states, &messages, (-1, 70)), at_once(&states, &messages, (-1, 70)));
    }

    #[test]
    fn long_messages(states in segments(), messages in messages(60, false), stop in 10_i64..100) {
        prop_assert_eq!(swept(&states, &messages, (-1, stop)), at_once(&states, &messages, (-1, stop)));
    }

    #[test]
    fn messages_alike(states in segments(), messages in crowded(), start in -2_i64..8, length in 1_i64..20) {
        let window = (start, start + length);
        prop_assert_eq!(swept(&states, &messages, window), at_once(&states, &messages, window));
    }

    #[test]
    fn messages_that_were_there(states in segments(), messages in waiting_messages()) {
        prop_assert_eq!(swept(&states, &messages, (-100, 70)), at_once(&states, &messages, (-100, 70)));
    }

    #[test]
    fn collectives(states in alike(), messages in messages(12, false), start in -2_i64..30, length in 1_i64..70) {
        let window = (start, start + length);
        prop_assert_eq!(swept(&states, &[], window), at_once(&states, &[], window));
        let few = &messages[..messages.len().min(4)];
        prop_assert_eq!(swept(&states, few, window), at_once(&states, few, window));
    }

    #[test]
    fn links_of_collectives(states in alike(), messages in messages(12, true)) {
        prop_assert_eq!(swept(&states, &messages, (-1, 90)), at_once(&states, &messages, (-1, 90)));
    }
}

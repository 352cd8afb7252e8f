//! A sweep explains waits as all states and messages together do.

use proptest::prelude::*;

use super::super::{WaitKind, WaitTrace, for_each_wait};
use super::*;

/// A piece of a wait: number, kind, container, value, partner, label of its message, start, end.
type Piece = (i64, WaitKind, u32, u32, Option<u32>, Option<u32>, i64, i64);

/// The twin: everything at once.
fn at_once(states: &[TimedState], messages: &[WaitMessage], window: (i64, i64)) -> Vec<Piece> {
    let trace = WaitTrace::new(states.to_vec(), messages.to_vec());
    let (mut number, mut last, mut found) = (-1, None, vec![]);
    for_each_wait(&trace, window, |piece| {
        number += i64::from(last != Some(piece.state));
        last = Some(piece.state);
        let state = &trace.states()[piece.state];
        let label = piece.message.map(|place| trace.messages()[place].label);
        found.push((number, piece.kind, state.container, state.value, piece.partner, label, piece.start, piece.end));
    });
    found.sort_unstable();
    found
}

enum Row {
    State(TimedState),
    Message(WaitMessage),
}

fn run(rows: &[Row], sweep: &mut WaitSweep<u32>) -> (Vec<Piece>, WaitFacts) {
    let mut found = vec![];
    let mut give = |wait: SweptWait<'_, u32>| {
        let label = wait.message.map(|swept| swept.detail);
        let TimedState { container, value, .. } = wait.state;
        found.push((wait.number, wait.kind, container, value, wait.partner, label, wait.start, wait.end));
    };
    for row in rows {
        match row {
            Row::State(state) => sweep.add_state(*state, &mut give),
            Row::Message(message) => {
                sweep.add_message(SweptMessage { message: *message, detail: message.label }, &mut give);
            }
        }
    }
    let facts = sweep.finish(&mut give);
    found.sort_unstable();
    (found, facts)
}

fn swept(states: &[TimedState], messages: &[WaitMessage], window: (i64, i64)) -> Vec<Piece> {
    let mut rows: Vec<Row> = states.iter().copied().map(Row::State).collect();
    rows.extend(messages.iter().copied().map(Row::Message));
    rows.sort_by_key(|row| match row {
        Row::State(state) => state.start,
        Row::Message(message) => message.start.min(message.end),
    });
    let (nothing, facts) = run(&rows, &mut WaitSweep::survey(window));
    assert!(nothing.is_empty());
    run(&rows, &mut WaitSweep::explain(window, facts)).0
}

/// What the states of a value are.
const VALUES: [(StateRole, bool); 6] = [
    (StateRole::Waits, false),
    (StateRole::Waits, true),
    (StateRole::Waits, true),
    (StateRole::Communicates, false),
    (StateRole::Communicates, true),
    (StateRole::Works, false),
];

fn timed(container: u32, start: i64, end: i64, value: u32) -> TimedState {
    let (role, joins) = VALUES[value as usize];
    TimedState { container, start, end, value, role, joins }
}

/// States that may overlap.
fn overlapping() -> impl Strategy<Value = Vec<TimedState>> {
    let one = (0_u32..4, 0_i64..30, 0_i64..10, 0_u32..6);
    let state = |(container, start, length, value)| timed(container, start, start + length, value);
    prop::collection::vec(one.prop_map(state), 0..30)
}

/// States one after the other, the same ones in each container but for some.
fn alike() -> impl Strategy<Value = Vec<TimedState>> {
    let one = (0_i64..3, 1_i64..9, 0_u32..6);
    let missing = prop::option::of(0_usize..20);
    (prop::collection::vec(one, 0..8), prop::collection::vec(0_i64..5, 1..5), missing).prop_map(
        |(calls, delays, missing)| {
            let mut states = vec![];
            for (container, delay) in (0..).zip(delays) {
                let mut now = delay;
                for (gap, length, value) in &calls {
                    let start = now + gap;
                    now = start + length;
                    states.push(timed(container, start, now, *value));
                }
            }
            if let Some(place) = missing.filter(|place| *place < states.len()) {
                states.remove(place);
            }
            states
        },
    )
}

fn messages(collectives: bool) -> impl Strategy<Value = Vec<WaitMessage>> {
    let one = (0_u32..4, 0_u32..4, 0_i64..40, -6_i64..12, 0_u8..4, 0_u8..4);
    let message = move |(source, target, start, length, size, kind)| WaitMessage {
        source,
        target,
        start,
        end: start + length,
        label: 0,
        size,
        is_collective: kind == 0 && collectives,
    };
    prop::collection::vec(one.prop_map(message), 0..24).prop_map(|mut messages: Vec<WaitMessage>| {
        messages.sort_by_key(|message| (message.source, message.target, message.start, message.end));
        for (label, message) in (0..).zip(&mut messages) {
            message.label = label;
        }
        messages
    })
}

/// A sender, a wait and a message over and over: what is held does not grow.
#[test]
fn a_sweep_forgets() {
    let mut sweep: WaitSweep<u32> = WaitSweep::explain((0, i64::MAX), WaitFacts::default());
    let mut waits = 0;
    let mut give = |_: SweptWait<'_, u32>| waits += 1;
    for round in 0..20_000 {
        let start = round * 10;
        sweep.add_state(timed(1, start, start + 8, 0), &mut give);
        sweep.add_state(timed(2, start + 1, start + 3, 1), &mut give);
        let message = WaitMessage {
            source: 2,
            target: 1,
            start: start + 5,
            end: start + 7,
            label: 0,
            size: 0,
            is_collective: false,
        };
        sweep.add_message(SweptMessage { message, detail: 0 }, &mut give);
    }
    assert!(sweep.bytes() < 20_000, "{} bytes", sweep.bytes());
    sweep.finish(&mut give);
    assert_eq!(waits, 20_000 * 4);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn overlapping_states_are_explained_alike(
        states in overlapping(),
        messages in messages(true),
        start in -2_i64..20,
        length in 1_i64..60,
    ) {
        let window = (start, start + length);
        prop_assert_eq!(swept(&states, &messages, window), at_once(&states, &messages, window));
    }

    #[test]
    fn collectives_are_explained_alike(states in alike(), messages in messages(false)) {
        let window = (i64::MIN, i64::MAX);
        prop_assert_eq!(swept(&states, &messages, window), at_once(&states, &messages, window));
    }

    #[test]
    fn links_of_collectives_are_explained_alike(states in alike(), messages in messages(true)) {
        let window = (i64::MIN, i64::MAX);
        prop_assert_eq!(swept(&states, &messages, window), at_once(&states, &messages, window));
    }
}

//! Tests of `link_states`.

use proptest::prelude::*;

use super::*;

/// The twin: every end of every link against every state.
fn slow(states: &[TouchingState], link: TouchingLink<usize>) -> LinkInStates<usize> {
    let state_at = |container: u32, tick: i64, roles: [&dyn Fn(&TouchingState) -> bool; 4]| {
        let touches = |state: &&TouchingState| state.container == container && state.start <= tick && tick <= state.end;
        let mut touching: Vec<&TouchingState> = states.iter().filter(touches).collect();
        if touching.iter().any(|state| state.communicates) {
            touching.retain(|state| state.communicates);
        }
        let role = roles.into_iter().find(|role| touching.iter().any(|state| role(state)))?;
        touching.retain(|state| role(state));
        touching.sort_by_key(|state| (state.depth, state.start, state.name));
        touching.last().map(|state| state.name)
    };
    let no_length = |state: &TouchingState| state.start == state.end;
    let starts_at = |tick: i64| move |state: &TouchingState| state.start == tick && state.end > tick;
    let ends_at = |tick: i64| move |state: &TouchingState| state.end == tick && state.start < tick;
    let covers = |tick: i64| move |state: &TouchingState| state.start < tick && tick < state.end;
    let (sent, received) = (link.start, link.end);
    LinkInStates {
        link,
        source_state: state_at(link.source, sent, [&no_length, &starts_at(sent), &covers(sent), &ends_at(sent)]),
        target_state: state_at(
            link.target,
            received,
            [&ends_at(received), &no_length, &covers(received), &starts_at(received)],
        ),
    }
}

/// The sweep, over rows in the order in which they begin.
fn swept(states: &[TouchingState], links: &[TouchingLink<usize>]) -> Vec<LinkInStates<usize>> {
    enum Row {
        State(TouchingState),
        Link(TouchingLink<usize>),
    }
    let mut rows: Vec<(i64, Row)> = states.iter().map(|state| (state.start, Row::State(*state))).collect();
    rows.extend(links.iter().map(|link| (link.start.min(link.end), Row::Link(*link))));
    rows.sort_by_key(|(begin, _)| *begin);
    let (mut sweep, mut found) = (LinkStateSweep::default(), vec![]);
    for (_, row) in rows {
        let mut give = |link| found.push(link);
        match row {
            Row::State(state) => sweep.add_state(state, &mut give),
            Row::Link(link) => sweep.add_link(link, &mut give),
        }
    }
    sweep.finish(&mut |link| found.push(link));
    assert!(sweep.links.iter().all(Option::is_none));
    found.sort_by_key(|found| found.link.detail);
    found
}

fn state(container: u32, start: i64, end: i64, name: u32) -> TouchingState {
    TouchingState { container, start, end, depth: 0, name, communicates: false }
}

#[test]
fn a_link_leaves_what_begins_and_arrives_in_what_ends() {
    let states = [state(0, 0, 5, 10), state(0, 5, 9, 11), state(1, 0, 8, 20), state(1, 8, 9, 21)];
    let link = TouchingLink { source: 0, target: 1, start: 5, end: 8, detail: 0 };
    let found = swept(&states, &[link]);
    assert_eq!(found, [LinkInStates { link, source_state: Some(11), target_state: Some(20) }]);
}

#[test]
fn a_link_may_arrive_before_it_leaves_and_where_no_state_is() {
    let states = [state(0, 0, 5, 10), state(0, 6, 9, 11)];
    let link = TouchingLink { source: 0, target: 1, start: 7, end: 2, detail: 0 };
    let back = TouchingLink { source: 1, target: 0, start: 7, end: 3, detail: 1 };
    let found = swept(&states, &[link, back]);
    assert_eq!(found[0].source_state, Some(11));
    assert_eq!(found[0].target_state, None);
    assert_eq!((found[1].source_state, found[1].target_state), (None, Some(10)));
}

#[test]
fn states_that_have_ended_are_not_kept() {
    let mut sweep = LinkStateSweep::<usize>::default();
    for tick in 0..10_000 {
        sweep.add_state(state(0, tick, tick + 1, 0), &mut |_| {});
        let link = TouchingLink { source: 0, target: 0, start: tick, end: tick + 2, detail: 0 };
        sweep.add_link(link, &mut |_| {});
    }
    assert!(sweep.open[&0].states.len() < 16);
    assert!(sweep.links.len() < 8 && sweep.bytes() < 10_000, "{}", sweep.bytes());
}

proptest! {
    #[test]
    fn agrees_with_its_twin(
        states in prop::collection::vec((0_u32..2, 0_i64..30, 0_i64..6, 0_i32..2, 0_u32..4, any::<bool>()), 0..40),
        links in prop::collection::vec((0_u32..3, 0_u32..3, 0_i64..32, 0_i64..32), 0..20),
    ) {
        let states: Vec<TouchingState> = states
            .into_iter()
            .map(|(container, start, length, depth, name, communicates)| TouchingState {
                container,
                start,
                end: start + length,
                depth,
                name,
                communicates,
            })
            .collect();
        let links: Vec<TouchingLink<usize>> = links
            .into_iter()
            .enumerate()
            .map(|(detail, (source, target, start, end))| TouchingLink { source, target, start, end, detail })
            .collect();
        let expected: Vec<LinkInStates<usize>> = links.iter().map(|link| slow(&states, *link)).collect();
        prop_assert_eq!(swept(&states, &links), expected);
    }
}

//! Worked examples, and the properties that a replay must have.

use hashbrown::HashSet;
use proptest::prelude::*;

use super::changes::scaled;
use super::samples::{
    CONTAINERS, Links, States, arbitrary_changes, arbitrary_links, arbitrary_program, arbitrary_states, barrier, link,
    wait, work,
};
use super::twin::{QuarterChanges, SlowReplay};
use super::*;
use crate::waiting::{StateRole, WaitTrace, critical_path};

/// Start and end of states, and of links.
type NewTimes = (Vec<(i64, i64)>, Vec<(i64, i64)>);

/// States and links by place, with new times.
pub(super) fn replayed(states: &States, links: &Links, changes: &ReplayChanges) -> NewTimes {
    let begin = |row: &ReplayRow<usize>| match row {
        ReplayRow::State(row) => row.state.start,
        ReplayRow::Link(link) => link.message.start.min(link.message.end),
    };
    let state = |(place, row): (usize, &ReplayState<i64>)| {
        ReplayRow::State(ReplayState { state: row.state, part: row.part, factor: row.factor, detail: place })
    };
    let link = |(place, link): (usize, &ReplayLink<i64>)| {
        ReplayRow::Link(ReplayLink { message: link.message, volume: link.volume, detail: place })
    };
    let mut rows: Vec<ReplayRow<usize>> = states.iter().enumerate().map(state).collect();
    rows.extend(links.iter().enumerate().map(link));
    rows.sort_by_key(begin);
    let mut survey = ReplaySurvey::default();
    for row in &rows {
        match row {
            ReplayRow::State(row) if row.part == ReplayPart::Carried => {}
            ReplayRow::State(row) => survey.add_state(row.state),
            ReplayRow::Link(link) => survey.add_link(link.message, link.volume),
        }
    }
    let facts = survey.finish().expect("no state overlaps another");
    let mut changes = changes.clone();
    if changes.balance.is_some() {
        let mut survey = BalanceSurvey::new(changes.clone(), facts.clone());
        for row in &rows {
            if let ReplayRow::State(row) = row {
                survey.add_state(&row.state);
            }
        }
        changes.balance = Some(survey.finish());
    }
    let mut sweep = ReplaySweep::new(changes, facts);
    let (mut new_states, mut new_links) = (vec![None; states.len()], vec![None; links.len()]);
    let mut give = |replayed: Replayed<usize>| {
        let place = match &replayed.row {
            ReplayRow::State(row) => &mut new_states[row.detail],
            ReplayRow::Link(link) => &mut new_links[link.detail],
        };
        assert!(place.is_none(), "given twice: {replayed:?}");
        *place = Some((replayed.start, replayed.end));
    };
    for row in rows {
        match row {
            ReplayRow::State(row) => sweep.add_state(row, &mut give),
            ReplayRow::Link(link) => sweep.add_link(link, &mut give),
        }
    }
    sweep.finish(&mut give);
    let all = |rows: Vec<Option<(i64, i64)>>| rows.into_iter().map(|row| row.expect("is given")).collect();
    (all(new_states), all(new_links))
}

pub(super) fn network(latency: f64, transfer: f64) -> ReplayChanges {
    ReplayChanges { network: NetworkChange { latency, transfer }, ..ReplayChanges::NONE }
}

/// A works until 4 and sends; the message takes 4; B waits from 2 to 8 and works until 10.
#[test]
fn a_late_sender() {
    let states = vec![work(1, 0, 5), work(2, 0, 2), wait(2, 2, 8), work(2, 8, 10)];
    let links = vec![link(1, 2, 4, 8)];
    let ideal = replayed(&states, &links, &network(0.0, 0.0));
    assert_eq!(ideal, (vec![(0, 5), (0, 2), (2, 4), (4, 6)], vec![(4, 4)]));
    // It is the shortest message: all of its time is latency.
    let slower = replayed(&states, &links, &network(2.0, 1.0));
    assert_eq!(slower, (vec![(0, 5), (0, 2), (2, 12), (12, 14)], vec![(4, 12)]));
    assert_eq!(replayed(&states, &links, &network(1.0, 9.0)), replayed(&states, &links, &ReplayChanges::NONE));
    // A in half the time: the wait is 2 shorter.
    let mut faster = states.clone();
    faster[0].factor = 0.5;
    let faster = replayed(&faster, &links, &ReplayChanges::NONE);
    assert_eq!(faster, (vec![(0, 3), (0, 2), (2, 6), (6, 8)], vec![(2, 6)]));
}

/// 1 comes to the barrier at 2, 2 at 6, both go on at 7.
#[test]
fn a_barrier() {
    let states = vec![work(1, 0, 2), barrier(1, 2, 7), work(2, 0, 6), barrier(2, 6, 7)];
    let (ideal, _) = replayed(&states, &vec![], &network(0.0, 0.0));
    assert_eq!(ideal, [(0, 2), (2, 6), (0, 6), (6, 6)]);
    // 2 takes a third of the time: now 1 is not held up longer than it takes itself.
    let mut faster = states.clone();
    faster[2].factor = 0.25;
    let (faster, _) = replayed(&faster, &vec![], &ReplayChanges::NONE);
    assert_eq!(faster, [(0, 2), (2, 3), (0, 2), (2, 3)]);
    // 1 takes five times as long, and is the last.
    let mut slower = states.clone();
    slower[0].factor = 5.0;
    let (slower, _) = replayed(&slower, &vec![], &ReplayChanges::NONE);
    assert_eq!(slower, [(0, 10), (10, 11), (0, 6), (6, 11)]);
}

/// The sender waits from 2 on; the receiver comes at 7 and has the message at 9.
#[test]
fn a_late_receiver() {
    let states = vec![work(1, 0, 2), wait(1, 2, 9), work(2, 0, 7), wait(2, 7, 9)];
    let links = vec![link(1, 2, 2, 9)];
    let ideal = replayed(&states, &links, &network(0.0, 0.0));
    assert_eq!(ideal, (vec![(0, 2), (2, 7), (0, 7), (7, 7)], vec![(2, 7)]));
}

/// Two that wait for each other's messages, which take no time: nobody is waited for, so that is time of the network.
#[test]
fn messages_without_flight_that_chase_each_other() {
    let states = vec![wait(1, 2, 5), wait(2, 3, 5)];
    let links = vec![link(1, 2, 5, 5), link(2, 1, 5, 5)];
    let ideal = replayed(&states, &links, &network(0.0, 0.0));
    assert_eq!(ideal, (vec![(2, 3), (3, 3)], vec![(3, 3), (3, 3)]));
}

/// Only what lies in the window, and in chosen containers, is changed; gaps too.
#[test]
fn a_window_and_chosen_containers() {
    let mut states = vec![work(1, 0, 8), work(2, 2, 4), work(2, 6, 8)];
    for row in &mut states {
        row.factor = 0.5;
    }
    let changes =
        ReplayChanges { gap_factor: 2.0, window: (2, 6), containers: Some(HashSet::from([1])), ..ReplayChanges::NONE };
    let (first, _) = replayed(&states, &vec![], &changes);
    assert_eq!(first, [(0, 6), (2, 4), (6, 8)]);
    let (second, _) = replayed(&states, &vec![], &ReplayChanges { containers: Some(HashSet::from([2])), ..changes });
    assert_eq!(second, [(0, 8), (2, 3), (7, 9)]);
}

#[test]
fn products_are_exact() {
    assert_eq!(scaled(3, 0.5), 2);
    assert_eq!(scaled(5, 0.1), 1);
    assert_eq!(scaled(4, 0.1), 0);
    assert_eq!(scaled(i64::MAX, 1.0), i64::MAX);
    assert_eq!(scaled(i64::MAX - 1, 1.0), i64::MAX - 1);
    assert_eq!(scaled(i64::MAX, 0.5), 1 << 62);
    assert_eq!(scaled(i64::MAX, 2.0), i64::MAX);
    assert_eq!(scaled(1, 1e300), i64::MAX);
    assert_eq!(scaled(i64::MAX, 0.0), 0);
    assert_eq!(scaled(i64::MAX, f64::MIN_POSITIVE), 0);
    assert_eq!(scaled(7, 1e6), 7_000_000);
}

/// Ten thousand rounds of work, a message and a barrier: what is held does not grow.
#[test]
fn a_replay_forgets() {
    let mut facts = ReplaySurvey::default();
    let round = |number: i64| {
        let at = number * 10;
        let states = [work(1, at, at + 3), work(2, at, at + 5), barrier(1, at + 6, at + 9), barrier(2, at + 7, at + 9)];
        (states, link(1, 2, at + 2, at + 4))
    };
    for number in 0..10_000 {
        let ([first, second, third, last], message) = round(number);
        facts.add_state(first.state);
        facts.add_state(second.state);
        facts.add_link(message.message, None);
        facts.add_state(third.state);
        facts.add_state(last.state);
    }
    let mut sweep = ReplaySweep::new(ReplayChanges::NONE, facts.finish().expect("no overlap"));
    let (mut rows, mut most) = (0, 0);
    let mut give = |_: Replayed<i64>| rows += 1;
    for number in 0..10_000 {
        let ([first, second, third, last], message) = round(number);
        sweep.add_state(first, &mut give);
        sweep.add_state(second, &mut give);
        sweep.add_link(message, &mut give);
        sweep.add_state(third, &mut give);
        sweep.add_state(last, &mut give);
        most = most.max(sweep.bytes());
    }
    sweep.finish(&mut give);
    assert_eq!(rows, 50_000);
    assert!(most < 20_000, "{most} bytes");
}

fn changes_of(changes: &QuarterChanges) -> ReplayChanges {
    ReplayChanges {
        network: NetworkChange { latency: changes.latency as f64 / 4.0, transfer: changes.transfer as f64 / 4.0 },
        gap_factor: changes.gap as f64 / 4.0,
        window: changes.window,
        containers: Some(changes.containers.iter().copied().collect()),
        ..ReplayChanges::NONE
    }
}

pub(super) fn as_it_was(states: &States, links: &Links) -> NewTimes {
    let states = states.iter().map(|row| (row.state.start, row.state.end));
    (states.collect(), links.iter().map(|link| (link.message.start, link.message.end)).collect())
}

pub(super) fn unchanged(mut states: States) -> States {
    for row in &mut states {
        (row.factor, row.detail) = (1.0, 4);
    }
    states
}

fn end_of((states, links): &NewTimes) -> i64 {
    states.iter().chain(links).map(|(start, end)| *start.max(end)).max().unwrap_or(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn without_changes_everything_is_as_it_was(states in arbitrary_states(), links in arbitrary_links()) {
        let states = unchanged(states);
        prop_assert_eq!(replayed(&states, &links, &ReplayChanges::NONE), as_it_was(&states, &links));
    }

    #[test]
    fn every_row_is_where_the_longest_path_ends(
        states in arbitrary_states(),
        links in arbitrary_links(),
        changes in arbitrary_changes(),
    ) {
        let times = SlowReplay::new(&states, &links, changes.clone()).times();
        let at = |container: u32, instant: i64| times[&(container, instant)];
        let slow_states: Vec<(i64, i64)> = states
            .iter()
            .map(|row| (at(row.state.container, row.state.start), at(row.state.container, row.state.end)))
            .collect();
        let slow_links: Vec<(i64, i64)> = links
            .iter()
            .map(|ReplayLink { message, .. }| (at(message.source, message.start), at(message.target, message.end)))
            .collect();
        prop_assert_eq!(replayed(&states, &links, &changes_of(&changes)), (slow_states, slow_links));
    }

    #[test]
    fn an_ideal_network_lies_between_computation_and_the_measured_run(
        states in arbitrary_states(),
        links in arbitrary_links(),
    ) {
        let states = unchanged(states);
        let ideal = end_of(&replayed(&states, &links, &network(0.0, 0.0)));
        let everywhere =
            QuarterChanges { latency: 0, transfer: 0, gap: 4, window: (-99, 99), containers: (0..CONTAINERS).collect() };
        let longest = SlowReplay::new(&states, &links, everywhere).times().into_values().max().unwrap_or(0);
        prop_assert_eq!(ideal, longest);
        prop_assert!(ideal <= end_of(&as_it_was(&states, &links)));
        for container in 0..CONTAINERS {
            let works = states.iter().filter(|row| row.state.container == container && row.state.role == StateRole::Works);
            let sum: i64 = works.filter(|row| !row.state.joins).map(|row| row.state.end - row.state.start).sum();
            prop_assert!(sum <= ideal);
        }
    }

    #[test]
    fn what_takes_longer_makes_nothing_earlier(
        states in arbitrary_states(),
        links in arbitrary_links(),
        changes in arbitrary_changes(),
        more in (0..5_i64, 0..5_i64, 0..5_i64, 0..5_i64),
    ) {
        let mut slower_states = states.clone();
        for row in &mut slower_states {
            row.factor += more.0 as f64 / 4.0;
        }
        let slower = QuarterChanges {
            latency: changes.latency + more.1,
            transfer: changes.transfer + more.2,
            gap: changes.gap + more.3,
            ..changes.clone()
        };
        let faster = replayed(&states, &links, &changes_of(&changes));
        let slower = replayed(&slower_states, &links, &changes_of(&slower));
        for (one, other) in faster.0.iter().zip(&slower.0).chain(faster.1.iter().zip(&slower.1)) {
            prop_assert!(one.0 <= other.0 && one.1 <= other.1);
        }
    }

    #[test]
    fn half_the_time_off_the_critical_path_saves_nothing(program in arbitrary_program()) {
        let (states, links) = program;
        let messages = links.iter().map(|link| link.message).collect();
        let trace = WaitTrace::new(states.iter().map(|row| row.state).collect(), messages);
        let ends = states.iter().map(|row| row.state.end);
        let steps = critical_path(&trace, (0, ends.max().unwrap_or(1).max(1)));
        let path: Vec<TimedState> = steps.iter().filter_map(|step| step.state.map(|at| trace.states()[at])).collect();
        let end = |states: &States| {
            let (states, _) = replayed(states, &links, &ReplayChanges::NONE);
            states.iter().map(|(_, end)| *end).max()
        };
        let before = end(&states);
        for place in (0..states.len()).filter(|place| !path.contains(&states[*place].state)) {
            let mut halved = states.clone();
            halved[place].factor = 0.5;
            prop_assert_eq!(end(&halved), before, "{:?}", halved[place]);
        }
    }
}

//! States beside the one that is followed.

use proptest::prelude::*;

use super::super::samples::{CONTAINERS, States, arbitrary_links, arbitrary_states, wait, work};
use super::super::tests::{as_it_was, network, replayed, unchanged};
use super::super::{ReplayChanges, ReplayPart};
use super::*;

fn carried(container: u32, start: i64, end: i64, factor: f64) -> ReplayState<i64> {
    ReplayState { part: ReplayPart::Carried, factor, ..work(container, start, end) }
}

/// The wait shrinks from 8 ticks to 4: what starts in its middle does so now. What ends after the last point is as late.
#[test]
fn ends_keep_their_place() {
    let states = vec![
        work(1, 0, 4),
        wait(2, 0, 8),
        work(2, 8, 10),
        carried(2, 4, 12, 1.0),
        carried(2, 0, 8, 1.0),
        carried(3, 5, 6, 1.0),
    ];
    let links = vec![super::super::samples::link(1, 2, 4, 8)];
    let (states, _) = replayed(&states, &links, &network(0.0, 0.0));
    assert_eq!(states, [(0, 4), (0, 4), (4, 6), (2, 8), (0, 4), (5, 6)]);
}

fn arbitrary_carried() -> impl Strategy<Value = States> {
    let state = (0..CONTAINERS, 0..20_i64, 0..9_i64);
    prop::collection::vec(
        state.prop_map(|(container, start, length)| carried(container, start, start + length, 1.0)),
        0..9,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn without_changes_they_are_as_they_were(
        states in arbitrary_states(),
        beside in arbitrary_carried(),
        links in arbitrary_links(),
    ) {
        let all = [unchanged(states), beside].concat();
        prop_assert_eq!(replayed(&all, &links, &ReplayChanges::NONE), as_it_was(&all, &links));
    }

    /// They change nothing, and are where they were among the points of their container.
    #[test]
    fn they_are_carried_along(
        states in arbitrary_states(),
        beside in arbitrary_carried(),
        links in arbitrary_links(),
    ) {
        let (plain, all) = (states.clone(), [states, beside].concat());
        let alone = replayed(&plain, &links, &network(0.0, 0.25));
        let together = replayed(&all, &links, &network(0.0, 0.25));
        prop_assert_eq!(&alone.0[..], &together.0[..plain.len()]);
        prop_assert_eq!(alone.1, together.1);
        let mut ends = vec![];
        for (row, new) in all.iter().zip(&together.0) {
            ends.extend([(row.state.container, row.state.start, new.0), (row.state.container, row.state.end, new.1)]);
        }
        for one in &ends {
            for other in ends.iter().filter(|other| other.0 == one.0 && other.1 > one.1) {
                prop_assert!(one.2 <= other.2, "{:?} and {:?}", one, other);
            }
        }
    }

    /// A factor on a state beside is one on pieces of the work that it covers.
    #[test]
    fn their_factor_is_on_what_they_cover(from in 0..20_i64, length in 0..20_i64, other in (0..20_i64, 0..20_i64)) {
        let (to, until) = ((from + length).min(20), (other.0 + other.1).min(20));
        let states = vec![work(1, 0, 20), carried(1, from, to, 3.0), carried(1, other.0, until, 3.0)];
        let mut states = states;
        states.sort_by_key(|row| row.state.start);
        let place = states.iter().position(|row| row.part == ReplayPart::Whole).expect("is there");
        let covered = (0..20).filter(|tick| (from..to).contains(tick) || (other.0..until).contains(tick)).count() as i64;
        let (new, _) = replayed(&states, &vec![], &ReplayChanges::NONE);
        prop_assert_eq!(new[place], (0, 20 + 2 * covered));
    }
}

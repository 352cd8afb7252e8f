//! What is followed, tick by tick.

use std::cmp::Reverse;

use proptest::prelude::*;

use super::*;

fn cut(states: &[(i64, i64)]) -> Vec<LedState<usize>> {
    let mut found = vec![];
    let mut leading = LeadingStates::default();
    for (place, (start, end)) in states.iter().enumerate() {
        leading.add(*start, *end, place, &mut |row| found.push(row));
    }
    leading.finish(&mut |row| found.push(row));
    found
}

#[test]
fn an_outer_state_is_followed_in_two_pieces() {
    let row = |start, end, part, detail| LedState { start, end, part, detail };
    let expected = vec![
        row(0, 9, ReplayPart::Carried, 0),
        row(0, 3, ReplayPart::Piece, 0),
        row(3, 5, ReplayPart::Whole, 1),
        row(5, 9, ReplayPart::Piece, 0),
        row(9, 9, ReplayPart::Whole, 2),
    ];
    assert_eq!(cut(&[(0, 9), (3, 5), (9, 9)]), expected);
}

proptest! {
    #[test]
    fn the_state_is_followed_that_started_last(states in prop::collection::vec((0..12_i64, 0..8_i64), 0..8)) {
        let mut states: Vec<(i64, i64)> = states.into_iter().map(|(start, length)| (start, start + length)).collect();
        states.sort_by_key(|(start, end)| (*start, Reverse(*end)));
        let found = cut(&states);
        for tick in 0..20 {
            let open = |(start, end): &(i64, i64)| *start <= tick && tick < *end;
            let last = states.iter().rposition(open);
            let followed = |row: &&LedState<usize>| row.part != ReplayPart::Carried && open(&(row.start, row.end));
            let followed: Vec<usize> = found.iter().filter(followed).map(|row| row.detail).collect();
            prop_assert_eq!(followed, last.into_iter().collect::<Vec<_>>(), "at {}", tick);
        }
        let mut given: Vec<(usize, i64, i64)> =
            found.iter().filter(|row| row.part != ReplayPart::Piece).map(|row| (row.detail, row.start, row.end)).collect();
        given.sort_unstable();
        let all: Vec<(usize, i64, i64)> = states.iter().enumerate().map(|(place, row)| (place, row.0, row.1)).collect();
        prop_assert_eq!(given, all);
    }
}

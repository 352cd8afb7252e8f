//! Leaves against a map.

use std::collections::BTreeMap;

use super::super::events::EventSlices;
use super::*;

/// What happens to leaves.
#[derive(Debug, Clone)]
enum Step {
    Add {
        series: u32,
        slice: u32,
    },
    Tidy,
    /// All is written, forgotten, and read again, by so many readings.
    Rewrite {
        times: i64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    // Near each other, far from each other, and often the same.
    let slice = prop_oneof![0..40_u32, 0..5000_u32, Just(31), Just(32), Just(4999)];
    let step = prop_oneof![
        20 => (0..3_u32, slice).prop_map(|(series, slice)| Step::Add { series, slice }),
        1 => Just(Step::Tidy),
        1 => (0..3_i64).prop_map(|times| Step::Rewrite { times }),
    ];
    prop::collection::vec(step, 0..200)
}

fn store(slicing: Slicing) -> EventSlices {
    let mut events = EventSlices::new(slicing);
    (0..3).for_each(|_| _ = events.add_series());
    events
}

proptest! {
    #[test]
    fn leaves_hold_what_a_map_holds(steps in steps()) {
        let slicing = Slicing::new(0, 5000, 5000, 1).expect("a window");
        let mut events = store(slicing);
        let mut expected: BTreeMap<(u32, u32), i64> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Add { series, slice } => {
                    events.add(series, slice);
                    *expected.entry((series, slice)).or_default() += 1;
                }
                Step::Tidy => events.tidy(),
                Step::Rewrite { times } => {
                    events.tidy();
                    let mut again = store(slicing);
                    for series in 0..3 {
                        let mut bytes = vec![];
                        events.write(series, &mut bytes);
                        (0..times).for_each(|_| again.read(series, &mut bytes.as_slice()).expect("what was written"));
                    }
                    events = again;
                    expected.values_mut().for_each(|count| *count *= times);
                    expected.retain(|_, count| *count > 0);
                }
            }
        }
        events.tidy();
        let mut given = BTreeMap::new();
        for series in 0..3 {
            events.measures(series, &mut |slice, count| _ = given.insert((series, slice), count));
        }
        prop_assert_eq!(given, expected);
    }
}

proptest! {
    #[test]
    fn leaves_of_several_stores_are_joined(
        stores in prop::collection::vec(prop::collection::vec(prop_oneof![0..5000_u32, 0..100_u32, 4900..5000_u32], 0..60), 0..6),
    ) {
        let slicing = Slicing::new(0, 5000, 5000, 1).expect("a window");
        let mut joined = store(slicing);
        let mut expected: BTreeMap<u32, i64> = BTreeMap::new();
        for slices in stores {
            let mut events = store(slicing);
            for slice in slices {
                events.add(1, slice);
                *expected.entry(slice).or_default() += 1;
            }
            events.tidy();
            let mut bytes = vec![];
            events.write(1, &mut bytes);
            joined.read(1, &mut bytes.as_slice()).expect("what was written");
        }
        joined.tidy();
        let mut given = vec![];
        joined.measures(1, &mut |slice, count| given.push((slice, count)));
        prop_assert_eq!(given, expected.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn rows_in_any_order_take_room_for_cells() {
    let slicing = Slicing::new(0, 1000, 1000, 1).expect("a window");
    let mut events = store(slicing);
    for row in 0..1_000_000_u32 {
        // Far from the row before: each closes a leaf.
        events.add(row % 3, row.wrapping_mul(2_654_435_761) % 1000);
        if row % 8192 == 0 && events.is_crowded() {
            events.tidy();
        }
    }
    events.tidy();
    assert!(events.size() < 8 << 20, "{}", events.size());
    let mut count = 0;
    (0..3).for_each(|series| events.measures(series, &mut |_, events| count += events));
    assert_eq!(count, 1_000_000);
}

#[test]
fn numbers_that_outgrow_words_are_joined_exactly() {
    let slicing = Slicing::new(0, 1 << 57, 1, 1).expect("a window");
    let mut joined = StateSlices::new(slicing);
    let series = joined.add_series();
    for _ in 0..50 {
        let (piece, piece_series) = states(slicing, &[(0, 1 << 57), (5, (1 << 57) - 5)]);
        let mut bytes = vec![];
        piece.write(piece_series, &mut bytes);
        joined.read(series, &mut bytes.as_slice()).expect("what was written");
    }
    joined.tidy();
    assert_eq!(parts(&joined, series), [(0, 50 * (2 * (1_i128 << 57) - 10))]);
}

//! Tests of `swap`.

use std::collections::BTreeMap;

use super::*;

#[test]
fn powers_of_two_swap_with_one_partner() {
    for (stage, sent) in stages(8).iter().enumerate() {
        let expected: Vec<SwapMessage> = (0..8).map(|i| (i, i ^ (1 << stage), IMAGE >> (stage + 1))).collect();
        assert_eq!(*sent, expected);
    }
}

/// Three: 0 and 1 swap halves; then thirds with 2, as in the drawing.
#[test]
fn three_swap_as_in_the_drawing() {
    let third = IMAGE / 3;
    let found = stages(3);
    assert_eq!(found[0], [(0, 1, IMAGE / 2), (1, 0, IMAGE / 2)]);
    let rest = |from: u64, to: u64| to - from;
    let (one, two) = (IMAGE / 3, IMAGE * 2 / 3);
    let expected = [(0, 2, rest(one, IMAGE / 2)), (1, 2, rest(IMAGE / 2, two)), (2, 0, third), (2, 1, IMAGE - two)];
    assert_eq!(found[1], expected);
}

/// Everyone receives its part of the image from the other group, once per stage, and keeps its own.
#[test]
fn everyone_receives_its_part() {
    for processes in 1..40 {
        let found = stages(processes);
        assert_eq!(found.len(), (0..).find(|stages| 1_u64 << stages >= processes).expect("a power"));
        if let Some(last) = found.last() {
            let mut received: BTreeMap<u64, u64> = BTreeMap::new();
            for (source, target, bytes) in last {
                assert_ne!(source, target);
                *received.entry(*target).or_default() += bytes;
            }
            assert_eq!(received.len() as u64, processes);
            assert_eq!(received.values().sum::<u64>(), IMAGE);
            let (least, most) = (received.values().min(), received.values().max());
            assert!(most.zip(least).is_some_and(|(most, least)| most - least <= 1));
        }
    }
}

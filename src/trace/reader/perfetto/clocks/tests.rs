//! One clock becomes another by snapshots.

use super::*;

/// A snapshot of clocks: number and timestamp of each, all below 128.
fn snapshot(clocks: &[(u8, u8)]) -> Vec<u8> {
    clocks.iter().flat_map(|(number, time)| [0x0a, 4, 0x08, *number, 0x10, *time]).collect()
}

fn clocks(snapshots: &[(u32, &[(u8, u8)])]) -> TraceClocks {
    let mut all = TraceClocks::default();
    for (sequence, readings) in snapshots {
        all.add(*sequence, &snapshot(readings)).expect("a snapshot");
    }
    all.close();
    all
}

#[test]
fn the_last_snapshot_before_counts() {
    let clocks = clocks(&[(1, &[(64, 10), (6, 100)]), (1, &[(64, 20), (6, 112)])]);
    let key = ClockKey::new(1, 64);
    // Before the first snapshot, between both, and after.
    assert_eq!([5, 15, 20, 25].map(|time| clocks.convert(key, time)), [Some(95), Some(105), Some(112), Some(117)]);
    assert_eq!(clocks.convert(ClockKey::new(2, 64), 15), None, "the clock of another sequence");
}

#[test]
fn a_third_clock_leads_on() {
    let clocks = clocks(&[(1, &[(64, 10), (3, 50)]), (1, &[(3, 60), (6, 100)])]);
    assert_eq!(clocks.convert(ClockKey::new(1, 64), 12), Some(92));
}

#[test]
fn without_snapshots_times_are_taken_as_they_are() {
    assert_eq!(TraceClocks::default().convert(ClockKey::new(1, 64), 12), Some(12));
}

#[test]
fn clocks_of_many_sequences_are_bounded() {
    let readings: Vec<(u8, u8)> = (64..104).map(|number| (number, 10)).collect();
    let mut all = TraceClocks::default();
    for sequence in 1..1000 {
        all.add(sequence, &snapshot(&readings)).expect("a snapshot");
    }
    all.close();
    assert_eq!(all.pairs.len(), MOST_PAIRS);
    assert!(all.neighbors.values().all(|between| between.len() <= MOST_BETWEEN));
}

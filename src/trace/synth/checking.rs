//! Reads generated traces with the obvious rules, for the tests of all generators.

use std::collections::{BTreeMap, BTreeSet};

/// The lines that are neither comments nor definitions of events, cut at spaces.
pub(super) fn event_lines(text: &str) -> Vec<Vec<&str>> {
    text.lines().filter(|line| !line.starts_with(['%', '#'])).map(|line| line.split(' ').collect()).collect()
}

/// Fails on anything that is not closed and matched, and on a time that goes back.
pub(super) fn check(text: &str) {
    let mut containers = BTreeSet::new();
    let mut stacks: BTreeMap<&str, u32> = BTreeMap::new();
    let (mut open_links, mut used_keys) = (BTreeSet::new(), BTreeSet::new());
    let mut last_time = String::new();
    for fields in event_lines(text) {
        let id: u32 = fields[0].parse().expect("an id");
        if id >= 6 {
            let (seconds, decimals) = fields[1].split_once('.').expect("a time");
            assert_eq!(decimals.len(), 9);
            let time = format!("{seconds:0>9}.{decimals}");
            assert!(time >= last_time, "{fields:?}");
            last_time = time;
        }
        match id {
            6 => assert!(containers.insert(fields[2]), "{fields:?}"),
            7 => assert!(containers.remove(fields[3]), "{fields:?}"),
            8..=10 | 17 => assert!(containers.contains(fields[3]), "{fields:?}"),
            12 => *stacks.entry(fields[3]).or_default() += 1,
            13 => {
                let depth = stacks.get_mut(fields[3]).expect("a push before");
                *depth = depth.checked_sub(1).expect("a push before");
            }
            15 => {
                assert!(used_keys.insert(fields[6]), "{fields:?}");
                assert!(open_links.insert(fields[6]), "{fields:?}");
                assert_eq!(fields.len(), 8);
            }
            16 => {
                assert!(open_links.remove(fields[6]), "{fields:?}");
                assert!(containers.contains(fields[5]), "{fields:?}");
            }
            _ => assert!(id < 6, "{fields:?}"),
        }
    }
    assert!(containers.is_empty() && open_links.is_empty());
    assert!(stacks.values().all(|depth| *depth == 0));
}

/// The FNV-1a checksum that the programs in `tests/oracles` print.
pub(super) fn checksum(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3));
    format!("{hash:016x}")
}

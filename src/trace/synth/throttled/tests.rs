//! Tests of `throttled`.

use super::*;
use crate::synth::checking::{check, checksum, event_lines};

fn text(cabinets: u32, seed: u64) -> String {
    let mut bytes = Vec::new();
    throttled(&ThrottledOptions { cabinets, seed }, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn a_seed_decides_the_bytes() {
    check(&text(2, 3));
    assert_eq!(text(2, 3), text(2, 3));
    assert_ne!(text(2, 3), text(2, 4));
    for cabinets in [0, 1, 3, 2048] {
        assert!(throttled(&ThrottledOptions { cabinets, seed: 1 }, &mut Vec::new()).is_err());
    }
}

/// What leaves the second cabinet within the interval takes at least 3 milliseconds, most of the rest at most 250
/// microseconds: it takes longer only where its receiver comes late.
#[test]
fn one_cabinet_is_slow_for_a_moment() {
    let text = text(4, 1);
    let rank = |name: &str| -> u32 { name[1..].parse().expect("a rank") };
    let mut sent = std::collections::BTreeMap::new();
    let (mut slow, mut usual) = (0, 0);
    for fields in event_lines(&text) {
        let time: f64 = fields.get(1).and_then(|time| time.parse().ok()).unwrap_or(0.0);
        match fields[0] {
            "15" => drop(sent.insert(fields[6], (time, rank(fields[5]) / PER_CABINET))),
            "16" => {
                let (start, cabinet) = sent[fields[6]];
                let leaves = cabinet == THROTTLED_CABINET && rank(fields[5]) / PER_CABINET != cabinet;
                if leaves && (0.1..0.15).contains(&start) {
                    assert!(time - start > 2.99e-3, "{fields:?}");
                    slow += 1;
                } else if time - start < 2.51e-4 {
                    usual += 1;
                }
            }
            _ => {}
        }
    }
    assert!(slow > 50 && usual > 3000, "{slow} and {usual}");
}

/// The checksum that `tests/oracles/synth_throttled.py 4 1` prints: a second, independent program.
#[test]
fn another_program_writes_the_same_bytes() {
    assert_eq!(checksum(&text(4, 1)), "48e7b75911e964ba");
}

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

/// Only what leaves the second cabinet within the interval takes longer than 250 microseconds on the way, unless it
/// was not waited for.
#[test]
fn one_cabinet_is_slow_for_a_moment() {
    let text = text(4, 1);
    let mut sent = std::collections::BTreeMap::new();
    let (mut slow, mut usual) = (0, 0);
    for fields in event_lines(&text) {
        let time: f64 = fields.get(1).and_then(|time| time.parse().ok()).unwrap_or(0.0);
        match fields[0] {
            "15" => drop(sent.insert(fields[6], (time, fields[5]))),
            "16" => {
                let (start, source) = sent[fields[6]];
                let rank: u32 = source[1..].parse().expect("a rank");
                if time - start > 2.9e-3 {
                    assert_eq!(rank / PER_CABINET, THROTTLED_CABINET);
                    assert!((0.1..0.15).contains(&start));
                    slow += 1;
                } else {
                    usual += 1;
                }
            }
            _ => {}
        }
    }
    assert!(slow > 50 && usual > 5000, "{slow} and {usual}");
}

/// The checksum that `tests/oracles/synth_throttled.py 4 1` prints: a second, independent program.
#[test]
fn another_program_writes_the_same_bytes() {
    assert_eq!(checksum(&text(4, 1)), "48e7b75911e964ba");
}

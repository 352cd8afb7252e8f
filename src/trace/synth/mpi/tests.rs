//! Invariants of generated programs, checked line by line, and a checksum from another program.

use super::super::checking::{check, checksum, event_lines};
use super::*;

fn text(events: u64, ranks: u32, seed: u64) -> String {
    let mut bytes = Vec::new();
    mpi(&MpiOptions { events, ranks, seed }, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("text")
}

#[test]
fn the_number_of_lines_is_exact_and_everything_is_closed() {
    for (ranks, seed) in [(1, 1), (2, 2), (3, 3), (16, 4), (64, 5), (100, 6)] {
        let least = Output::fixed_lines(ranks);
        for events in [0, 1, 2, 3, 7, 100, 1001, 20_000].map(|more| least + more) {
            let text = text(events, ranks, seed);
            assert_eq!(event_lines(&text).len() as u64, events, "{ranks} ranks");
            check(&text);
        }
    }
}

#[test]
fn too_few_lines_are_refused() {
    // 18 definitions; 1 site, 1 cluster, 1 machine and 2 ranks, created and destroyed; 3 variables.
    assert_eq!(Output::fixed_lines(2), 18 + 2 * 5 + 3);
    let options = MpiOptions { events: 30, ranks: 2, seed: 1 };
    let error = mpi(&options, &mut Vec::new()).expect_err("too few").to_string();
    assert!(error.contains("at least 31 events, got 30"), "{error}");
    assert!(mpi(&MpiOptions { ranks: 0, ..options }, &mut Vec::new()).is_err());
}

#[test]
fn the_mix_is_that_of_a_real_program() {
    let text = text(200_000, 64, 1);
    let share = |ids: &[&str]| {
        let lines = event_lines(&text);
        lines.iter().filter(|fields| ids.contains(&fields[0])).count() as f64 / lines.len() as f64
    };
    assert!((0.55..0.70).contains(&share(&["12", "13"])));
    assert!((0.10..0.20).contains(&share(&["15", "16"])));
    assert!((0.10..0.20).contains(&share(&["8", "9", "10"])));
}

/// The checksum that `tests/oracles/synth_mpi.py 20000 16 7` prints: a second, independent program.
#[test]
fn another_program_writes_the_same_bytes() {
    assert_eq!(checksum(&text(20_000, 16, 7)), "524c300e11efa4cf");
}

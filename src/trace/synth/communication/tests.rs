//! Tests of `communication`.

use std::collections::{BTreeMap, BTreeSet};

use super::super::checking::{check, checksum, event_lines};
use super::*;

const PATTERNS: [Pattern; 7] = [
    Pattern::Ring,
    Pattern::Full,
    Pattern::Star,
    Pattern::HierarchicalStar { children: 1 },
    Pattern::HierarchicalStar { children: 2 },
    Pattern::TwoThreeSwap,
    Pattern::Pipeline,
];

fn options(leaves: u64, pattern: Pattern) -> CommunicationOptions {
    CommunicationOptions { hierarchy: HierarchyOptions { shape: vec![leaves], ..Default::default() }, pattern }
}

fn text(options: &CommunicationOptions) -> String {
    let mut bytes = Vec::new();
    communication(options, &mut bytes).expect("memory takes all");
    String::from_utf8(bytes).expect("text")
}

/// The messages of one round, as letters: A is leaf 0.
fn pairs(leaves: u64, pattern: Pattern) -> BTreeSet<String> {
    let text = text(&options(leaves, pattern));
    let letter = |alias: &str| (b'A' + alias[1..].parse::<u8>().expect("a number")) as char;
    let mut sources = BTreeMap::new();
    let mut found = BTreeSet::new();
    for fields in event_lines(&text) {
        match fields[0] {
            "15" => drop(sources.insert(fields[6], letter(fields[5]))),
            "16" => drop(found.insert(format!("{}{}", sources[fields[6]], letter(fields[5])))),
            _ => {}
        }
    }
    assert_eq!(found.len(), sources.len());
    found
}

fn set(text: &str) -> BTreeSet<String> {
    text.split(' ').map(str::to_string).collect()
}

#[test]
fn the_patterns_of_the_thesis() {
    assert_eq!(pairs(5, Pattern::Ring), set("AB BC CD DE EA"));
    assert_eq!(pairs(3, Pattern::Full), set("AB AC BA BC CA CB"));
    assert_eq!(pairs(4, Pattern::Star), set("AB AC AD BA CA DA"));
    // Seven processes: A is the master of B and C, which are those of D, E and of F, G.
    let expected = set("AB AC BD BE CF CG DB EB FC GC BA CA");
    assert_eq!(pairs(7, Pattern::HierarchicalStar { children: 2 }), expected);
}

#[test]
fn everything_is_closed_and_times_never_go_back() {
    for pattern in PATTERNS {
        for leaves in [1, 2, 3, 8, 33] {
            let mut options = options(leaves, pattern);
            options.hierarchy.rounds = 3;
            check(&text(&options));
        }
    }
}

#[test]
fn a_ring_is_one_message_after_the_other() {
    let text = text(&options(9, Pattern::Ring));
    let ends: Vec<&str> =
        event_lines(&text).iter().map(|fields| fields[0]).filter(|id| ["15", "16"].contains(id)).collect();
    assert_eq!(ends, ["15", "16"].repeat(9));
}

#[test]
fn impossible_patterns_are_refused() {
    let none = options(5, Pattern::HierarchicalStar { children: 0 });
    assert!(communication(&none, &mut Vec::new()).is_err());
    let six = communication(&options(6, Pattern::BinarySwap), &mut Vec::new());
    assert!(six.is_err_and(|error| error.to_string().contains("two-three-swap takes any number")));
    let mut short = options(5, Pattern::Ring);
    short.hierarchy.duration = 19;
    assert!(communication(&short, &mut Vec::new()).is_err());
}

/// The checksums that `tests/oracles/synth_thesis.py PATTERN 2x7 20000000000 7500000 3 0 7` prints.
#[test]
fn another_program_writes_the_same_bytes() {
    let checksums = PATTERNS.map(|pattern| {
        let mut options = options(7, pattern);
        options.hierarchy = HierarchyOptions { shape: vec![2, 7], rounds: 3, seed: 7, ..options.hierarchy };
        checksum(&text(&options))
    });
    assert_eq!(
        checksums,
        [
            "9c21bbd3beaf9f93",
            "0480ea18dc10f7bc",
            "4660f6c7074cd184",
            "472854fd4c08555f",
            "ad0d2f8d5c0cc129",
            "c8b0a427ac0ef12f",
            "8b14287b02dec556",
        ]
    );
}

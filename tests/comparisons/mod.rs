//! Two runs compared: planted changes are found where they were planted, and every finding has a query that runs.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use ocellus_engine::Engine;

use crate::suite::{answer, engine_on};
use crate::support::block_on;

fn rows(engine: &Engine, sql: &str) -> Vec<Vec<String>> {
    block_on(answer(engine, sql)).unwrap_or_else(|error| panic!("{sql}: {error}")).rows
}

/// Whole numbers that look random, and are the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A program of rounds of a second on machines of equal size, and what is changed in a second run of it.
#[derive(Debug)]
struct PlantedChange {
    machines: u64,
    ranks: u64,
    /// Tenths of a second that everybody computes in each round.
    rounds: Vec<u64>,
    machine: u64,
    /// `None` for the whole machine.
    rank: Option<u64>,
    first: u64,
    last: u64,
}

impl PlantedChange {
    fn new(seed: u64) -> PlantedChange {
        let mut dice = Dice(seed);
        let (machines, ranks, length) = (2 + dice.below(3), 2 + dice.below(3), 8 + dice.below(9));
        let rounds = (0..length).map(|_| 2 + dice.below(4)).collect();
        let (machine, rank) = (dice.below(machines), (dice.below(2) == 0).then(|| dice.below(ranks)));
        // A round of the change at least, and one outside of it.
        let first = dice.below(length - 1);
        let last = first + dice.below(length - 1 - first);
        PlantedChange { machines, ranks, rounds, machine, rank, first, last }
    }

    fn container(&self) -> String {
        match self.rank {
            Some(rank) => format!("rank-{}-{rank}", self.machine),
            None => format!("machine-{}", self.machine),
        }
    }

    fn has(&self, round: u64, machine: u64, rank: u64) -> bool {
        (self.first..=self.last).contains(&round)
            && machine == self.machine
            && self.rank.is_none_or(|changed| changed == rank)
    }

    /// Writes a run: computation, then waiting, in every round. A change is 0.4 s more of computation.
    fn write(&self, path: &Path, is_changed: bool) {
        let mut text = fs::read_to_string(crate::support::checkout().join("traces/rounds.trace")).expect("a trace");
        // The definitions of the sample.
        text.truncate(text.find("7 0 c C 0 cluster").expect("a first container"));
        text.push_str("7 0 c C 0 cluster\n");
        let ranks = || (0..self.machines).flat_map(|machine| (0..self.ranks).map(move |rank| (machine, rank)));
        for (machine, rank) in ranks() {
            if rank == 0 {
                writeln!(text, "7 0 m{machine} M c machine-{machine}").expect("text");
            }
            writeln!(text, "7 0 r{machine}_{rank} R m{machine} rank-{machine}-{rank}").expect("text");
        }
        for (round, computed) in (0..).zip(&self.rounds) {
            for (machine, rank) in ranks() {
                writeln!(text, "10 {round} S r{machine}_{rank} compute").expect("text");
            }
            for more in [0, 4] {
                for (machine, rank) in ranks() {
                    if (more == 4) == (is_changed && self.has(round, machine, rank)) {
                        writeln!(text, "10 {round}.{} S r{machine}_{rank} wait", computed + more).expect("text");
                    }
                }
            }
        }
        writeln!(text, "8 {} C c", self.rounds.len()).expect("text");
        fs::write(path, text).expect("a file");
    }
}

/// A change of random size and place is one area of a partition that `difference_levels` lists, and nothing else differs.
#[test]
fn planted_changes_are_isolated() {
    let folder = tempfile::tempdir().expect("a folder");
    for seed in 0..12 {
        let change = PlantedChange::new(seed);
        let paths = ["before", "after"].map(|name| folder.path().join(format!("{name}.trace")));
        change.write(&paths[0], false);
        change.write(&paths[1], true);
        let (_store, engine) = engine_on(&paths.map(|path| path.to_string_lossy().into_owned()));
        let runs = format!("'before', 'after', slices => {}", change.rounds.len());
        let expected = vec![vec![change.container(), change.first.to_string(), change.last.to_string()]];
        let levels = rows(&engine, &format!("SELECT p FROM difference_levels({runs}) ORDER BY p"));
        assert!(levels.len() > 1, "seed {seed}: {change:?}");
        let is_isolated = |level: &Vec<String>| {
            let changed = rows(
                &engine,
                &format!(
                    "SELECT container, first_slice, last_slice FROM difference_partition({runs}, p => {}) \
                     WHERE abs(difference) > 1e-6",
                    level[0]
                ),
            );
            changed == expected
        };
        assert!(levels.iter().any(is_isolated), "seed {seed}: {change:?}");
        // The run and itself is one area at every p.
        for p in ["0", "0.5", "1"] {
            let same = format!("SELECT count(*) FROM difference_partition('before', 'before', p => {p})");
            assert_eq!(rows(&engine, &same), [["1"]], "seed {seed}, p => {p}");
        }
    }
}

/// Every query that findings name runs, and gives rows.
#[test]
fn the_evidence_of_findings_runs() {
    let traces = ["rounds", "rounds_again", "nested", "nested_again", "quickstart", "one_rank_per_host"];
    let (_store, engine) = engine_on(&traces.map(|name| format!("traces/{name}.trace")));
    let mapping = "(SELECT 'process 1' AS left_path, 'process 2' AS right_path), ";
    let mut proven = 0;
    for (mapping, left, right, more) in [
        ("", "rounds", "rounds_again", ""),
        ("", "rounds", "rounds_again", ", align => 'start', depth => 1"),
        ("", "nested", "nested_again", ""),
        (mapping, "nested", "nested_again", ""),
        ("", "quickstart", "one_rank_per_host", ", by => 'name'"),
    ] {
        let findings = format!("SELECT evidence FROM run_findings({mapping}'{left}', '{right}'{more}) ORDER BY rank");
        for finding in rows(&engine, &findings) {
            assert!(!rows(&engine, &finding[0]).is_empty(), "{}", finding[0]);
            proven += 1;
        }
    }
    assert!(proven >= 10, "{proven} findings");
}

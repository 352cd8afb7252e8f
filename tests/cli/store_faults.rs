//! Commands that change a store, with a fault or a kill at each of their file-system calls, and out of memory at
//! allocations: the store is as before or as after, what was said is true, and the next change clears up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::faults::{MODES, library};
use super::sandbox::{Sandbox, text};

/// Traces, their rows, and what is attached to them.
const QUESTION: &str = "SELECT trace, count(*) AS n, min(value) AS first FROM all_traces.states GROUP BY 1 ORDER BY 1";

/// A store with the traces `one` and `two`, and a command that changes a copy of it.
struct StoreTrial {
    sandbox: Sandbox,
    /// `STORE` stands for the folder.
    command: &'static [&'static str],
    /// What is asked before and after.
    question: &'static [&'static str],
}

/// What a run was told to do wrong.
type Settings<'a> = [(&'a str, &'a str)];

impl StoreTrial {
    fn new(command: &'static [&'static str], question: &'static [&'static str]) -> StoreTrial {
        let sandbox = Sandbox::new();
        fs::write(sandbox.path("other.trace"), super::sandbox::TRACE.replace("compute", "think")).expect("written");
        fs::write(sandbox.path("net.dot"), "graph net { rank0 -- rank1 [bandwidth=\"1\"]; }\n").expect("written");
        for name in ["one", "two"] {
            sandbox.stdout(&["import", "run.trace", "--store", "kept", "--name", name]);
        }
        StoreTrial { sandbox, command, question }
    }

    fn store(&self) -> PathBuf {
        self.sandbox.path("perf")
    }

    fn reset(&self) {
        let _ = fs::remove_dir_all(self.store());
        copy(&self.sandbox.path("kept"), &self.store());
    }

    fn run(&self, library: &Path, settings: &Settings<'_>) -> Output {
        let store = self.store();
        let store = store.to_str().expect("a path in UTF-8");
        let words: Vec<&str> = self.command.iter().map(|word| if *word == "STORE" { store } else { word }).collect();
        let mut command = self.sandbox.command(&words);
        command.env("LD_PRELOAD", library).env("FAULT_ROOT", store).envs(settings.iter().copied());
        command.output().expect("the program runs")
    }

    fn answer(&self) -> String {
        let store = self.store();
        let store = store.to_str().expect("a path in UTF-8");
        let words: Vec<&str> = self.question.iter().map(|word| if *word == "STORE" { store } else { word }).collect();
        self.sandbox.stdout(&words)
    }

    /// Answers before and after the command, and a number that its run without faults wrote.
    fn known(&self, library: &Path, count: &str) -> (String, String, u64) {
        self.reset();
        let before = self.answer();
        let counted = self.sandbox.path("count");
        let output = self.run(library, &[(count, counted.to_str().expect("a path in UTF-8"))]);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let after = self.answer();
        let count = fs::read_to_string(counted).expect("a count").parse().expect("a number");
        assert!(count > 5, "only {count} were seen");
        (before, after, count)
    }

    /// Checks what a run left: `before` and `after` are the answers without faults.
    fn check(&self, output: &Output, (before, after): (&str, &str), what: &str) {
        let found = self.answer();
        let said = text(&output.stderr);
        match output.status.code() {
            Some(0) => assert_eq!(found, after, "{what}: {said}"),
            Some(_) => {
                assert_eq!(found, before, "{what}: {said}");
                assert!(said.contains("error"), "{what}: {said}");
            }
            None => assert!(found == before || found == after, "{what}: {found}\n{said}"),
        }
        // The next change leaves one folder for each trace, and nothing else.
        let store = self.store();
        self.sandbox.stdout(&[
            "import",
            "run.trace",
            "--store",
            store.to_str().expect("a path in UTF-8"),
            "--name",
            "last",
        ]);
        let traces = self.sandbox.stdout(&[
            "sql",
            store.to_str().expect("a path in UTF-8"),
            "SELECT count(DISTINCT trace) AS n FROM all_traces.states",
            "--format",
            "csv",
        ]);
        let folders = names(&store).iter().filter(|name| !name.starts_with("ocellus.")).count();
        assert_eq!(traces, format!("n\n{folders}\n"), "{what}: {:?} are left", names(&store));
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let place = to.join(entry.file_name());
        match entry.file_type().expect("a kind").is_dir() {
            true => copy(&entry.path(), &place),
            false => drop(fs::copy(entry.path(), place).expect("copied")),
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

/// Every call fails once, and is the last one once; every third is the first of many that fail.
fn survive_faults(trial: &StoreTrial) {
    let library = library("faults");
    let (before, after, calls) = trial.known(&library, "FAULT_COUNT");
    assert_ne!(before, after);
    for call in 1..=calls {
        for mode in MODES.into_iter().filter(|mode| *mode != "broken" || call % 3 == 0) {
            trial.reset();
            let output = trial.run(&library, &[("FAULT_AT", &call.to_string()), ("FAULT_MODE", mode)]);
            trial.check(&output, (&before, &after), &format!("{mode} at call {call} of {calls}"));
        }
    }
}

const STATES: [&str; 5] = ["sql", "STORE", QUESTION, "--format", "csv"];

#[test]
fn drop_survives_faults() {
    survive_faults(&StoreTrial::new(&["drop", "STORE", "one"], &STATES));
}

#[test]
fn rename_survives_faults() {
    survive_faults(&StoreTrial::new(&["rename", "STORE", "one", "uno"], &STATES));
}

#[test]
fn import_survives_faults() {
    survive_faults(&StoreTrial::new(&["import", "other.trace", "--store", "STORE", "--name", "three"], &STATES));
}

#[test]
fn replacing_survives_faults() {
    let command = &["import", "other.trace", "--store", "STORE", "--name", "two", "--replace"];
    survive_faults(&StoreTrial::new(command, &STATES));
}

#[test]
fn attaching_survives_faults() {
    let command = &["attach", "STORE", "--trace", "one", "--topology", "net.dot"];
    let question = &["sql", "STORE", "SELECT count(*) AS n FROM one.topology_edges", "--format", "csv"];
    survive_faults(&StoreTrial::new(command, question));
}

/// One allocation in many fails, which ends a program of Rust: the store is as before or as after.
fn survive_want_of_memory(trial: &StoreTrial, step: usize) {
    let library = library("allocations");
    let (before, after, allocations) = trial.known(&library, "ALLOCATION_COUNT");
    for at in (1..=allocations).step_by(step) {
        trial.reset();
        let output = trial.run(&library, &[("ALLOCATION_AT", &at.to_string()), ("RUST_BACKTRACE", "0")]);
        trial.check(&output, (&before, &after), &format!("allocation {at} of {allocations} fails"));
    }
}

#[test]
fn import_survives_want_of_memory() {
    let command = &["import", "other.trace", "--store", "STORE", "--name", "two", "--replace"];
    survive_want_of_memory(&StoreTrial::new(command, &STATES), 67);
}

#[test]
fn a_query_in_want_of_memory_gives_all_rows_or_says_so() {
    let trial = StoreTrial::new(&STATES, &STATES);
    let library = library("allocations");
    let (before, _, allocations) = trial.known(&library, "ALLOCATION_COUNT");
    for at in (1..=allocations).step_by(97) {
        let output = trial.run(&library, &[("ALLOCATION_AT", &at.to_string()), ("RUST_BACKTRACE", "0")]);
        let (said, what) = (text(&output.stderr), format!("allocation {at} of {allocations} fails"));
        match output.status.success() {
            true => assert_eq!(text(&output.stdout), before, "{what}: {said}"),
            false => assert!(!said.is_empty(), "{what}: nothing was said"),
        }
    }
    assert_eq!(trial.answer(), before);
}

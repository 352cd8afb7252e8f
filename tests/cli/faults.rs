//! Commands that write, with a fault or a kill at each of their file-system calls: afterwards the output is as before
//! or as after, what the command said is true, and the next command leaves nothing else in the folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use tempfile::TempDir;

use super::sandbox::{SUMS, Sandbox, text};

/// A library that makes calls fail; the head of its source says how.
pub(super) fn library(name: &str) -> PathBuf {
    static LIBRARIES: OnceLock<TempDir> = OnceLock::new();
    let folder = LIBRARIES.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["faults", "allocations"] {
            let source = super::checkout::checkout().join(format!("tests/support/{name}.c"));
            let built = Command::new("cc")
                .args(["-shared", "-fPIC", "-O1", "-o"])
                .args([folder.path().join(format!("{name}.so")), source])
                .status()
                .expect("cc, which links programs of Rust, runs");
            assert!(built.success());
        }
        folder
    });
    folder.path().join(format!("{name}.so"))
}

/// All files below a folder with their content; `None` for a folder.
type Content = BTreeMap<PathBuf, Option<Vec<u8>>>;

fn content(folder: &Path) -> Content {
    let mut found = Content::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(content(&path));
            found.insert(path, None);
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.insert(path, Some(bytes));
        }
    }
    found
}

/// Without what a killed program may leave until the next one.
fn without_partial(mut content: Content) -> Content {
    content.retain(|path, _| !path.to_string_lossy().contains("/.ocellus-"));
    content
}

/// A command that replaces the output of another.
struct Trial<'a> {
    sandbox: Sandbox,
    /// Below a folder of its own.
    output: PathBuf,
    /// The arguments that wrote what is there before.
    before: &'a [&'a str],
    /// The arguments that are tried.
    command: &'a [&'a str],
    renames: Renames,
}

/// What the file system can do.
#[derive(Clone, Copy, PartialEq)]
enum Renames {
    Exchange,
    Plain,
}

impl Trial<'_> {
    fn new<'a>(output: &str, before: &'a [&'a str], command: &'a [&'a str], renames: Renames) -> Trial<'a> {
        let sandbox = Sandbox::new();
        fs::write(sandbox.path("other.trace"), super::sandbox::TRACE.replace("compute", "think")).expect("written");
        fs::create_dir(sandbox.path("out")).expect("a folder");
        Trial { output: sandbox.path("out").join(output), sandbox, before, command, renames }
    }

    fn folder(&self) -> PathBuf {
        self.sandbox.path("out")
    }

    fn run(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
        let output = self.output.to_str().expect("a path in UTF-8");
        let mut command = self.sandbox.command(&[arguments, &["-o", output]].concat());
        command.env("LD_PRELOAD", library("faults")).env("FAULT_ROOT", self.folder());
        if self.renames == Renames::Plain {
            command.env("FAULT_NO_EXCHANGE", "1");
        }
        command.envs(settings.iter().copied()).output().expect("the program runs")
    }

    fn succeed(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Content {
        let output = self.run(arguments, settings);
        assert!(output.status.success(), "{}", text(&output.stderr));
        content(&self.folder())
    }

    fn reset(&self, before: &Content) {
        fs::remove_dir_all(self.folder()).expect("removed");
        fs::create_dir(self.folder()).expect("made");
        for (path, bytes) in before {
            let folder = if bytes.is_none() { path } else { path.parent().expect("a folder") };
            fs::create_dir_all(folder).expect("made");
            if let Some(bytes) = bytes {
                fs::write(path, bytes).expect("written");
            }
        }
    }

    /// Tries every call in every mode.
    fn check(&self) {
        self.check_some(|calls| (1..=calls).flat_map(|call| MODES.map(|mode| (call, mode))).collect());
    }

    /// Tries the calls and modes that are chosen of a number of calls.
    fn check_some(&self, choose: impl Fn(u64) -> Vec<(u64, &'static str)>) {
        let before = self.succeed(self.before, &[]);
        let counted = self.sandbox.path("calls");
        // The first time fills the cache.
        self.succeed(self.command, &[]);
        self.reset(&before);
        let after = self.succeed(self.command, &[("FAULT_COUNT", counted.to_str().expect("a path in UTF-8"))]);
        assert_ne!(before, after);
        assert_eq!(without_partial(after.clone()), after);
        let calls: u64 = fs::read_to_string(counted).expect("a count").parse().expect("a number");
        assert!(calls > 5, "{calls} calls were seen");
        for (call, mode) in choose(calls) {
            self.reset(&before);
            let output = self.run(self.command, &[("FAULT_AT", &call.to_string()), ("FAULT_MODE", mode)]);
            self.check_outcome(&output, &before, &after, &format!("{mode} at call {call} of {calls}"));
        }
    }

    fn check_outcome(&self, output: &Output, before: &Content, after: &Content, what: &str) {
        let (said, found) = (text(&output.stderr), without_partial(content(&self.folder())));
        let (is_before, is_after) = (found == *before, found == *after);
        match output.status.code() {
            Some(0) => assert!(is_after, "{what}: it did not happen: {said}"),
            // The old content may be aside when nothing more could be done; then the message says where.
            Some(_) if !is_before => {
                assert!(self.renames == Renames::Plain && said.contains("whose old content is in"), "{what}: {said}");
            }
            Some(_) => assert!(said.contains("error"), "{what}: {said}"),
            None => {
                assert_eq!(output.status.signal(), Some(9), "{what}: {said}");
                // Between two renames the old one is aside.
                assert!(is_before || is_after || self.renames == Renames::Plain, "{what}: neither before nor after");
            }
        }
        // Any command that writes into the folder removes what is left, and brings back what is aside.
        let next = self.folder().join("next.trace");
        let arguments = ["generate", "containers", "--count", "1", "-o", next.to_str().expect("a path in UTF-8")];
        self.sandbox.stdout(&arguments);
        let mut found = content(&self.folder());
        assert!(found.remove(&next).is_some());
        let expected = if is_after { after } else { before };
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{what}: something is left");
        assert!(found == *expected, "{what}: the content is neither the old nor the new one");
    }
}

/// How a call goes wrong; the head of the library describes them.
pub(super) const MODES: [&str; 3] = ["fail", "broken", "kill"];

const SUMS_BEFORE: [&str; 4] = ["export", "run.trace", "SELECT 1 AS n", "--force"];

#[test]
fn export_survives_faults() {
    Trial::new("x.csv", &SUMS_BEFORE, &["export", "run.trace", SUMS, "--force"], Renames::Exchange).check();
    Trial::new("x.parquet", &SUMS_BEFORE, &["export", "run.trace", SUMS, "--force"], Renames::Exchange).check();
}

#[test]
fn partitioned_export_survives_faults() {
    let sql = "SELECT value, start_time FROM states ORDER BY 1, 2";
    let before = ["export", "run.trace", "SELECT 1 AS n, 2 AS m", "--partition-by", "n"];
    let command = ["export", "run.trace", sql, "--partition-by", "value", "--force"];
    for renames in [Renames::Exchange, Renames::Plain] {
        Trial::new("x", &before, &command, renames).check();
    }
}

#[test]
fn sql_survives_faults() {
    Trial::new("x.csv", &["sql", "run.trace", "SELECT 1 AS n"], &["sql", "run.trace", SUMS], Renames::Exchange).check();
}

#[test]
fn draw_survives_faults() {
    let (before, command) = (["draw", "other.trace", "timeline"], ["draw", "run.trace", "timeline", "--force"]);
    Trial::new("x.svg", &before, &command, Renames::Exchange).check();
}

#[test]
fn generate_survives_faults() {
    let before = ["generate", "containers", "--count", "3"];
    let command = ["generate", "containers", "--count", "4"];
    Trial::new("x.trace", &before, &command, Renames::Exchange).check();
}

#[test]
fn report_survives_faults() {
    let (before, command) = (["report", "other.trace"], ["report", "run.trace", "--force"]);
    // A report takes long, and most of its calls write into a folder without a name: some of them in turns of
    // the modes, and all of the last, which give it its name.
    Trial::new("x", &before, &command, Renames::Exchange).check_some(|calls| {
        let is_chosen = |call: &u64| *call % 499 == 1 || *call + 5 > calls;
        (1..=calls).filter(is_chosen).zip(MODES.into_iter().cycle()).collect()
    });
}

/// Only the last sync of the folder fails: the file is there, and the command says so.
#[test]
fn a_failed_last_sync_is_a_warning() {
    let trial = Trial::new("x.csv", &SUMS_BEFORE, &["export", "run.trace", SUMS, "--force"], Renames::Exchange);
    let counted = trial.sandbox.path("calls");
    trial.succeed(trial.command, &[]);
    trial.succeed(trial.command, &[("FAULT_COUNT", counted.to_str().expect("a path in UTF-8"))]);
    let last = fs::read_to_string(counted).expect("a count");
    let output = trial.run(trial.command, &[("FAULT_AT", &last), ("FAULT_MODE", "fail")]);
    let said = text(&output.stderr);
    assert!(output.status.success() && said.contains("warning: ") && said.contains("is written, but"), "{said}");
}

/// A store on a full disk, where space comes from removed files only.
#[test]
fn a_trace_is_dropped_on_a_full_disk() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", name]);
    }
    let store = sandbox.path("perf");
    let full = |arguments: &[&str]| {
        let mut command = sandbox.command(arguments);
        command.env("LD_PRELOAD", library("faults")).env("FAULT_ROOT", &store).env("FAULT_MODE", "full");
        command.output().expect("the program runs")
    };
    let perf = store.to_str().expect("a path in UTF-8");
    let renamed = full(&["rename", perf, "one", "three"]);
    assert!(!renamed.status.success() && text(&renamed.stderr).contains("No space left"), "{}", text(&renamed.stderr));
    let dropped = full(&["drop", perf, "one"]);
    assert!(dropped.status.success(), "{}", text(&dropped.stderr));
    let count = "SELECT trace, count(*) AS n FROM all_traces.states GROUP BY 1 ORDER BY 1";
    assert_eq!(sandbox.stdout(&["sql", perf, count, "--format", "csv"]), "trace,n\ntwo,4\n");
    let names: Vec<String> = fs::read_dir(&store)
        .expect("a store")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with("ocellus."))
        .collect();
    // Numbers of folders are those of changes: the store was made, one came, two came.
    assert_eq!(names, ["t000003"]);
}

/// A trace that somebody reads stays on a full disk, and the message says what to do.
#[test]
fn a_trace_in_use_is_not_dropped_on_a_full_disk() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", "one"]);
    let reader = fs::File::open(sandbox.path("perf/t000002")).expect("the folder of the trace");
    reader.lock_shared().expect("a lease");
    let mut command = sandbox.command(&["drop", sandbox.path("perf").to_str().expect("a path in UTF-8"), "one"]);
    command.env("LD_PRELOAD", library("faults")).env("FAULT_ROOT", sandbox.path("perf"));
    let output = command.env("FAULT_MODE", "full").output().expect("the program runs");
    super::sandbox::assert_fails(&output, 1, "another program reads the trace one");
    assert_eq!(sandbox.stdout(&["sql", "perf", SUMS, "--format", "csv"]), super::sandbox::SUMS_CSV);
}

/// Killed between the mark and the new manifest: the trace is gone, and the next change clears up.
#[test]
fn a_marked_trace_is_dropped() {
    let sandbox = Sandbox::new();
    for name in ["one", "two", "three"] {
        sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", name]);
    }
    fs::rename(sandbox.path("perf/t000002"), sandbox.path("perf/x000002")).expect("the mark");
    let count = "SELECT trace, count(*) AS n FROM all_traces.states GROUP BY 1 ORDER BY 1";
    assert_eq!(sandbox.stdout(&["sql", "perf", count, "--format", "csv"]), "trace,n\nthree,4\ntwo,4\n");
    sandbox.stdout(&["drop", "perf", "two"]);
    assert!(!sandbox.path("perf/x000002").exists() && !sandbox.path("perf/t000003").exists());
    assert_eq!(sandbox.stdout(&["sql", "perf", count, "--format", "csv"]), "trace,n\nthree,4\n");
}

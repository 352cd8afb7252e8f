//! A cluster without executors, or without its scheduler for a while.

use std::process::{Command, Output};
use std::time::Duration;

use crate::cluster::{assert_failed_cleanly, assert_rows, embedded, sql};
use crate::cluster_process::ClusterProcess;
use crate::support::{checkout, sample};
use crate::turns;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ocellus");
const COUNT: &str = "SELECT count(*) AS n FROM states";
/// Longer than a scheduler waits for signs of life, and longer than executors try to send them.
const ABSENCE: Duration = Duration::from_secs(13);

fn assert_no_executor(output: &Output, scheduler: &str) {
    assert_failed_cleanly(output);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains(&format!("no executor has worked for the scheduler {scheduler}")), "{error}");
    assert!(error.contains("--cluster-wait"), "{error}");
}

#[test]
fn without_executors_queries_and_imports_fail() {
    let _turn = turns::beside_others();
    let (_scheduler, address) = ClusterProcess::start(&["scheduler", "--bind", "127.0.0.1:0"]);
    let trace = sample("quickstart.trace");
    let trace = trace.to_str().expect("UTF-8");
    for wait in ["0", "1"] {
        assert_no_executor(&sql(&["--cluster", &address, "--cluster-wait", wait], trace, COUNT), &address);
    }
    let store = tempfile::tempdir().expect("a folder");
    let mut import = Command::new(PROGRAM);
    import.args(["import", "--cluster", &address, "--cluster-wait", "1", "traces/paper.trace", "--store"]);
    let output = import.arg(store.path()).current_dir(checkout()).output().expect("a process");
    assert_no_executor(&output, &address);
}

#[test]
fn a_query_fails_when_its_last_executor_is_gone() {
    let _turn = turns::beside_others();
    let (_scheduler, address) = ClusterProcess::start(&["scheduler", "--bind", "127.0.0.1:0"]);
    let (executor, _) = ClusterProcess::start(&["executor", "--scheduler", &address]);
    let trace = sample("quickstart.trace");
    let trace = trace.to_str().expect("UTF-8");
    let ask = |query: &str| sql(&["--cluster", &address, "--cluster-wait", "5"], trace, query);
    assert_rows(&ask(COUNT), &embedded(trace, COUNT));
    // The scheduler does not know yet that it is gone, and gives it the tasks.
    executor.signal("-STOP");
    let outcome = ask(COUNT);
    executor.signal("-KILL");
    assert_no_executor(&outcome, &address);
}

#[test]
fn executors_outlive_the_absence_of_their_scheduler() {
    let _turn = turns::beside_others();
    let (scheduler, address) = ClusterProcess::start(&["scheduler", "--bind", "127.0.0.1:0"]);
    let executor = |_| ClusterProcess::start(&["executor", "--scheduler", &address]).0;
    let mut executors: Vec<ClusterProcess> = (0..2).map(executor).collect();
    let trace = sample("quickstart.trace");
    let trace = trace.to_str().expect("UTF-8");
    let rows = embedded(trace, COUNT);
    let ask = || sql(&["--cluster", &address, "--cluster-wait", "60"], trace, COUNT);
    assert_rows(&ask(), &rows);
    scheduler.signal("-STOP");
    std::thread::sleep(ABSENCE);
    scheduler.signal("-CONT");
    assert_rows(&ask(), &rows);
    // Another one in its place.
    drop(scheduler);
    std::thread::sleep(ABSENCE);
    let (scheduler, again) = ClusterProcess::start(&["scheduler", "--bind", &address]);
    assert_eq!(again, address);
    assert_rows(&ask(), &rows);
    executors.iter_mut().for_each(ClusterProcess::assert_runs);
    // One that does not come back is not waited for without end.
    let (impatient, _) = ClusterProcess::start(&["executor", "--scheduler", &address, "--scheduler-wait", "1"]);
    drop(scheduler);
    assert_eq!(impatient.end().code(), Some(1));
}

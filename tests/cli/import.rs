//! `ocellus import`: what is refused, and which unit times are in.

use std::fs;

use crate::checkout;
use crate::sandbox::{Sandbox, TRACE, assert_fails, stdout_of, text};

/// The trace with commas in the place of blanks in every line that is no definition.
fn lost_trace() -> String {
    let spoil = |line: &str| if line.starts_with('%') { line.to_string() } else { line.replace(' ', ",") };
    TRACE.lines().map(|line| spoil(line) + "\n").collect()
}

#[test]
fn a_trace_of_which_all_is_lost_is_refused_and_the_store_stays_as_it_was() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("lost.trace"), lost_trace()).expect("written");
    // Ten lines are events; the first three are shown.
    let output = sandbox.run(&["import", "lost.trace", "--store", "perf"]);
    assert_fails(&output, 1, "nothing in lost.trace could be used: 10 lines were lost");
    let message = text(&output.stderr);
    for (line, words) in [(29, "1,R,0,Rank"), (30, "2,S,R,State"), (31, "3,0,r0,R,0,rank0")] {
        let shown = message.lines().any(|text| text.contains(&format!("line {line}: ")) && text.contains(words));
        assert!(shown, "line {line}: {message}");
    }
    assert!(!message.contains("rank1") && message.contains("ocellus validate lost.trace lists all"), "{message}");
    assert!(!sandbox.path("perf").exists(), "no store is made for nothing");

    sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", "lu"]);
    let before = fs::read(sandbox.path("perf/ocellus.json")).expect("a manifest");
    let again = ["import", "lost.trace", "--store", "perf", "--name", "lu", "--replace"];
    assert_fails(&sandbox.run(&again), 1, "nothing in lost.trace could be used");
    assert_eq!(fs::read(sandbox.path("perf/ocellus.json")).expect("a manifest"), before);
    assert_eq!(
        fs::read_dir(sandbox.path("perf")).expect("a folder").flatten().filter(|e| e.path().is_dir()).count(),
        1
    );

    for command in [&["sql", "lost.trace", "SELECT 1"][..], &["draw", "lost.trace", "timeline", "-o", "x.svg"]] {
        assert_fails(&sandbox.run(command), 1, "nothing in");
    }
    // Definitions alone are a trace.
    let header: String = TRACE.lines().filter(|line| line.starts_with('%')).map(|line| format!("{line}\n")).collect();
    fs::write(sandbox.path("empty.trace"), header).expect("written");
    let summary = sandbox.stdout(&["import", "empty.trace", "--store", "perf"]);
    assert!(summary.contains("empty-trace"), "{summary}");
}

#[test]
fn what_is_no_trace_is_refused() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("notes.txt"), "These are notes.\nThey are no trace.\n").expect("written");
    for command in [&["import", "notes.txt", "--store", "perf"][..], &["sql", "notes.txt", "SELECT 1"]] {
        assert_fails(&sandbox.run(command), 1, "notes.txt");
    }
    assert!(!sandbox.path("perf").exists(), "no store is made for nothing");
}

#[test]
fn the_unit_of_starpu_is_recognized_and_can_be_overridden() {
    let sandbox = Sandbox::new();
    let trace = checkout::sample("starpu.trace").to_str().expect("a path in UTF-8").to_string();
    let summary = sandbox.stdout(&["import", &trace, "--store", "perf", "--name", "ms"]);
    assert!(summary.contains("0 s to 0.005 s, 0.005 s long, resolved to 1 ns, read as ms"), "{summary}");
    assert!(summary.contains("written by StarPU, whose times are in milliseconds"), "{summary}");
    for (unit, end) in [("s", "5.0"), ("ms", "0.005"), ("us", "0.000005"), ("ns", "0.000000005")] {
        let sql = "SELECT time_unit, CAST(end_time AS DECIMAL(12, 9)) FROM trace_info";
        let answer = sandbox.stdout(&["sql", &trace, "--time-unit", unit, sql, "--format", "csv"]);
        let end: f64 = end.parse().expect("a number");
        assert_eq!(answer.lines().nth(1), Some(format!("{unit},{end:.9}").as_str()), "{answer}");
    }
    let given = sandbox.stdout(&[
        "sql",
        &trace,
        "--time-unit",
        "ms",
        "SELECT count(*) FROM diagnostics WHERE code = 'time-unit'",
    ]);
    assert!(given.contains(" 0 "), "nothing was recognized where the user says it: {given}");
    // As pj_dump: the numbers of the file.
    let dump = sandbox.run(&["dump", &trace, "-l", "6"]);
    let expected = "State, CPU 1, Worker State, 2.250000, 4.500001, 2.250001, 0.000000, potrf";
    assert!(stdout_of(&dump).lines().any(|line| line == expected), "{}", text(&dump.stdout));
    let dump = sandbox.stdout(&["dump", &trace, "-l", "6", "--time-unit", "ms"]);
    assert!(dump.contains("State, CPU 1, Worker State, 0.002250, 0.004500, 0.002250, 0.000000, potrf"), "{dump}");
    // Seconds are seconds.
    let summary = sandbox.stdout(&["import", "run.trace", "--store", "perf"]);
    assert!(summary.contains("resolved to 1 ns\n"), "{summary}");
}

//! `ocellus convert`: the extension says the format, and what was written is read as the trace was.

use std::fs;

use super::sandbox::{SUMS, SUMS_CSV, Sandbox, assert_fails, text};

#[test]
fn a_trace_that_was_converted_gives_the_same_answers() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["convert", "run.trace", "-o", "run.paje"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stderr).starts_with("wrote "), "{}", text(&output.stderr));
    assert_eq!(sandbox.stdout(&["sql", "run.paje", SUMS, "--format", "csv"]), SUMS_CSV);
    sandbox.stdout(&["convert", "run.paje", "-o", "run.out", "--format", "json"]);
    let count = ["SELECT count(*) AS n FROM states", "--format", "csv"];
    let before = sandbox.stdout(&[&["sql", "run.trace"], &count[..]].concat());
    fs::rename(sandbox.path("run.out"), sandbox.path("run.json")).expect("a file");
    assert_eq!(sandbox.stdout(&[&["sql", "run.json"], &count[..]].concat()), before);
    sandbox.stdout(&["convert", "run.trace", "-o", "run.pftrace"]);
    assert_eq!(sandbox.stdout(&["sql", "run.pftrace", SUMS, "--format", "csv"]), SUMS_CSV);
}

#[test]
fn files_are_kept_and_formats_are_named() {
    let sandbox = Sandbox::new();
    assert_fails(
        &sandbox.run(&["convert", "run.trace", "-o", "run.xyz"]),
        2,
        "paje, trace, json, pftrace and perfetto-trace",
    );
    fs::write(sandbox.path("old.paje"), "old").expect("written");
    assert_fails(&sandbox.run(&["convert", "run.trace", "-o", "old.paje"]), 2, "--force");
    assert_eq!(fs::read_to_string(sandbox.path("old.paje")).expect("a file"), "old");
    sandbox.stdout(&["convert", "run.trace", "-o", "old.paje", "--force"]);
    assert!(fs::read_to_string(sandbox.path("old.paje")).expect("a file").contains("%EventDef PajePushState"));
}

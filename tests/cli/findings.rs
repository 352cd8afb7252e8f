//! `findings()` of planted causes: the cause comes first, every evidence runs, and every picture is drawn.

use std::fs;

use serde_json::Value;

use crate::sandbox::{Sandbox, stdout_of};

/// The findings of a generated run, as JSON, and what was planted.
fn findings(sandbox: &Sandbox, kind: &str, shape: &str, seed: &str) -> (Vec<Value>, Value) {
    let name = format!("{kind}.trace");
    let generated =
        ["generate", "fault", "--kind", kind, "--shape", shape, "--seed", seed, "--ranks", "16", "-o", &name];
    let truth: &[&str] = if kind == "none" { &[] } else { &["--truth", "truth.json"] };
    stdout_of(&sandbox.run(&[&generated, truth].concat()));
    let found = stdout_of(&sandbox.run(&["sql", &name, "SELECT * FROM findings() ORDER BY rank", "--format", "json"]));
    let found: Vec<Value> = serde_json::from_str(found.trim()).unwrap_or_default();
    let truth = fs::read_to_string(sandbox.path("truth.json")).unwrap_or_else(|_| "{}".to_string());
    (found, serde_json::from_str(&truth).expect("what was planted"))
}

/// The words of a command; those in quotes may have spaces.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![];
    for (place, part) in command.split('\'').enumerate() {
        match place % 2 {
            0 => words.extend(part.split_whitespace().map(str::to_string)),
            _ => words.push(part.to_string()),
        }
    }
    words
}

/// How much two intervals have in common, as part of both together.
fn common(one: (f64, f64), other: (f64, f64)) -> f64 {
    let shared = (one.1.min(other.1) - one.0.max(other.0)).max(0.0);
    shared / (one.1.max(other.1) - one.0.min(other.0))
}

#[test]
fn a_planted_cause_comes_first_with_evidence_that_runs_and_a_picture() {
    let number = |value: &Value, name: &str| value[name].as_f64().expect("a number");
    for (kind, shape, found_as) in [
        ("slow_rank_interval", "stencil", "slow_container"),
        ("slow_node", "pipeline", "slow_container"),
        ("deviating_interval", "master-worker", "deviating_interval"),
        ("imbalance", "all-to-all", "load_imbalance"),
        ("late_sender", "stencil", "late_sender"),
        ("late_receiver", "stencil", "late_receiver"),
        ("collective_wait", "all-to-all", "collective_wait"),
        ("serialisation", "stencil", "serialisation"),
        ("network_pair", "stencil", "network"),
        ("network_interval", "pipeline", "network"),
        ("small_messages", "stencil", "small_messages"),
        ("no_overlap", "stencil", "no_overlap"),
        ("startup", "stencil", "start_end"),
        ("drift", "master-worker", "drift"),
        ("memory_ceiling", "stencil", "resource_ceiling"),
        ("trace_quality", "stencil", "trace_quality"),
    ] {
        let sandbox = Sandbox::new();
        let (found, truth) = findings(&sandbox, kind, shape, "2");
        let first = found.first().unwrap_or_else(|| panic!("{kind} is not found"));
        assert_eq!(first["kind"], found_as, "{kind}: {found:?}");
        let interval = |value: &Value, start: &str, end: &str| (number(value, start), number(value, end));
        let shared = common(interval(first, "start_time", "end_time"), interval(&truth, "start", "end"));
        assert!(shared >= 0.7, "{kind}: {shared}");
        for finding in &found {
            let (evidence, picture) = (&finding["evidence"], &finding["picture"]);
            let query = evidence.as_str().expect("a query");
            let rows = stdout_of(&sandbox.run(&["sql", &format!("{kind}.trace"), query, "--format", "csv"]));
            assert!(rows.lines().count() > 1, "{kind}: {query}");
            let command = words(picture.as_str().expect("a command"));
            let arguments: Vec<&str> = command.iter().skip(1).map(String::as_str).collect();
            stdout_of(&sandbox.run(&arguments));
            let drawn = fs::read_to_string(sandbox.path(arguments.last().expect("a file"))).expect("a picture");
            assert!(drawn.contains("<svg"), "{kind}: {picture}");
        }
    }
}

#[test]
fn a_clean_run_has_no_finding_above_five_percent() {
    for shape in ["stencil", "master-worker", "pipeline", "all-to-all"] {
        let sandbox = Sandbox::new();
        let (found, _) = findings(&sandbox, "none", shape, "3");
        let severe: Vec<&Value> = found.iter().filter(|row| row["severity"].as_f64() > Some(0.05)).collect();
        assert!(severe.is_empty(), "{shape}: {severe:?}");
    }
}

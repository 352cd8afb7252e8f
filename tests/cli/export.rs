//! `ocellus export` from outside: files and folders of Parquet.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use super::sandbox::{SUMS, SUMS_CSV, Sandbox, assert_fails, text};

const STATES: &str = "SELECT container, value, start_time FROM states ORDER BY 1, 3";

/// All files below a folder, with their folders.
fn files(folder: &Path) -> Vec<String> {
    let mut found = vec![];
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        match path.is_dir() {
            true => found.extend(files(&path).into_iter().map(|file| format!("{name}/{file}"))),
            false => found.push(name),
        }
    }
    found.sort();
    found
}

fn left_behind(sandbox: &Sandbox) -> Vec<String> {
    files(sandbox.folder.path()).into_iter().filter(|name| name.contains("partial")).collect()
}

#[test]
fn values_become_folders_of_parquet() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["export", "run.trace", STATES, "-o", "out", "--partition-by", "container,value"]);
    assert!(text(&output.stderr).starts_with("wrote 4 rows to out ("), "{}", text(&output.stderr));
    let expected: Vec<String> = ["rank0", "rank1"]
        .iter()
        .flat_map(|rank| ["compute", "wait"].map(|value| format!("container={rank}/value={value}/part-0.parquet")))
        .collect();
    assert_eq!(files(&sandbox.path("out")), expected);
    let sql = "SELECT * FROM 'out/container=rank1/value=wait/part-0.parquet'";
    assert_eq!(sandbox.stdout(&["sql", "run.trace", sql, "--format", "csv"]), "start_time\n1.0\n");
    assert_eq!(left_behind(&sandbox), Vec::<String>::new());
}

#[test]
fn odd_values_are_escaped() {
    let sandbox = Sandbox::new();
    let sql = "SELECT * FROM (VALUES ('a/b=c', 1), (NULL, 2), ('100%', 3), ('', 4), ('../x', 5)) AS t(k, n)";
    sandbox.stdout(&["export", "run.trace", sql, "-o", "deep/out", "--partition-by", "k"]);
    let expected = ["k=..%2Fx", "k=", "k=100%25", "k=__HIVE_DEFAULT_PARTITION__", "k=a%2Fb%3Dc"];
    assert_eq!(files(&sandbox.path("deep/out")), expected.map(|name| format!("{name}/part-0.parquet")));
}

#[test]
fn folders_are_replaced_only_when_told_and_only_exports() {
    let sandbox = Sandbox::new();
    let export = |more: &[&str]| {
        sandbox.run(&[&["export", "run.trace", STATES, "-o", "out", "--partition-by", "value"], more].concat())
    };
    fs::create_dir(sandbox.path("out")).expect("an empty folder is no obstacle");
    assert_eq!(export(&[]).status.code(), Some(0));
    assert_fails(&export(&[]), 2, "--force");
    let container = ["export", "run.trace", STATES, "-o", "out", "--partition-by", "container", "--force"];
    assert_eq!(sandbox.run(&container).status.code(), Some(0));
    assert_eq!(files(&sandbox.path("out")), ["container=rank0/part-0.parquet", "container=rank1/part-0.parquet"]);
    fs::write(sandbox.path("out/letter.txt"), "dear").expect("written");
    assert_fails(&export(&["--force"]), 2, "other files than an export");
    assert!(sandbox.path("out/letter.txt").exists());
    fs::write(sandbox.path("file"), "").expect("written");
    assert_fails(
        &sandbox.run(&["export", "run.trace", STATES, "-o", "file", "--partition-by", "value"]),
        2,
        "is a file",
    );
    assert_fails(
        &sandbox.run(&["export", "run.trace", SUMS, "-o", "out", "--format", "csv", "--force"]),
        2,
        "is a folder",
    );
    assert_eq!(left_behind(&sandbox), Vec::<String>::new());
}

#[test]
fn wrong_partitions_leave_nothing() {
    let sandbox = Sandbox::new();
    let export = |sql: &str, columns: &str, more: &[&str]| {
        sandbox.run(&[&["export", "run.trace", sql, "-o", "out", "--partition-by", columns], more].concat())
    };
    assert_fails(&export(STATES, "valeu", &[]), 2, "did you mean value?");
    assert_fails(&export(STATES, "value,value", &[]), 2, "twice");
    assert_fails(&export("SELECT value FROM states", "value", &[]), 2, "at least one must stay");
    assert_fails(&export(STATES, "value", &["--format", "csv"]), 2, "Parquet");
    let failing = "SELECT value, 1 / (start_time - 1)::bigint AS x FROM states";
    assert_eq!(export(failing, "value", &[]).status.code(), Some(1));
    assert!(!sandbox.path("out").exists());
    assert_eq!(left_behind(&sandbox), Vec::<String>::new());
}

#[test]
fn a_query_that_fails_late_leaves_the_old_file() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["export", "run.trace", SUMS, "-o", "sums.csv"]);
    let failing = "SELECT 1 / (150000 - value) AS x FROM range(0, 300000)";
    for name in ["sums.csv", "new.parquet", "new.json"] {
        let output = sandbox.run(&["export", "run.trace", failing, "-o", name, "--force"]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", text(&output.stderr));
    }
    assert_eq!(fs::read_to_string(sandbox.path("sums.csv")).expect("the old file"), SUMS_CSV);
    assert!(!sandbox.path("new.parquet").exists() && !sandbox.path("new.json").exists());
    assert_eq!(left_behind(&sandbox), Vec::<String>::new());
}

/// An export that would never end is stopped, and nothing is left of it.
#[cfg(unix)]
#[test]
fn a_stopped_export_leaves_nothing() {
    let sandbox = Sandbox::new();
    let endless = "SELECT a.value AS a, b.value AS b FROM range(0, 100000000) a, range(0, 100000) b";
    for (name, more) in [("x.csv", &[][..]), ("x", &["--partition-by", "b"])] {
        let arguments = [&["export", "run.trace", endless, "-o", name], more].concat();
        let mut child = sandbox.command(&arguments).stderr(Stdio::piped()).spawn().expect("the program runs");
        while !has_partial(&sandbox) {
            std::thread::sleep(std::time::Duration::from_millis(20));
            assert!(child.try_wait().expect("a child").is_none(), "it ended by itself");
        }
        let killed =
            std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
        assert!(killed.success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        assert!(text(&output.stderr).contains("cancelled"), "{}", text(&output.stderr));
        assert!(!sandbox.path(name).exists() && !has_partial(&sandbox));
    }
}

fn has_partial(sandbox: &Sandbox) -> bool {
    let entries = fs::read_dir(sandbox.folder.path()).expect("a folder");
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().ends_with(".partial"))
}

#[test]
fn a_pipe_sees_no_progress() {
    let sandbox = Sandbox::new();
    let sql = "SELECT value FROM range(0, 3000000)";
    let output = sandbox.run(&["export", "run.trace", sql, "-o", "many.csv"]);
    let told = text(&output.stderr);
    assert!(told.starts_with("wrote 3,000,000 rows to many.csv") && told.lines().count() == 1, "{told}");
}

#[test]
fn the_origin_of_a_trace_is_told_and_dates_follow_it() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["import", "run.trace", "--store", "perf", "--origin", "2024-05-01T14:00:00+02:00"]);
    let info = sandbox.stdout(&["info", "perf"]);
    assert!(info.contains("origin          2024-05-01 12:00:00 UTC\n"), "{info}");
    assert!(
        sandbox
            .stdout(&["info", "run.trace"])
            .contains("origin          1970-01-01 00:00:00 UTC (not recorded in the trace)\n")
    );
    let sql = "SELECT container, started_at FROM dated_states WHERE started_at > '2024-05-01T12:00:00Z' ORDER BY 1";
    let expected = "container,started_at\nrank0,2024-05-01T12:00:02Z\nrank1,2024-05-01T12:00:01Z\n";
    assert_eq!(sandbox.stdout(&["sql", "perf", sql, "--format", "csv"]), expected);
    // A trace that is asked directly has another entry of the cache for each origin.
    let sql = "SELECT origin FROM trace_info";
    let asked = sandbox.stdout(&["sql", "run.trace", sql, "--format", "csv", "--origin", "2024-05-01"]);
    assert_eq!(asked, "origin\n2024-05-01T00:00:00Z\n");
    assert_eq!(sandbox.stdout(&["sql", "run.trace", sql, "--format", "csv"]), "origin\n1970-01-01T00:00:00Z\n");
    assert_fails(
        &sandbox.run(&["import", "run.trace", "--store", "perf", "--origin", "noon"]),
        2,
        "2024-05-01T12:00:00Z",
    );
}

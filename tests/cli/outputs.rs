//! Outputs that are no regular files, and files of `sql -o`.

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::process::{Command, Stdio};

use super::sandbox::{SUMS, SUMS_CSV, Sandbox, assert_fails, text};

fn make_pipe(sandbox: &Sandbox, name: &str) {
    let made = Command::new("mkfifo").arg(sandbox.path(name)).status().expect("mkfifo runs");
    assert!(made.success());
}

#[test]
fn a_device_is_written_to_and_not_replaced() {
    let sandbox = Sandbox::new();
    for more in [&[][..], &["--force"]] {
        let arguments = [&["export", "run.trace", SUMS, "-o", "/dev/null", "--format", "csv"], more].concat();
        assert_eq!(text(&sandbox.run(&arguments).stderr).split(" (").next(), Some("wrote 4 rows to /dev/null"));
    }
    sandbox.stdout(&["sql", "run.trace", SUMS, "-o", "/dev/null"]);
    sandbox.stdout(&["generate", "containers", "--count", "3", "-o", "/dev/null"]);
    symlink("/dev/null", sandbox.path("x.svg")).expect("a link");
    sandbox.stdout(&["draw", "run.trace", "timeline", "-o", "x.svg"]);
    assert!(fs::metadata("/dev/null").expect("the device").file_type().is_char_device());
    assert!(fs::symlink_metadata(sandbox.path("x.svg")).expect("a link").is_symlink());
    // A device that takes nothing is an error that says so.
    assert_fails(&sandbox.run(&["export", "run.trace", SUMS, "-o", "/dev/full", "--format", "csv"]), 1, "No space");
}

#[test]
fn a_pipe_gets_the_rows_and_stays() {
    let sandbox = Sandbox::new();
    make_pipe(&sandbox, "pipe.csv");
    for command in ["export", "sql"] {
        let child = sandbox.command(&[command, "run.trace", SUMS, "-o", "pipe.csv"]).stderr(Stdio::null()).spawn();
        let mut rows = String::new();
        fs::File::open(sandbox.path("pipe.csv")).expect("the pipe").read_to_string(&mut rows).expect("rows");
        assert!(child.expect("it runs").wait().expect("it ends").success());
        assert_eq!(rows, SUMS_CSV, "{command}");
    }
    assert!(fs::metadata(sandbox.path("pipe.csv")).expect("the pipe").file_type().is_fifo());
    assert_fails(&sandbox.run(&["report", "run.trace", "-o", "pipe.csv", "--force"]), 2, "is not a report");
}

/// A script that fails leaves the file of its results as it was.
#[test]
fn results_of_a_script_are_there_when_all_of_it_worked() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("x.csv"), "old").expect("written");
    let failing = "SELECT 1 AS n; SELECT 1 / (value - 1) AS x FROM range(0, 3)";
    assert_eq!(sandbox.run(&["sql", "run.trace", failing, "-o", "x.csv"]).status.code(), Some(1));
    assert_eq!(fs::read_to_string(sandbox.path("x.csv")).expect("a file"), "old");
    sandbox.stdout(&["sql", "run.trace", "SELECT 1 AS n; SELECT 2 AS n", "-o", "x.csv"]);
    assert_eq!(fs::read_to_string(sandbox.path("x.csv")).expect("a file"), "n\n1\nn\n2\n");
    let script = ".mode csv\n.once one.csv\nSELECT 1 AS n;\n.output two.csv\nSELECT 2 AS n;\n.output\nSELECT * FROM 'two.csv';\n";
    let output = sandbox.run_with_input(&["sql", "run.trace"], script);
    assert_eq!(text(&output.stdout), "n\n2\n", "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(sandbox.path("one.csv")).expect("a file"), "n\n1\n");
    assert_eq!(fs::read_to_string(sandbox.path("two.csv")).expect("a file"), "n\n2\n");
    let names = fs::read_dir(sandbox.folder.path()).expect("a folder").flatten().map(|entry| entry.file_name());
    assert!(!names.into_iter().any(|name| name.to_string_lossy().contains("partial")));
}

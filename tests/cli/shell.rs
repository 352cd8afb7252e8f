//! The shell, driven through a pipe.

use std::fs;

use crate::sandbox::{Sandbox, assert_fails, stdout_of, text};

#[test]
fn the_shell_takes_commands_through_a_pipe() {
    let sandbox = Sandbox::new();
    let script = ".mode csv\n\\x off\nSELECT 1\n  AS n;\n.nullvalue -\nSELECT NULL AS m;\n\
                  .once once.csv\nSELECT 3 AS o;\n.output all.csv\nSELECT 4 AS p;\nSELECT 5 AS q;\n\
                  .output\n.timing on\nSELECT 6 AS r;\n.quit\nSELECT nonsense;\n";
    let output = sandbox.run_with_input(&["sql", "run.trace"], script);
    assert_eq!(stdout_of(&output), "n\n1\nm\n-\nr\n6\n");
    assert!(text(&output.stderr).contains("time: "), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(sandbox.path("once.csv")).expect("a file"), "o\n3\n");
    assert_eq!(fs::read_to_string(sandbox.path("all.csv")).expect("a file"), "p\n4\nq\n5\n");
}

#[test]
fn the_shell_describes_what_there_is() {
    let sandbox = Sandbox::new();
    let ask = |script: &str| stdout_of(&sandbox.run_with_input(&["sql", "run.trace", "--format", "csv"], script));
    assert!(ask(".tables").contains("run,states,table,"));
    assert!(ask("\\dt link%").lines().skip(1).all(|line| line.contains(",link")));
    let columns = ask("\\d states");
    assert!(columns.starts_with("column,type,null,description\ncontainer_id,INTEGER,"), "{columns}");
    assert!(ask(".schema").contains("states,value,TEXT,"));
    assert!(ask(".functions").contains("events_at,"));
    assert!(ask("\\df events_at").contains("time"));
    let help = ask(".help");
    for name in [".help", ".tables", ".once", "\\d ", "\\df", "\\timing", "\\x"] {
        assert!(help.contains(name), "{name} in {help}");
    }
    assert_fails(&sandbox.run_with_input(&["sql", "run.trace"], ".tabels"), 2, "did you mean .tables?");
    assert_fails(&sandbox.run_with_input(&["sql", "run.trace"], "\\d statse"), 2, "did you mean states?");
}

#[test]
fn read_runs_a_file_and_a_circle_ends() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("a.sql"), "SELECT 1 AS n;").expect("written");
    fs::write(sandbox.path("circle.sql"), ".read circle.sql").expect("written");
    let output = sandbox.run_with_input(&["sql", "run.trace", "--format", "csv"], ".read a.sql\n\\i a.sql\n");
    assert_eq!(stdout_of(&output), "n\n1\nn\n1\n");
    assert_fails(&sandbox.run_with_input(&["sql", "run.trace"], ".read circle.sql"), 2, "read by itself");
}

#[test]
fn statements_without_rows_print_nothing() {
    let sandbox = Sandbox::new();
    let script = "CREATE VIEW v AS SELECT 7 AS n; SELECT * FROM v; COPY (SELECT 1 AS x) TO 'x.csv';";
    let output = sandbox.run_with_input(&["sql", "run.trace", "--format", "csv"], script);
    assert_eq!(stdout_of(&output), "n\n7\n");
    assert!(text(&output.stderr).contains("1 row written"), "{}", text(&output.stderr));
}

/// Notes go beside the rows, not among them.
#[test]
fn an_empty_result_says_what_the_trace_lacks() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["sql", "run.trace", "--format", "csv", "SELECT value FROM links"]);
    assert_eq!(stdout_of(&output), "value\n");
    assert!(text(&output.stderr).contains("note: trace run has no links"), "{}", text(&output.stderr));
    let output = sandbox.run(&["export", "run.trace", "SELECT value FROM links", "-o", "links.csv"]);
    assert!(output.status.success() && text(&output.stderr).contains("note: trace run has no links"), "{output:?}");
    let output =
        sandbox.run(&["sql", "run.trace", "--format", "csv", "SELECT value FROM states WHERE value = 'sleep'"]);
    assert!(!text(&output.stderr).contains("note:"), "{}", text(&output.stderr));
}

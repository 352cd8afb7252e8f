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
    assert_fails(&sandbox.run_with_input(&["sql", "run.trace"], ".read circle.sql"), 2, "reads itself");
}

#[test]
fn statements_without_rows_print_nothing() {
    let sandbox = Sandbox::new();
    let script = "CREATE VIEW v AS SELECT 7 AS n; SELECT * FROM v; COPY (SELECT 1 AS x) TO 'x.csv';";
    let output = sandbox.run_with_input(&["sql", "run.trace", "--format", "csv"], script);
    assert_eq!(stdout_of(&output), "n\n7\n");
    assert!(text(&output.stderr).contains("1 row written"), "{}", text(&output.stderr));
}

/// Two traces in one store: `lu` has four states, `other` the same and its own name.
fn store_of_two(sandbox: &Sandbox) {
    for name in ["lu", "other"] {
        sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", name]);
    }
}

#[test]
fn the_shell_changes_the_trace() {
    let sandbox = Sandbox::new();
    store_of_two(&sandbox);
    let ask = |script: &str| sandbox.run_with_input(&["sql", "perf", "--format", "csv"], script);
    let query = "SELECT name FROM trace_info;\n";
    for choice in ["USE other;", ".use other", "\\c other", "use \"other\";"] {
        assert_eq!(stdout_of(&ask(&format!("{choice}\n{query}"))), "name\nother\n", "{choice}");
    }
    assert_eq!(stdout_of(&ask(&format!("USE lu; {query}.use other\n{query}"))), "name\nlu\nname\nother\n");
    assert_eq!(stdout_of(&ask("USE lu;\n.use\n")), "trace,current,states\nlu,true,4\nother,false,4\n");
    assert_fails(&ask("USE othr;"), 1, "did you mean other?");
    assert_fails(&ask(".use othr"), 2, "did you mean other?");
    assert_fails(&ask("SELECT * FROM states"), 1, "choose a trace: --trace NAME or USE NAME");
}

#[test]
fn tables_are_listed_by_trace() {
    let sandbox = Sandbox::new();
    store_of_two(&sandbox);
    let ask = |script: &str| sandbox.run_with_input(&["sql", "perf", "--trace", "lu", "--format", "csv"], script);
    let schemas = |script: &str| {
        let text = stdout_of(&ask(script));
        let mut schemas: Vec<String> =
            text.lines().skip(1).map(|line| line.split(',').next().unwrap_or_default().to_string()).collect();
        schemas.dedup();
        schemas
    };
    assert_eq!(schemas(".tables"), ["lu"]);
    assert_eq!(schemas(".tables other"), ["other"]);
    assert_eq!(stdout_of(&ask(".tables other.state_seg%")).lines().count(), 2);
    assert_fails(&ask(".tables othr"), 2, "did you mean other?");
}

#[test]
fn sql_may_begin_with_a_comment() {
    let sandbox = Sandbox::new();
    let sql = "-- how many\nSELECT count(*) AS n FROM states";
    for arguments in [
        &["sql", "run.trace", sql, "--format", "csv"][..],
        &["sql", "run.trace", "--format", "csv", "-c", sql],
        &["sql", "--format", "csv", "run.trace", sql],
    ] {
        assert_eq!(sandbox.stdout(arguments), "n\n4\n", "{arguments:?}");
    }
    sandbox.stdout(&["export", "run.trace", sql, "-o", "n.csv"]);
    assert_eq!(fs::read_to_string(sandbox.path("n.csv")).expect("a file"), "n\n4\n");
    assert_fails(&sandbox.run(&["sql", "run.trace", "--formt", "csv"]), 2, "--format");
}

#[test]
fn columns_are_called_as_they_are_written_in_every_output() {
    let sandbox = Sandbox::new();
    let sql = "SELECT count(*), sum(duration), count(*) FROM states";
    let expected = "count(*),sum(duration),count(*)_1\n4,6.0,4\n";
    assert_eq!(sandbox.stdout(&["sql", "run.trace", sql, "--format", "csv"]), expected);
    sandbox.stdout(&["export", "run.trace", sql, "-o", "sums.csv"]);
    assert_eq!(fs::read_to_string(sandbox.path("sums.csv")).expect("a file"), expected);
    sandbox.stdout(&["sql", "run.trace", &format!("COPY ({sql}) TO 'copied.csv'")]);
    assert_eq!(fs::read_to_string(sandbox.path("copied.csv")).expect("a file"), expected);
    sandbox.stdout(&["export", "run.trace", sql, "-o", "sums.parquet"]);
    let again = "SELECT \"count(*)_1\" AS n FROM read_parquet('sums.parquet')";
    assert_eq!(sandbox.stdout(&["sql", "run.trace", again, "--format", "csv"]), "n\n4\n");
    let all = sandbox.stdout(&["sql", "run.trace", "FROM states LIMIT 1", "--format", "csv"]);
    assert!(all.starts_with("container_id,container,type,value,"), "{all}");
}

#[test]
fn files_of_the_user_are_joined() {
    let sandbox = Sandbox::new();
    fs::write(sandbox.path("speed-1.csv"), "rank;speed\nrank0;1.5\n").expect("a file");
    fs::write(sandbox.path("speed-2.csv"), "rank;speed\nrank1;2\n").expect("a file");
    let sql = "SELECT name, speed FROM containers JOIN read_csv('speed-*.csv') ON rank = name ORDER BY name";
    assert_eq!(sandbox.stdout(&["sql", "run.trace", sql, "--format", "csv"]), "name,speed\nrank0,1.5\nrank1,2.0\n");
    fs::write(sandbox.path("speed-3.csv"), "node;speed\nrank1;2\n").expect("a file");
    assert_fails(&sandbox.run(&["sql", "run.trace", sql]), 1, "speed-3.csv has other columns");
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

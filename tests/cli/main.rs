//! The program from outside: arguments and standard input go in; standard output, standard error and
//! the exit code come out. Expected values are worked out by hand from [`TRACE`].

#[path = "../support/checkout.rs"]
mod checkout;
mod convert;
mod damage;
mod deep_statements;
mod draw;
mod equal_names;
mod export;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod faults;
mod findings;
mod import;
#[cfg(unix)]
mod large_values;
mod outputs;
mod report;
mod sandbox;
mod shell;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod store_faults;

use std::fs;
use std::io::Read;
use std::process::Stdio;

use sandbox::{SUMS, SUMS_CSV, Sandbox, TRACE, assert_fails, stdout_of, text};

#[test]
fn sql_on_a_trace_answers() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["sql", "run.trace", SUMS, "--format", "csv"]);
    assert_eq!(stdout_of(&output), SUMS_CSV);
    assert_eq!(text(&output.stderr), "");
    // The second time from the cache, with the same answer.
    assert_eq!(sandbox.stdout(&["sql", "run.trace", SUMS, "--format", "csv"]), SUMS_CSV);
}

#[test]
fn the_quickstart_of_the_readme_works() {
    let sandbox = Sandbox::new();
    let trace = checkout::sample("quickstart.trace");
    let trace = trace.to_str().expect("a path in UTF-8");
    let sql = "SELECT container, value, sum(duration) AS seconds FROM states GROUP BY 1, 2 ORDER BY 3 DESC";
    let text = sandbox.stdout(&["sql", trace, sql]);
    assert!(text.contains("│ container │") && text.contains(" seconds "), "{text}");
}

#[test]
fn a_box_in_a_pipe_shows_every_row() {
    let sandbox = Sandbox::new();
    let text = sandbox.stdout(&["sql", "run.trace", SUMS]);
    assert_eq!(
        text,
        "┌───────────┬─────────┬─────────┐\n\
         │ container │  value  │ seconds │\n\
         │   text    │  text   │ double  │\n\
         ├───────────┼─────────┼─────────┤\n\
         │ rank0     │ compute │     2.0 │\n\
         │ rank0     │ wait    │     1.0 │\n\
         │ rank1     │ compute │     1.0 │\n\
         │ rank1     │ wait    │     2.0 │\n\
         └───────────┴─────────┴─────────┘\n"
    );
    let text = sandbox.stdout(&["sql", "run.trace", SUMS, "--max-rows", "2"]);
    assert!(text.contains('…') && text.contains("4 rows (2 shown)"), "{text}");
}

#[test]
fn sql_comes_from_standard_input_files_and_options() {
    let sandbox = Sandbox::new();
    let expected = "n\n1\nn\n2\n";
    let piped = sandbox.run_with_input(&["sql", "run.trace", "--format", "csv"], "SELECT 1\n AS n; SELECT 2 AS n");
    assert_eq!(stdout_of(&piped), expected);
    fs::write(sandbox.path("two.sql"), "-- two; statements\nSELECT 1 AS n;\nSELECT 2 AS n;\n").expect("written");
    assert_eq!(sandbox.stdout(&["sql", "run.trace", "-f", "two.sql", "--format", "csv"]), expected);
    let options = ["sql", "run.trace", "-c", "SELECT 1 AS n", "-c", "SELECT 2 AS n", "--format", "csv"];
    assert_eq!(sandbox.stdout(&options), expected);
}

#[test]
fn every_text_format_shows_the_same_rows() {
    let sandbox = Sandbox::new();
    let sql = "SELECT 'a|b' AS x, CAST(NULL AS BIGINT) AS n, 0.5 AS d";
    for (format, expected) in [
        ("csv", "x,n,d\na|b,,0.5\n"),
        ("tsv", "x\tn\td\na|b\t\t0.5\n"),
        ("json", "[{\"x\":\"a|b\",\"n\":null,\"d\":0.5}]\n"),
        ("ndjson", "{\"x\":\"a|b\",\"n\":null,\"d\":0.5}\n"),
        ("markdown", "| x | n | d |\n|---|---:|---:|\n| a\\|b |  | 0.5 |\n"),
        ("line", "x = a|b\nn = NULL\nd = 0.5\n"),
    ] {
        assert_eq!(sandbox.stdout(&["sql", "run.trace", sql, "--format", format]), expected, "{format}");
    }
    let text = sandbox.stdout(&["sql", "run.trace", sql, "--format", "csv", "--null", "NA"]);
    assert_eq!(text, "x,n,d\na|b,NA,0.5\n");
}

#[test]
fn plans_are_not_squeezed_into_boxes() {
    let sandbox = Sandbox::new();
    let text = sandbox.stdout(&["sql", "run.trace", "EXPLAIN SELECT * FROM states"]);
    assert!(text.starts_with("plan_type = logical_plan\n     plan =\n"), "{text}");
}

#[test]
fn binary_formats_go_through_pipes_and_into_files() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["sql", "run.trace", SUMS, "--format", "parquet"]);
    assert!(output.status.success());
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    let output = sandbox.run(&["sql", "run.trace", SUMS, "--format", "arrow"]);
    assert!(output.stdout.starts_with(&[0xff; 4]), "a stream has no magic word, but a marker");
    sandbox.stdout(&["sql", "run.trace", SUMS, "-o", "sums.parquet"]);
    let text = sandbox.stdout(&["sql", "run.trace", "SELECT * FROM 'sums.parquet' ORDER BY 1, 2", "--format", "csv"]);
    assert_eq!(text, SUMS_CSV);
}

#[test]
fn wrong_queries_end_with_1_and_say_where() {
    let sandbox = Sandbox::new();
    assert_fails(&sandbox.run(&["sql", "run.trace", "SELECT * FROM statse"]), 1, "did you mean");
    assert_fails(&sandbox.run(&["sql", "run.trace", "SELECT valeu FROM states"]), 1, "^");
    assert_fails(&sandbox.run(&["sql", "run.trace", "SELEC 1"]), 1, "error:");
    assert_fails(&sandbox.run_with_input(&["sql", "run.trace"], "SELEC 1; SELECT 2;"), 1, "error:");
}

#[test]
fn wrong_command_lines_end_with_2() {
    let sandbox = Sandbox::new();
    assert_fails(&sandbox.run(&["sql"]), 2, "STORE|TRACE");
    assert_fails(&sandbox.run(&["sql", "run.trace", "--format", "xml"]), 2, "ndjson");
    assert_fails(&sandbox.run(&["import", "run.trace"]), 2, "--store");
    assert_fails(&sandbox.run(&["frobnicate"]), 2, "frobnicate");
    assert_fails(&sandbox.run(&["import", "run.trace", "run.trace", "--store", "s", "--name", "x"]), 2, "--name");
    assert_fails(&sandbox.run(&["sql", "-", "SELECT 1"]), 2, "import");
    assert_eq!(sandbox.run(&["--help"]).status.code(), Some(0));
    assert_eq!(sandbox.run(&["--version"]).status.code(), Some(0));
}

#[test]
fn what_cannot_be_opened_is_told() {
    let sandbox = Sandbox::new();
    assert_fails(&sandbox.run(&["sql", "nowhere.trace", "SELECT 1"]), 1, "cannot open nowhere.trace");
    assert_fails(&sandbox.run(&["sql", ".", "SELECT 1"]), 1, "is no store");
    assert_fails(&sandbox.run(&["import", "nowhere.trace", "--store", "perf"]), 1, "cannot open nowhere.trace");
    assert!(!sandbox.path("perf").exists(), "no store is made for nothing");
}

#[test]
fn a_store_is_filled_asked_renamed_and_emptied() {
    let sandbox = Sandbox::new();
    let summary = sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", "lu"]);
    assert!(summary.starts_with("imported run.trace as lu into perf in "), "{summary}");
    assert!(summary.contains("0 s to 3 s, 3 s long"), "{summary}");
    assert!(summary.contains("0 lost"), "{summary}");
    assert!(summary.lines().any(|line| line.split_whitespace().eq(["states", "4"])), "{summary}");
    assert_eq!(sandbox.run(&["import", "run.trace", "--store", "perf", "--name", "lu"]).status.code(), Some(1));
    sandbox.stdout(&["import", "run.trace", "--store", "perf", "--name", "lu", "--replace"]);

    let piped = sandbox.run_with_input(&["import", "-", "--store", "perf"], TRACE);
    assert!(stdout_of(&piped).contains(" as stdin into perf"));
    sandbox.stdout(&["rename", "perf", "stdin", "other"]);
    let sql = "SELECT trace, count(*) AS n FROM all_traces.states GROUP BY 1 ORDER BY 1";
    assert_eq!(sandbox.stdout(&["sql", "perf", sql, "--format", "csv"]), "trace,n\nlu,4\nother,4\n");
    assert_eq!(sandbox.stdout(&["sql", "perf", "--trace", "lu", SUMS, "--format", "csv"]), SUMS_CSV);

    let info = sandbox.stdout(&["info", "perf", "--verify"]);
    assert!(info.contains("store perf: 2 traces") && info.contains("trace other"), "{info}");
    assert!(info.contains("trace lu: all checksums agree"), "{info}");
    sandbox.stdout(&["drop", "perf", "other"]);
    assert_fails(&sandbox.run(&["drop", "perf", "other"]), 1, "no trace other");
    assert_eq!(sandbox.stdout(&["sql", "perf", SUMS, "--format", "csv"]), SUMS_CSV);
}

#[test]
fn export_writes_whole_files_or_none() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["export", "run.trace", SUMS, "-o", "sums.csv"]);
    assert_eq!(fs::read_to_string(sandbox.path("sums.csv")).expect("a file"), SUMS_CSV);
    assert_fails(&sandbox.run(&["export", "run.trace", SUMS, "-o", "sums.csv"]), 2, "--force");
    sandbox.stdout(&["export", "run.trace", "SELECT 1 AS n", "-o", "sums.csv", "--force"]);
    assert_eq!(fs::read_to_string(sandbox.path("sums.csv")).expect("a file"), "n\n1\n");
    for name in ["a.parquet", "a.arrow", "a.md", "a.json", "a.ndjson", "a.tsv"] {
        sandbox.stdout(&["export", "run.trace", SUMS, "-o", name]);
        assert!(fs::metadata(sandbox.path(name)).expect("a file").len() > 0, "{name}");
    }
    let wrong = sandbox.run(&["export", "run.trace", "SELECT 1 / 0 FROM states", "-o", "broken.csv"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert_fails(&sandbox.run(&["export", "run.trace", "SELECT 1; SELECT 2", "-o", "two.csv"]), 2, "one query");
    assert_fails(&sandbox.run(&["export", "run.trace", SUMS, "-o", "sums.xyz"]), 2, "--format");
    let left: Vec<String> = fs::read_dir(sandbox.folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains("broken") || name.contains("two") || name.contains("partial"))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}

#[test]
fn a_closed_pipe_is_no_error() {
    let sandbox = Sandbox::new();
    let sql = "SELECT a.value, b.value FROM range(0, 100000) a, range(0, 5) b";
    sandbox.stdout(&["generate", "mpi", "--events", "20000", "--ranks", "4", "-o", "big.trace"]);
    for arguments in [
        &["sql", "run.trace", sql, "--format", "csv"][..],
        &["sql", "run.trace", sql, "--format", "json"],
        &["sql", "run.trace", sql, "--format", "parquet"],
        &["sql", "run.trace", sql],
        &["dump", "big.trace"],
        &["generate", "mpi", "--events", "100000"],
    ] {
        let mut child =
            sandbox.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
        let mut first = [0; 16];
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut first).expect("some output");
        drop(stdout);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", text(&output.stderr));
        assert_eq!(text(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn validate_tells_faults_and_its_exit_code_counts_losses() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["validate", "run.trace", "--format", "csv"]);
    assert!(stdout_of(&output).starts_with("severity,code,line,byte,message,occurrences\n"));
    assert!(text(&output.stderr).contains("0 lost"), "{}", text(&output.stderr));
    // Line 39 is the first beyond the trace above, at its length in bytes.
    assert_eq!(TRACE.lines().count(), 38);
    fs::write(sandbox.path("bad.trace"), format!("{TRACE}99 3 x\n")).expect("written");
    let output = sandbox.run(&["validate", "bad.trace", "--format", "csv"]);
    assert_eq!(output.status.code(), Some(1));
    let row = format!("error,undefined-event,39,{},", TRACE.len());
    assert!(text(&output.stdout).lines().any(|line| line.starts_with(&row)), "{}", text(&output.stdout));
    let output = sandbox.run(&["sql", "bad.trace", SUMS, "--format", "csv"]);
    assert_eq!(stdout_of(&output), SUMS_CSV);
    assert!(text(&output.stderr).contains("1 line of bad.trace"), "{}", text(&output.stderr));
    assert_eq!(sandbox.run(&["import", "bad.trace", "--store", "perf", "--strict"]).status.code(), Some(1));
}

#[test]
fn dump_prints_rows_of_pj_dump() {
    let sandbox = Sandbox::new();
    let text = sandbox.stdout(&["dump", "run.trace", "-l", "3"]);
    assert!(text.lines().any(|line| line == "State, rank0, State, 0.000, 2.000, 2.000, 0.000, compute"), "{text}");
}

#[test]
fn generated_traces_are_the_same_for_the_same_seed() {
    let sandbox = Sandbox::new();
    let arguments = ["generate", "mpi", "--events", "1000", "--ranks", "4", "--seed", "7"];
    let first = sandbox.run(&arguments).stdout;
    assert!(first.starts_with(b"%EventDef") || first.starts_with(b"#"));
    assert_eq!(first, sandbox.run(&[&arguments[..], &["-o", "-"]].concat()).stdout);
    sandbox.stdout(&[&arguments[..], &["-o", "mpi.trace"]].concat());
    assert_eq!(fs::read(sandbox.path("mpi.trace")).expect("a file"), first);
    sandbox.stdout(&["generate", "containers", "--count", "100", "-o", "containers.trace"]);
    let sql = "SELECT count(*) >= 100 AS enough FROM containers";
    assert_eq!(sandbox.stdout(&["sql", "containers.trace", sql, "--format", "csv"]), "enough\ntrue\n");
    assert_eq!(sandbox.run(&["validate", "mpi.trace"]).status.code(), Some(0));
}

/// The container 4000 of section 6.1.1 of the thesis spends 12.8 s and 7.2 s in its two states.
#[test]
fn generated_hierarchies_and_patterns_can_be_queried() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["generate", "hierarchy", "--shape", "5x3x100x4", "-o", "grid.trace"]);
    let sql = "SELECT value, round(duration, 1) AS s FROM states WHERE container = 'processor-4000' ORDER BY 1";
    assert_eq!(sandbox.stdout(&["sql", "grid.trace", sql, "--format", "csv"]), "value,s\nState-0,12.8\nState-1,7.2\n");
    sandbox.stdout(&["generate", "communication", "--pattern", "star", "--shape", "2x3", "-o", "star.trace"]);
    let sql = "SELECT source, count(*) AS n, min(volume) > 0 AS sized FROM links GROUP BY 1 ORDER BY 2 DESC LIMIT 1";
    assert_eq!(sandbox.stdout(&["sql", "star.trace", sql, "--format", "csv"]), "source,n,sized\nprocessor-0,5,true\n");
    for trace in ["grid.trace", "star.trace"] {
        assert_eq!(sandbox.run(&["validate", trace]).status.code(), Some(0));
    }
    for wrong in [&["--shape", "3xx"][..], &["--shape", "0"], &["--duration", "-1"], &["--rounds", "0"]] {
        assert_eq!(sandbox.run(&[&["generate", "hierarchy"], wrong].concat()).status.code(), Some(2), "{wrong:?}");
    }
}

#[test]
fn planted_faults_come_with_their_truth() {
    let sandbox = Sandbox::new();
    let fault = ["generate", "fault", "--ranks", "16", "--iterations", "10", "--kind"];
    let slow = [&fault[..], &["slow_node", "--strength", "2"]].concat();
    sandbox.stdout(&[&slow[..], &["-o", "slow.trace", "--truth", "slow.json"]].concat());
    let truth = fs::read_to_string(sandbox.path("slow.json")).expect("a file");
    assert!(truth.starts_with('{') && truth.contains("\"kind\": \"slow_node\"") && truth.contains("\"strength\": 2.0"));
    // The truth may go to standard output when the trace does not, and the same run says the same.
    assert_eq!(sandbox.stdout(&[&slow[..], &["-o", "again.trace", "--truth", "-"]].concat()), truth);
    assert_eq!(sandbox.run(&slow).stdout, fs::read(sandbox.path("slow.trace")).expect("a file"));
    for (wrong, said) in [
        (&["slow_node", "--truth", "-"][..], "need two places"),
        (&["slow_node", "--truth", "x", "-o", "x"], "need two places"),
        (&["none", "--truth", "x"], "nothing is planted"),
        (&["late_sender", "--shape", "pipeline"], "it takes the shapes stencil, all-to-all"),
        (&["slow_rank", "--strength", "1"], "between 1.001 and 1000"),
        (&["slow_rank", "--ranks", "18"], "multiple of 4"),
        (&["slow"], "slow_rank_interval"),
    ] {
        let mut arguments = [&fault[..], wrong].concat();
        // The last of an option counts nowhere: it is given once.
        if wrong.contains(&"--ranks") {
            arguments.drain(2..4);
        }
        assert_fails(&sandbox.run(&arguments), 2, said);
    }
    assert!(!sandbox.path("x").exists());
}

#[test]
fn networks_are_attached_to_a_trace() {
    let sandbox = Sandbox::new();
    sandbox.stdout(&["generate", "communication", "--shape", "2x2", "-o", "ring.trace"]);
    sandbox.stdout(&["import", "ring.trace", "--store", "perf"]);
    fs::write(sandbox.path("net.dot"), "graph { \"machine-0\" -- s; s -- \"machine-1\" }").expect("a file");
    sandbox.stdout(&["attach", "perf", "--trace", "ring", "--topology", "net.dot"]);
    let sql = "SELECT source, target, messages FROM route_load() ORDER BY 1, 2";
    let expected = "source,target,messages\nmachine-0,s,1\nmachine-1,s,1\ns,machine-0,1\ns,machine-1,1\n";
    assert_eq!(sandbox.stdout(&["sql", "perf", sql, "--format", "csv"]), expected);
    fs::write(sandbox.path("net.dot"), "graph {\n a -> b }").expect("a file");
    let wrong = sandbox.run(&["attach", "perf", "--topology", "net.dot"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("net.dot:2: "), "{wrong:?}");
    assert_eq!(sandbox.run(&["attach", "perf"]).status.code(), Some(2));
    assert_eq!(sandbox.run(&["attach", "perf", "--map", "magic"]).status.code(), Some(2));
}

#[test]
fn the_cache_is_listed_and_emptied() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.stdout(&["cache", "path"]).trim_end(), sandbox.path("cache").to_str().expect("a path"));
    assert_eq!(sandbox.stdout(&["cache"]), "");
    sandbox.stdout(&["sql", "run.trace", "SELECT 1"]);
    assert!(sandbox.stdout(&["cache", "list"]).contains("run.trace"));
    assert!(!sandbox.path("run.trace.ocellus").exists(), "nothing beside the user's file");
    sandbox.stdout(&["cache", "clear"]);
    assert_eq!(sandbox.stdout(&["cache", "list"]), "");
}

#[test]
fn completions_and_man_pages_are_made_by_the_program() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "zsh", "fish"] {
        assert!(sandbox.stdout(&["completions", shell]).contains("validate"), "{shell}");
    }
    assert!(sandbox.stdout(&["man"]).contains(".TH"));
    sandbox.stdout(&["man", "pages"]);
    for page in ["ocellus.1", "ocellus-sql.1", "ocellus-import.1"] {
        assert!(fs::metadata(sandbox.path("pages").join(page)).expect("a page").len() > 100, "{page}");
    }
}

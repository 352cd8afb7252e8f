//! A scheduler and two executors on loopback, as processes of the program: the suite of SQL gives the same rows as
//! embedded, and a lost executor is no disaster.

#![cfg(feature = "cluster")]

mod slt;
mod suite;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use ocellus::outputs::cluster::{Identity, attach};
use suite::{block_on, engine_on, files, read, root, run_all};

const PROGRAM: &str = env!("CARGO_BIN_EXE_ocellus");
/// Longest wait for a sign of life.
const PATIENCE: Duration = Duration::from_secs(60);

/// A part of a cluster; it ends with the test.
struct Part(Child);

impl Part {
    /// Starts a part and waits until it says that it is ready; gives the last word of that.
    fn start(arguments: &[&str]) -> (Part, String) {
        let mut child = Command::new(PROGRAM)
            .arg("cluster")
            .args(arguments)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("a process");
        let mut said = BufReader::new(child.stderr.take().expect("its standard error"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let last = line.split_whitespace().last().unwrap_or_default().to_string();
        assert!(line.contains("listens on") || line.contains("works for"), "{line}");
        // What it says later is of no interest, but somebody must read it.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        (Part(child), last)
    }

    /// Asks it to stop, as a service manager does, and waits for it.
    fn stop(mut self) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().expect("kill").success());
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait().expect("a status") {
                assert!(status.success(), "{status}");
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("it does not stop");
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A scheduler with executors.
struct Cluster {
    scheduler: Part,
    address: String,
    executors: Vec<Part>,
}

impl Cluster {
    fn start(executors: usize) -> Cluster {
        let (scheduler, address) = Part::start(&["scheduler", "--bind", "127.0.0.1:0"]);
        let mut cluster = Cluster { scheduler, address, executors: vec![] };
        for _ in 0..executors {
            cluster.add_executor();
        }
        cluster
    }

    fn add_executor(&mut self) {
        let arguments = ["executor", "--scheduler", &self.address, "--concurrent-tasks", "2"];
        self.executors.push(Part::start(&arguments).0);
    }

    /// Runs a query by the command line.
    fn sql(&self, source: &str, query: &str) -> Output {
        let mut command = Command::new(PROGRAM);
        command.args(["sql", "--cluster", &self.address, "--threads", "4", "--format", "csv", source, query]);
        command.output().expect("an answer")
    }
}

fn identity() -> Identity {
    Identity::of(Path::new(PROGRAM)).expect("the program")
}

#[test]
fn the_suite_gives_the_same_rows_on_a_cluster() {
    let cluster = Cluster::start(2);
    let identity = identity();
    let records = run_all(async |engine| attach(engine, &cluster.address, &identity).await.expect("a cluster"));
    assert!(records > 500, "only {records} records ran");
}

#[test]
fn the_cookbook_gives_the_same_rows_on_a_cluster() {
    let cluster = Cluster::start(2);
    let (_here, embedded) = engine_on(&["traces/quickstart.trace".to_string()]);
    let (_there, distributed) = engine_on(&["traces/quickstart.trace".to_string()]);
    block_on(attach(&distributed, &cluster.address, &identity())).expect("a cluster");
    for path in files(&root().join("sql/queries"), ".sql") {
        let text = read(&path);
        let rows = |engine: &ocellus::engine::Engine| {
            let batches = block_on(engine.sql(&text)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let shown = arrow::util::pretty::pretty_format_batches(&batches).expect("a table").to_string();
            let mut lines: Vec<String> = shown.lines().filter(|line| line.starts_with('|')).map(rounded).collect();
            lines.sort();
            lines
        };
        assert_eq!(rows(&distributed), rows(&embedded), "{}", path.display());
    }
}

/// A line of a table with its numbers rounded: sums of floating point numbers depend on the order of rows.
fn rounded(line: &str) -> String {
    let cell = |cell: &str| match cell.trim().parse::<f64>() {
        Ok(number) if number.abs() < 1e-9 => "0".to_string(),
        Ok(number) => format!("{number:.9e}"),
        Err(_) => cell.trim().to_string(),
    };
    line.split('|').map(cell).collect::<Vec<_>>().join("|")
}

/// A store with a generated trace, large enough that a query can be caught in the middle.
fn large_store(folder: &Path) -> String {
    let trace = folder.join("mpi.trace");
    let store = folder.join("store");
    let run = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).output().expect("a process");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let (trace, store) = (trace.to_str().expect("UTF-8"), store.to_str().expect("UTF-8"));
    run(&["generate", "mpi", "--events", "60000", "--ranks", "16", "-o", trace]);
    run(&["import", trace, "--store", store]);
    store.to_string()
}

#[test]
fn a_lost_executor_is_survived() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = large_store(folder.path());
    let mut cluster = Cluster::start(2);
    let count = "SELECT count(*) AS n FROM states";
    let expected = cluster.sql(&store, count);
    assert!(expected.status.success(), "{}", String::from_utf8_lossy(&expected.stderr));
    let long = "SELECT count(*) AS n FROM states AS a, states AS b WHERE a.duration + b.duration > sqrt(a.start_time * b.end_time)";
    let started = Instant::now();
    let outcome = std::thread::scope(|scope| {
        let query = scope.spawn(|| cluster.sql(&store, long));
        std::thread::sleep(Duration::from_millis(1500));
        let pid = cluster.executors[0].0.id().to_string();
        assert!(!query.is_finished(), "the query was too short to be caught");
        assert!(Command::new("kill").args(["-KILL", &pid]).status().expect("kill").success());
        query.join().expect("the query")
    });
    assert!(started.elapsed() < PATIENCE, "the query hung");
    // It finishes on the other executor, or tells why not.
    let error = String::from_utf8_lossy(&outcome.stderr);
    assert!(outcome.status.success() || error.starts_with("error: "), "{error}");
    let next = cluster.sql(&store, count);
    assert_eq!(next.stdout, expected.stdout, "{}", String::from_utf8_lossy(&next.stderr));
    cluster.add_executor();
    assert_eq!(cluster.sql(&store, count).stdout, expected.stdout);
    // Those that are left stop when they are told to, and leave nothing behind.
    for executor in cluster.executors.drain(1..) {
        executor.stop();
    }
    cluster.scheduler.stop();
}

#[test]
fn executors_import_where_they_may() {
    let folder = tempfile::tempdir().expect("a folder");
    let root_of_stores = folder.path().to_str().expect("UTF-8");
    let mut cluster = Cluster::start(0);
    let executor = ["executor", "--scheduler", &cluster.address, "--concurrent-tasks", "2", "--store-root", root_of_stores];
    cluster.executors.push(Part::start(&executor).0);
    let import = |store: &Path, traces: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.args(["import", "--cluster", &cluster.address, "--store"]).arg(store).args(traces);
        command.current_dir(root()).output().expect("a process")
    };
    let store = folder.path().join("store");
    let output = import(&store, &["traces/paper.trace", "traces/quickstart.trace", "traces/recursion.trace"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names: Vec<String> = ocellus::writer::Store::open(&store).expect("a store").manifest().expect("a manifest").traces
        .into_iter()
        .map(|trace| trace.name)
        .collect();
    assert_eq!(names, ["paper", "quickstart", "recursion"]);
    // A trace that is there already, and a store elsewhere.
    let again = import(&store, &["traces/paper.trace"]);
    assert_eq!(again.status.code(), Some(1), "{}", String::from_utf8_lossy(&again.stderr));
    let elsewhere = tempfile::tempdir().expect("a folder");
    let outside = import(elsewhere.path(), &["traces/paper.trace"]);
    let error = String::from_utf8_lossy(&outside.stderr);
    assert!(!outside.status.success() && error.contains("where this executor may write"), "{error}");
}

#[test]
fn another_build_is_refused() {
    let cluster = Cluster::start(0);
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("ocellus");
    let mut program = std::fs::read(PROGRAM).expect("the program");
    program.push(b'\n');
    std::fs::write(&other, program).expect("a copy");
    let mut permissions = std::fs::metadata(PROGRAM).expect("the program").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&other, permissions).expect("a program");
    let trace = root().join("traces/paper.trace");
    let trace = trace.to_str().expect("UTF-8");
    for arguments in [
        vec!["cluster", "executor", "--scheduler", &cluster.address],
        vec!["sql", "--cluster", &cluster.address, trace, "SELECT 1"],
    ] {
        let output = Command::new(&other).args(&arguments).env("OCELLUS_CACHE", folder.path()).output().expect("a process");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains("must be the same program"), "{arguments:?}: {error}");
    }
}

#[test]
fn what_cannot_run_there_is_refused_before_it_starts() {
    // No executor: what is refused never gets that far.
    let cluster = Cluster::start(0);
    let (_folder, engine) = engine_on(&["traces/paper.trace".to_string()]);
    block_on(attach(&engine, &cluster.address, &identity())).expect("a cluster");
    for (statement, why) in [
        ("COPY states TO '/tmp/states.parquet'", "COPY cannot run on a cluster"),
        ("EXPLAIN ANALYZE SELECT * FROM states", "EXPLAIN ANALYZE cannot run on a cluster"),
        (
            "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 3) SELECT * FROM n",
            "WITH RECURSIVE cannot run on a cluster",
        ),
    ] {
        let error = block_on(engine.sql(statement)).expect_err(statement).to_string();
        assert!(error.contains(why), "{statement}: {error}");
    }
    // What tells about the session runs here.
    for statement in ["EXPLAIN SELECT * FROM states", "SHOW TABLES", "DESCRIBE states"] {
        let rows = block_on(engine.sql(statement)).unwrap_or_else(|e| panic!("{statement}: {e}"));
        assert!(rows.iter().any(|batch| batch.num_rows() > 0), "{statement}");
    }
}

#[test]
fn addresses_other_than_loopback_need_a_flag() {
    for arguments in [["scheduler", "--bind", "0.0.0.0:0"], ["executor", "--bind", "0.0.0.0"]] {
        let output = Command::new(PROGRAM).arg("cluster").args(arguments).output().expect("a process");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("no authentication") && error.contains("--insecure"), "{error}");
    }
}

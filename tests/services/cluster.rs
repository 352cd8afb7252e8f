//! A scheduler and two executors on loopback, as processes of the program: the suite of SQL gives the same rows as
//! embedded, and a lost executor is no disaster.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use ocellus::cluster::{Identity, attach};
use ocellus::engine::Engine;

use crate::cluster_process::{ClusterProcess, PATIENCE, PAUSE};
use crate::suite::{engine_on, run_all};
use crate::support::{block_on, checkout, files, read, sample};
use crate::turns;

const PROGRAM: &str = env!("CARGO_BIN_EXE_ocellus");
/// Hundredths of a second of a processor that an executor uses for a query only.
const WORK: u64 = 20;

/// A scheduler with executors.
struct Cluster {
    scheduler: ClusterProcess,
    address: String,
    executors: Vec<ClusterProcess>,
}

impl Cluster {
    fn start(executors: usize) -> Cluster {
        let (scheduler, address) = ClusterProcess::start(&["scheduler", "--bind", "127.0.0.1:0"]);
        let mut cluster = Cluster { scheduler, address, executors: vec![] };
        for _ in 0..executors {
            cluster.add_executor();
        }
        cluster
    }

    fn add_executor(&mut self) {
        let arguments = ["executor", "--scheduler", &self.address, "--concurrent-tasks", "2"];
        self.executors.push(ClusterProcess::start(&arguments).0);
    }

    fn sql(&self, source: &str, query: &str) -> Output {
        sql(&["--cluster", &self.address], source, query)
    }

    /// Waits until an executor works on a query, and says which; `used` is what each had used before. Fails when
    /// the query ends without that.
    fn worker(&self, used: &[u64], is_finished: impl Fn() -> bool) -> usize {
        let started = Instant::now();
        while started.elapsed() < PATIENCE && !is_finished() {
            let working = |(executor, used): (&ClusterProcess, &u64)| executor.used() >= used + WORK;
            if let Some(number) = self.executors.iter().zip(used).position(working) {
                return number;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("no executor was seen at work");
    }
}

/// Runs a query by the command line.
pub fn sql(options: &[&str], source: &str, query: &str) -> Output {
    let mut command = Command::new(PROGRAM);
    command.arg("sql").args(options).args(["--threads", "4", "--format", "csv", source, query]);
    command.output().expect("an answer")
}

/// The rows of a query by the embedded engine.
pub fn embedded(source: &str, query: &str) -> String {
    let output = sql(&[], source, query);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn identity() -> Identity {
    Identity::of(Path::new(PROGRAM)).expect("the program")
}

/// Attaches an engine; proves that its queries leave this process, without codes for texts.
async fn attach_to(cluster: &Cluster, engine: &Engine, identity: &Identity) {
    let has_codes =
        || engine.context().state().physical_optimizers().iter().any(|rule| rule.name() == "dictionary_scan_rule");
    assert!(has_codes(), "the embedded engine codes texts");
    attach(engine, &cluster.address, identity, PATIENCE).await.expect("a cluster");
    assert!(!has_codes(), "readers that give codes do not travel");
    let query = engine.context().sql("SELECT name FROM containers").await.expect("a query");
    let plan = query.create_physical_plan().await.expect("a plan");
    assert_eq!(plan.name(), "ClusterExec");
}

#[test]
fn the_suite_gives_the_same_rows_on_a_cluster() {
    let cluster = Cluster::start(2);
    let identity = identity();
    // It takes longest: those who must be alone do not wait for its end.
    let records = run_all(turns::beside_others, async |engine| attach_to(&cluster, engine, &identity).await);
    assert!(records > 500, "only {records} records ran");
}

#[test]
fn the_cookbook_gives_the_same_rows_on_a_cluster() {
    let _turn = turns::beside_others();
    let cluster = Cluster::start(2);
    let (_here, embedded) = engine_on(&["traces/quickstart.trace".to_string()]);
    let (_there, distributed) = engine_on(&["traces/quickstart.trace".to_string()]);
    block_on(attach_to(&cluster, &distributed, &identity()));
    for path in files(&checkout().join("sql/queries"), ".sql") {
        let text = read(&path);
        let rows = |engine: &Engine| {
            let batches = block_on(engine.sql(&text)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let shown = arrow::util::pretty::pretty_format_batches(&batches).expect("a table").to_string();
            let mut lines: Vec<String> = shown.lines().filter(|line| line.starts_with('|')).map(rounded).collect();
            lines.sort();
            lines
        };
        assert_eq!(rows(&distributed), rows(&embedded), "{}", path.display());
    }
}

#[test]
fn unions_of_unequal_inputs_end() {
    let _turn = turns::beside_others();
    let cluster = Cluster::start(2);
    let trace = sample("quickstart.trace");
    let trace = trace.to_str().expect("UTF-8");
    // Tasks of one stage have other numbers of operators.
    let query = "SELECT count(*) AS n FROM (
        SELECT s.start_time FROM state_segments AS s JOIN state_activities AS a ON a.type = s.type AND a.value = s.value
        UNION ALL SELECT start_time FROM idle_gaps)";
    assert_rows(&cluster.sql(trace, query), &embedded(trace, query));
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

/// What is kept in bands of time is read by executors too, and gives the rows that the rows of the trace give.
#[test]
fn summaries_are_read_on_a_cluster() {
    let _turn = turns::beside_others();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let store = generated_store(folder.path(), "200000");
    let cluster = Cluster::start(2);
    for query in [
        "SELECT * FROM state_slices(slices => 5) ORDER BY slice, container_id, type, value",
        "SELECT * FROM state_slices(slices => 3, start => 0.01, stop => 0.25) ORDER BY slice, container_id, type, value",
        "SELECT * FROM timeline(width => 4) ORDER BY container_id, type, first_column, value",
        "SELECT * FROM spatiotemporal_partition(slices => 4, p => 0.4) ORDER BY 1, 2, 3, 4",
        "SELECT value, count(*), sum(end_tick - start_tick) FROM states GROUP BY value ORDER BY value",
    ] {
        let plan = cluster.sql(&store, &format!("EXPLAIN {query}"));
        assert!(String::from_utf8_lossy(&plan.stdout).contains("_bands.parquet"), "{query}");
        assert_rows(&cluster.sql(&store, query), &embedded(&store, &format!("SET ocellus.summaries = false; {query}")));
    }
}

/// A store with a generated trace, large enough that a query can be caught in the middle.
fn large_store(folder: &Path) -> String {
    generated_store(folder, "60000")
}

/// A store with a generated trace of so many events.
fn generated_store(folder: &Path, events: &str) -> String {
    let trace = folder.join("mpi.trace");
    let store = folder.join("store");
    let run = |arguments: &[&str]| {
        let output = Command::new(PROGRAM).args(arguments).output().expect("a process");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let (trace, store) = (trace.to_str().expect("UTF-8"), store.to_str().expect("UTF-8"));
    run(&["generate", "mpi", "--events", events, "--ranks", "16", "-o", trace]);
    run(&["import", trace, "--store", store]);
    store.to_string()
}

#[test]
fn a_lost_executor_is_survived() {
    let _turn = turns::beside_others();
    let folder = tempfile::tempdir().expect("a folder");
    let store = large_store(folder.path());
    let mut cluster = Cluster::start(2);
    let count = "SELECT count(*) AS n FROM states";
    let counted = embedded(&store, count);
    assert_rows(&cluster.sql(&store, count), &counted);
    let long = "SELECT count(*) AS n FROM states AS a, states AS b WHERE a.duration + b.duration > sqrt(a.start_time * b.end_time)";
    let rows = embedded(&store, long);
    let used: Vec<u64> = cluster.executors.iter().map(ClusterProcess::used).collect();
    let (lost, outcome) = std::thread::scope(|scope| {
        let query = scope.spawn(|| cluster.sql(&store, long));
        let lost = cluster.worker(&used, || query.is_finished());
        cluster.executors[lost].signal("-KILL");
        (lost, query.join().expect("the query"))
    });
    drop(cluster.executors.remove(lost));
    // It finishes on the other executor, or tells why not.
    match outcome.status.success() {
        true => assert_rows(&outcome, &rows),
        false => assert_failed_cleanly(&outcome),
    }
    assert_rows(&cluster.sql(&store, count), &counted);
    cluster.add_executor();
    assert_rows(&cluster.sql(&store, count), &counted);
    // Those that are left stop when they are told to, and leave nothing behind.
    for executor in cluster.executors.drain(..) {
        executor.stop();
    }
    cluster.scheduler.stop();
}

pub fn assert_rows(output: &Output, expected: &str) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{error}");
}

/// An error of the query, not a fault of ours, and no rows beside it but their header.
pub fn assert_failed_cleanly(output: &Output) {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.starts_with("error: "), "{error}");
    assert!(!error.contains("panicked") && !error.contains("internal error"), "{error}");
    assert!(String::from_utf8_lossy(&output.stdout).lines().count() <= 1, "rows came with an error");
}

#[test]
fn executors_import_where_they_may() {
    let _turn = turns::beside_others();
    let folder = tempfile::tempdir().expect("a folder");
    let root_of_stores = folder.path().to_str().expect("UTF-8");
    let mut cluster = Cluster::start(0);
    let executor =
        ["executor", "--scheduler", &cluster.address, "--concurrent-tasks", "2", "--store-root", root_of_stores];
    cluster.executors.push(ClusterProcess::start(&executor).0);
    let import = |store: &Path, traces: &[&str]| {
        let mut command = Command::new(PROGRAM);
        command.args(["import", "--cluster", &cluster.address, "--store"]).arg(store).args(traces);
        command.current_dir(checkout()).output().expect("a process")
    };
    let store = folder.path().join("store");
    let output = import(&store, &["traces/paper.trace", "traces/quickstart.trace", "traces/recursion.trace"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let names: Vec<String> = ocellus::store::Store::open(&store)
        .expect("a store")
        .manifest()
        .expect("a manifest")
        .traces
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
    let _turn = turns::beside_others();
    let cluster = Cluster::start(0);
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("ocellus");
    let mut program = std::fs::read(PROGRAM).expect("the program");
    program.push(b'\n');
    std::fs::write(&other, program).expect("a copy");
    let mut permissions = std::fs::metadata(PROGRAM).expect("the program").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut permissions, 0o755);
    std::fs::set_permissions(&other, permissions).expect("a program");
    let trace = sample("paper.trace");
    let trace = trace.to_str().expect("UTF-8");
    for arguments in [
        vec!["cluster", "executor", "--scheduler", &cluster.address],
        vec!["sql", "--cluster", &cluster.address, trace, "SELECT 1"],
    ] {
        let output =
            Command::new(&other).args(&arguments).env("OCELLUS_CACHE", folder.path()).output().expect("a process");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {error}");
        assert!(error.contains("must be the same program"), "{arguments:?}: {error}");
    }
}

#[test]
fn what_cannot_run_there_is_refused_before_it_starts() {
    let _turn = turns::beside_others();
    // No executor: what is refused never gets that far.
    let cluster = Cluster::start(0);
    let (_folder, engine) = engine_on(&["traces/paper.trace".to_string()]);
    block_on(attach(&engine, &cluster.address, &identity(), PATIENCE)).expect("a cluster");
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
    let _turn = turns::beside_others();
    for arguments in [["scheduler", "--bind", "0.0.0.0:0"], ["executor", "--bind", "0.0.0.0"]] {
        let output = Command::new(PROGRAM).arg("cluster").args(arguments).output().expect("a process");
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains("no authentication") && error.contains("--insecure"), "{error}");
    }
}

//! The suite of `tests/sql/**/*.slt` and what runs it, on whatever engine.
//!
//! A file says in its first lines which traces it reads: `# trace: traces/paper.trace`. They are
//! imported into a store of its own; the first is the current one. Lines `# attach: traces/quickstart.dot`
//! attach a network or a hierarchy to the first. Column types are strict: T text,
//! I whole number, R floating point, B boolean, P timestamp, ? anything else.

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::DataType;
use arrow::util::display::array_value_to_string;
use futures::TryStreamExt;
use ocellus_engine::{Engine, EngineOptions};
use ocellus_trace::error::Error;
use ocellus_trace::import::ImportOptions;
use ocellus_trace::import::attach::{AttachOptions, MachineMap, attach};
use tempfile::TempDir;

use crate::slt::{Answer, parse};
use crate::support::{block_on, checkout, empty_store, files, import_into, read};

/// Longest time that a statement of these small traces may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// The letter of a type.
fn letter(kind: &DataType) -> char {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => 'T',
        kind if kind.is_integer() => 'I',
        kind if kind.is_floating() => 'R',
        DataType::Boolean => 'B',
        DataType::Timestamp(_, _) => 'P',
        _ => '?',
    }
}

/// Runs the one statement of a record.
pub async fn answer(engine: &Engine, sql: &str) -> Result<Answer, Error> {
    let statements = engine.split(sql)?;
    let [statement] = statements.as_slice() else {
        return Err(Error::query(format!("a record holds one statement, got {}", statements.len())));
    };
    let answer = engine.run(statement).await?;
    let types = answer.schema.fields().iter().map(|field| letter(field.data_type())).collect();
    let batches: Vec<RecordBatch> =
        answer.stream.try_collect().await.map_err(|e| engine.explain_failure(&e, statement))?;
    let mut rows = vec![];
    for batch in &batches {
        for row in 0..batch.num_rows() {
            rows.push(batch.columns().iter().map(|column| cell(column, row)).collect());
        }
    }
    Ok(Answer { types, rows })
}

fn cell(column: &dyn Array, row: usize) -> String {
    if column.is_null(row) {
        return "NULL".to_string();
    }
    let text = array_value_to_string(column, row).expect("every type can be shown");
    if text.is_empty() { "(empty)".to_string() } else { text }
}

/// Imports traces into a store of their own and opens an engine on the first.
pub fn engine_on(traces: &[String]) -> (TempDir, Engine) {
    engine_with(traces, &[])
}

/// The same, with resources attached to the first trace.
pub fn engine_with(traces: &[String], resources: &[String]) -> (TempDir, Engine) {
    // Statements name files as seen from there.
    std::env::set_current_dir(checkout()).expect("the checkout");
    let (folder, store) = empty_store();
    let mut first = None;
    for trace in traces {
        let name = import_into(&store, &checkout().join(trace), &ImportOptions::default());
        first.get_or_insert(name);
    }
    for resource in resources {
        let file = Some(checkout().join(resource));
        let (topology, hierarchy) = if resource.ends_with(".dot") { (file, None) } else { (None, file) };
        let options = AttachOptions { trace: first.clone(), topology, hierarchy, map: MachineMap::Name };
        attach(&store, &options).unwrap_or_else(|e| panic!("{resource}: {e}"));
    }
    let options = EngineOptions { trace: first, threads: Some(2), ..EngineOptions::default() };
    let engine = Engine::open(store, options).expect("an engine");
    (folder, engine)
}

/// The traces that a file reads, and what is attached to the first.
pub fn heads(text: &str) -> (Vec<String>, Vec<String>) {
    let named = |what: &str| -> Vec<String> {
        let head = text.lines().take_while(|line| line.starts_with("# trace: ") || line.starts_with("# attach: "));
        head.filter_map(|line| line.strip_prefix(what)).map(str::to_string).collect()
    };
    (named("# trace: "), named("# attach: "))
}

/// Runs one file, on an engine that `prepare` has seen; gives the number of records and what failed. What a cluster
/// refuses in plain words neither ran nor failed.
async fn run_file(path: &Path, prepare: impl AsyncFn(&Engine)) -> (usize, Vec<String>) {
    let text = read(path);
    let (traces, resources) = heads(&text);
    assert!(!traces.is_empty(), "{} does not begin with `# trace: …`", path.display());
    let (_folder, engine) = engine_with(&traces, &resources);
    prepare(&engine).await;
    let records = parse(path, &text);
    assert!(!records.is_empty(), "{} has no records", path.display());
    let mut failures = vec![];
    let mut refused = 0;
    for record in &records {
        let given = match tokio::time::timeout(PATIENCE, answer(&engine, &record.sql)).await {
            Ok(given) => given.map_err(|error| error.to_string()),
            Err(_) => Err("no answer".to_string()),
        };
        if given.as_ref().is_err_and(|error| error.contains("without --cluster")) {
            refused += 1;
        } else if let Err(wrong) = record.check(&given) {
            failures.push(format!("{}:{}: {}\n{wrong}", path.display(), record.line, record.sql));
        }
    }
    (records.len() - refused, failures)
}

/// Files that are run at once: planning is the work of one thread.
const AT_ONCE: usize = 2;

/// Runs all files, each of them while its `turn` is held; fails with all that failed. Gives the number of records.
pub fn run_all<T>(turn: impl Fn() -> T + Sync, prepare: impl AsyncFn(&Engine) + Sync) -> usize {
    let paths = Mutex::new(files(&checkout().join("tests/sql"), ".slt").into_iter());
    let next = || paths.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let (mut total, mut failures) = (0, vec![]);
        while let Some(path) = next() {
            let _turn = turn();
            let (count, failed) = block_on(run_file(&path, &prepare));
            total += count;
            failures.extend(failed);
        }
        (total, failures)
    };
    let done: Vec<(usize, Vec<String>)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(&work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    let total = done.iter().map(|(count, _)| count).sum();
    let failures: Vec<String> = done.into_iter().flat_map(|(_, failed)| failed).collect();
    assert!(total > 0, "no record ran");
    assert!(failures.is_empty(), "{} of {total} records failed:\n{}", failures.len(), failures.join("\n"));
    total
}

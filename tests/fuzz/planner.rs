//! Mutated SQL is planned or refused: the statements of `tests/sql` and of the cookbook, changed by a seeded generator.
//!
//! Nothing runs, and no file outside of the store is named. `OCELLUS_FUZZ_INPUTS` says how many inputs, and
//! `OCELLUS_FUZZ_FROM` the number of the first; every number makes the same text in every run.

#[path = "src/mutator.rs"]
mod mutator;
#[path = "../support/mod.rs"]
mod support;

use std::sync::Arc;

use mutator::{Random, mutated};
use ocellus_engine::{Engine, EngineOptions, Files};
use support::{checkout, engine_with, files, read, runtime, sample};

const INPUTS: u64 = 400;
/// Statements of one text that are planned.
const STATEMENTS: usize = 3;

/// The statements of the records of a file.
fn statements_of(text: &str) -> Vec<Vec<u8>> {
    let mut statements: Vec<String> = vec![];
    let mut is_open = false;
    for line in text.lines() {
        match line {
            _ if line.starts_with("query") || line.starts_with("statement") => {
                is_open = true;
                statements.push(String::new());
            }
            "" | "----" => is_open = false,
            _ => {
                if let Some(statement) = statements.last_mut().filter(|_| is_open) {
                    statement.push_str(line);
                    statement.push('\n');
                }
            }
        }
    }
    statements.into_iter().map(String::into_bytes).collect()
}

fn inputs() -> Vec<Vec<u8>> {
    let records =
        files(&checkout().join("tests/sql"), ".slt").iter().flat_map(|path| statements_of(&read(path))).collect();
    let cookbook = files(&checkout().join("sql/queries"), ".sql").iter().map(|path| read(path).into_bytes()).collect();
    let kept =
        files(&checkout().join("tests/fuzz/corpus/planner"), "").iter().map(|path| read(path).into_bytes()).collect();
    let all: Vec<Vec<Vec<u8>>> = vec![records, cookbook, kept];
    all.concat()
}

async fn plan(engine: &Engine, text: &str) {
    let Ok(statements) = engine.split(text) else { return };
    for statement in statements.iter().take(STATEMENTS).filter(|statement| !statement.is_use()) {
        if let Err(error) = engine.plan(statement).await {
            assert!(!engine.explain(&error, text).to_string().is_empty());
        }
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mutated_statements_are_planned_or_refused() {
    let options = EngineOptions { files: Files::Hidden, memory_limit: Some(256 << 20), ..EngineOptions::default() };
    let (_folder, engine) = engine_with(&sample("quickstart.trace"), options);
    let (engine, inputs, runtime) = (Arc::new(engine), inputs(), runtime());
    assert!(inputs.len() > 500, "the statements are missing: {}", inputs.len());
    let first = number("OCELLUS_FUZZ_FROM").unwrap_or(0);
    let mut failures = vec![];
    for number in first..first + number("OCELLUS_FUZZ_INPUTS").unwrap_or(INPUTS) {
        let bytes = mutated(&inputs, &mut Random::new(2, number));
        let text = String::from_utf8_lossy(&bytes);
        let text = text.into_owned();
        // On the threads of the runtime, which have the stack that planning needs.
        let task = (Arc::clone(&engine), text.clone());
        let planned = runtime.spawn(async move { plan(&task.0, &task.1).await });
        if runtime.block_on(planned).is_err() {
            failures.push(format!("input {number}: {text}"));
        }
    }
    assert!(failures.is_empty(), "{} panics\n{}", failures.len(), failures.join("\n\n"));
}

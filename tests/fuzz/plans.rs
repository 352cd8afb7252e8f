//! Mutated physical plans, as a scheduler and an executor read them from the network: they are read or refused.
//!
//! ```text
//!  cookbook ─► plan ─► bytes ─► mutated, as a tree of protobuf or as they are ─► read ─► written ─► read again
//! ```
//! Nothing runs. `OCELLUS_FUZZ_INPUTS` says how many inputs, and `OCELLUS_FUZZ_FROM` the number of the first; a number makes the same change
//! in every run. An input that panics is kept in a folder that the failure names; with `OCELLUS_FUZZ_TRACE` every number is printed
//! before it is tried, for inputs that end the process.

#[path = "src/mutator.rs"]
mod mutator;
#[path = "plans/protobuf.rs"]
mod protobuf;
#[path = "../support/mod.rs"]
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ballista_core::JobId;
use ballista_core::execution_plans::ShuffleWriterExec;
use datafusion::common::Result;
use datafusion::execution::{SessionState, SessionStateBuilder, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::displayable;
use datafusion::prelude::SessionConfig;
use datafusion_proto::physical_plan::AsExecutionPlan;
use ocellus_engine::optimizer::LOCAL_RULES;
use ocellus_engine::{Engine, EngineOptions};

use self::mutator::{Random, mutated};
use self::support::{checkout, engine_with, files, read, runtime, sample};
use crate::admission::ReadingPlan;
use crate::codec::Codec;
use crate::distribute::distribute;
use crate::functions::session;
use crate::job::encode;

const INPUTS: u64 = 1000;
/// Seeds are shorter than this, so that changes are not cut off.
const LONGEST_SEED: usize = 16 << 10;

/// The plan of a statement, as a client sends it; `None` when it has none or needs no cluster.
async fn planned(engine: &Engine, state: &SessionState, text: &str) -> Option<Arc<dyn ExecutionPlan>> {
    let statement = engine.split(text).ok()?.pop()?;
    let plan = engine.plan(&statement).await.ok()?;
    distribute(state.create_physical_plan(&plan).await.ok()?).ok()
}

async fn seeds() -> Vec<Vec<u8>> {
    let (_folder, engine) = engine_with(&sample("quickstart.trace"), EngineOptions::default());
    let state = engine.context().state();
    let rules = state.physical_optimizers().iter().filter(|rule| !LOCAL_RULES.contains(&rule.name()));
    let rules = rules.cloned().collect();
    let state = SessionStateBuilder::new_from_existing(state).with_physical_optimizer_rules(rules).build();
    let mut seeds = vec![];
    for path in files(&checkout().join("sql/queries"), ".sql") {
        let Some(plan) = planned(&engine, &state, &read(&path)).await else { continue };
        // As an executor gets it, too.
        let stage = ShuffleWriterExec::try_new(JobId::from("job".to_string()), 1, Arc::clone(&plan), String::new());
        let stage: Option<Arc<dyn ExecutionPlan>> = stage.ok().map(|stage| Arc::new(stage) as _);
        seeds.extend([Some(plan), stage].iter().flatten().filter_map(|plan| encode(plan).ok()));
    }
    seeds.retain(|seed| seed.len() < LONGEST_SEED);
    seeds
}

/// What a scheduler does with bytes: reads a plan, and sends it on.
fn pass_on(bytes: &[u8], context: &TaskContext) -> Result<()> {
    let plan = ReadingPlan::try_decode(bytes)?.try_into_physical_plan(context, &Codec::default())?;
    assert!(!displayable(plan.as_ref()).indent(true).to_string().is_empty());
    let mut again = vec![];
    ReadingPlan::try_from_physical_plan(plan, &Codec::default())?.try_encode(&mut again)?;
    ReadingPlan::try_decode(&again)?.try_into_physical_plan(context, &Codec::default())?;
    Ok(())
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

#[test]
fn mutated_plans_are_read_or_refused() {
    let seeds = runtime().block_on(runtime().spawn(seeds())).expect("seeds");
    let context = session(SessionConfig::new()).expect("a session").task_ctx();
    assert!(seeds.len() > 40, "plans of the cookbook are missing: {}", seeds.len());
    for seed in &seeds {
        pass_on(seed, &context).expect("a plan of the cookbook is read");
    }
    let kept: Vec<_> = files(&checkout().join("tests/fuzz/corpus/plans"), "")
        .iter()
        .map(|path| std::fs::read(path).expect("an input that was kept"))
        .collect();
    let first = number("OCELLUS_FUZZ_FROM").unwrap_or(0);
    let numbers = first..first + number("OCELLUS_FUZZ_INPUTS").unwrap_or(INPUTS);
    let changed = numbers.map(|number| {
        let mut random = Random::new(7, number);
        let seed = &seeds[random.below(seeds.len())];
        let input = match random.below(4) {
            0 => mutated(&seeds, &mut random),
            _ => protobuf::changed(seed, &mut random),
        };
        (number, input)
    });
    let is_traced = std::env::var_os("OCELLUS_FUZZ_TRACE").is_some();
    let (mut failures, mut accepted) = (vec![], 0);
    for (number, input) in kept.into_iter().map(|input| (u64::MAX, input)).chain(changed) {
        if is_traced {
            eprintln!("input {number}");
        }
        match catch_unwind(AssertUnwindSafe(|| pass_on(&input, &context))) {
            Ok(passed) => accepted += u64::from(passed.is_ok()),
            Err(_) => {
                let path = std::env::temp_dir().join(format!("ocellus-plan-{number}"));
                std::fs::write(&path, &input).expect("a temporary file");
                failures.push(format!("input {number}, kept in {}", path.display()));
            }
        }
    }
    assert!(accepted > 0, "no mutated plan is read: the mutations are too rough");
    assert!(failures.is_empty(), "{} panics\n{}", failures.len(), failures.join("\n"));
}

//! What was planted, as a program can read it: worked out from the run with the fault and the clean run of the same seed.

use serde::Serialize;

use super::layout::MachinePart;
use super::operations::names;
use super::options::{FaultKind, FaultOptions, ProgramShape};
use super::plan::{FaultPlan, FaultVariant};
use super::record::RunRecord;
use crate::error::{Error, Result};

/// The planted cause. Times are seconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FaultTruth {
    /// What is wrong.
    pub kind: FaultKind,
    /// What the program is like.
    pub shape: ProgramShape,
    /// The seed of both runs.
    pub seed: u64,
    /// Path of the smallest container that has the cause.
    pub container: String,
    /// Names of the containers involved: that one, or both ranks of a slow connection.
    pub containers: Vec<String>,
    /// When it begins to matter.
    pub start: f64,
    /// When it has ceased to.
    pub end: f64,
    /// How strong it is, in the unit of its kind.
    pub strength: f64,
    /// Values of states, names of variables, or what the fault is called if it has several forms.
    pub values: Vec<String>,
    /// By how much longer the run takes than the clean one.
    pub lost_run_seconds: f64,
    /// The same for all ranks together: seconds of resources.
    pub lost_seconds: f64,
    /// Share of the run that is lost.
    pub lost_share: f64,
    /// Length of the run.
    pub run_seconds: f64,
    /// Length of the clean run.
    pub clean_run_seconds: f64,
}

impl FaultTruth {
    /// The truth as one JSON object.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self).map_err(|e| Error::Internal(format!("cannot write the truth: {e}")))
    }
}

/// What is true of a run with a fault.
pub(super) fn truth(options: &FaultOptions, plan: &FaultPlan, run: &RunRecord, clean: &RunRecord) -> FaultTruth {
    let (start, end) = interval(plan, run);
    let lost = run.end.saturating_sub(clean.end);
    let containers = match plan.pair {
        Some((left, right)) => vec![MachinePart::Rank(left).name(), MachinePart::Rank(right).name()],
        None => vec![plan.part.name()],
    };
    FaultTruth {
        kind: plan.kind,
        shape: options.shape,
        seed: options.seed,
        container: plan.part.path(),
        containers,
        start: seconds(start),
        end: seconds(end),
        strength: plan.strength as f64 / 1000.0,
        values: values(plan, options.shape).into_iter().map(str::to_string).collect(),
        lost_run_seconds: seconds(lost),
        lost_seconds: seconds(lost * u64::from(options.ranks)),
        lost_share: lost as f64 / run.end as f64,
        run_seconds: seconds(run.end),
        clean_run_seconds: seconds(clean.end),
    }
}

/// From when to when, in nanoseconds of the run.
fn interval(plan: &FaultPlan, run: &RunRecord) -> (u64, u64) {
    let steps = |first: u32, last: u32| (run.steps[first as usize].0, run.steps[last as usize].1);
    let last = run.steps.len() as u32 - 1;
    match plan.kind {
        FaultKind::SlowRankInterval | FaultKind::NetworkInterval | FaultKind::MemoryCeiling => {
            (plan.start, plan.end.min(run.end))
        }
        FaultKind::DeviatingInterval => {
            let writes = run.spans.iter().filter(|span| span.state == names::WRITE);
            let ends = writes.fold((u64::MAX, 0), |(start, end), span| (span.start.min(start), span.end.max(end)));
            if ends.1 == 0 { (plan.start, plan.end.min(run.end)) } else { ends }
        }
        FaultKind::Startup if plan.variant == FaultVariant::First => of_state(run, names::INIT),
        FaultKind::Startup => of_state(run, names::FINALIZE),
        FaultKind::LateSender
        | FaultKind::LateReceiver
        | FaultKind::CollectiveWait
        | FaultKind::Serialisation
        | FaultKind::Imbalance => {
            // Iteration 0 is step 1.
            steps(plan.iterations.start + 1, plan.iterations.end)
        }
        FaultKind::SmallMessages | FaultKind::NoOverlap | FaultKind::Drift => steps(1, last - 1),
        _ => (0, run.end),
    }
}

/// When the first rank enters a state and the last one leaves it.
fn of_state(run: &RunRecord, state: &str) -> (u64, u64) {
    let spans = run.spans.iter().filter(|span| span.state == state);
    spans.fold((u64::MAX, 0), |(start, end), span| (span.start.min(start), span.end.max(end)))
}

fn values(plan: &FaultPlan, shape: ProgramShape) -> Vec<&'static str> {
    match (plan.kind, shape, plan.variant) {
        (FaultKind::DeviatingInterval, ..) => vec![names::WRITE],
        (FaultKind::Imbalance, ProgramShape::MasterWorker, _) => vec![names::TASK],
        (FaultKind::Imbalance, ProgramShape::Pipeline, _) => vec![names::STAGE],
        (FaultKind::Imbalance, ..) => vec![names::MAIN],
        (FaultKind::LateSender | FaultKind::LateReceiver, ..) => vec![names::AFTER],
        (FaultKind::CollectiveWait, ..) => vec![names::TAIL],
        (FaultKind::Serialisation, ..) => vec![names::SECTION],
        (FaultKind::Startup, _, FaultVariant::First) => vec![names::INIT],
        (FaultKind::Startup, ..) => vec![names::FINALIZE],
        (FaultKind::MemoryCeiling, ..) => vec!["memory"],
        (FaultKind::TraceQuality, _, FaultVariant::First) => vec!["damaged lines"],
        (FaultKind::TraceQuality, ..) => vec!["clock"],
        _ => vec![],
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

//! What is wrong with a run: from a matrix of containers, slices and values to ranked findings.
//!
//! ```text
//!  rows ─► RunMatrix ─┬─► slow_container, load_imbalance, …   one file per kind, each a pure function
//!                     └─► ranking: causes before their effects, the most severe first
//! ```
//! Thresholds are of two sorts. A deviation counts when it is larger than chance makes the largest of all places that were
//! looked at ([`statistics::chance`]), with the noise measured in the run itself by medians. And it counts when it
//! matters: when its severity is at least that which the caller asks for.

mod blame;
mod borders;
mod cells;
mod cycle;
mod deviating_interval;
mod drift;
mod evidence;
mod extra_activity;
mod finding;
mod in_turn;
mod load_imbalance;
mod matrix;
mod network;
mod no_overlap;
mod ranking;
mod recovery;
mod resource_ceiling;
mod rows;
mod run_tree;
mod scan;
mod segments;
mod serialisation;
mod siblings;
mod slow_container;
mod small_messages;
mod start_end;
mod state_type;
mod statistics;
#[cfg(test)]
mod tests;
mod trace_quality;
mod waiting;
mod work;

pub use self::evidence::Evidence;
pub use self::finding::{Finding, FindingKind, FindingSettings};
pub use self::matrix::RunMatrix;
pub use self::rows::{
    ActivityRow, BegunCell, DiagnosticRow, LinkEndCell, LinkRole, PairRow, ResourceRow, RunRows, StateActivity,
    StateCell, TraceRow, TreeContainerRow, VariableCell, WaitReason, WaitSumRow,
};

use self::blame::Blame;
use self::work::WorkRatios;

/// The findings of a run, ranked.
pub fn find(run: &RunMatrix, settings: &FindingSettings) -> Vec<Finding> {
    let work = WorkRatios::new(run);
    let blame = Blame::new(run);
    let mut found = slow_container::find(run, &work, &blame);
    let extra = extra_activity::find(run, &blame, &found);
    found.extend(drift::find(run, &work));
    found.extend(load_imbalance::find(run, &work, &found));
    found.extend(serialisation::find(run, &extra));
    found.extend(waiting::find(run, &blame));
    let network = network::find(run, &blame);
    found.extend(no_overlap::find(run, &blame, network.everywhere));
    found.extend(network.found);
    found.extend(small_messages::find(run, &blame));
    let deviating = deviating_interval::find(run, &work, &extra, &found);
    found.extend(deviating);
    resource_ceiling::explain(run, &mut found);
    found.extend(resource_ceiling::find(run));
    found.extend(start_end::find(run));
    found.extend(trace_quality::find(run));
    ranking::rank(run, found, settings)
}

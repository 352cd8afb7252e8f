//! Comparing runs: functions that read two traces of a store.

mod compared_run;
pub mod difference_levels;
pub mod difference_model;
pub mod difference_partition;
pub(crate) mod run_alignment;
pub mod run_diff;
pub(crate) mod run_diff_match;
pub mod run_findings;
mod run_pairs;

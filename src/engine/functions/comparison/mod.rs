//! Comparing runs: functions that read two traces of a store.

mod compared_run;
pub mod run_diff;
pub(crate) mod run_diff_match;

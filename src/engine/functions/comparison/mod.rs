//! Comparing runs: functions that read two traces of a store.

pub mod run_diff;

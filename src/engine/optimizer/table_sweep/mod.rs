//! Aggregates that collect a whole table for an algorithm become operators that do not hold it.
//!
//! ```text
//!  unnest                              TableSweepExec
//!    aggregate, final        ─►          rows, in one partition
//!      aggregate, partial
//!        rows
//! ```
//! Windows over a whole table sort it in little memory, or by time alone; so do lengths of unions of intervals.

mod bounded_sort;
mod bounded_sort_exec;
mod exec;
mod latest_rows;
mod numbered_keys;
mod overlap_lengths;
mod overlap_lengths_exec;
mod previous_rows;
mod previous_rows_exec;
mod rule;
mod spool;
mod sweeping;
mod tick_sort;

pub(crate) use bounded_sort_exec::BoundedSorts;
pub(crate) use overlap_lengths::OverlapLengths;
pub(crate) use previous_rows::PreviousRows;
pub(crate) use rule::TableSweeps;

//! The join of intervals: the rule that puts it in the place of a generic join, and its operators.
//!
//! ```text
//!  IntervalJoinExec: one side in an index of intervals, the other asks it
//!  IntervalSweepExec: both sides sorted by start, when the index would not fit or be very large
//! ```
//! The operators have a [codec] for plans that travel.

mod build;
pub mod codec;
mod exec;
mod join_spec;
mod probe;
mod rule;
mod sweep_exec;
mod swept;

pub use exec::IntervalJoinExec;
pub(crate) use rule::IntervalJoins;
pub(crate) use sweep_exec::IntervalSweepExec;

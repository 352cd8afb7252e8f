//! The critical path of a trace that is not held: once forwards, once backwards.
//!
//! ```text
//!  states and messages, by begin ──► PathSurvey ──► records, by end      what ends, with what must be known of it
//!                                                        │
//!  steps, the last one first     ◄── PathWalkBack ◄── records backwards  the walk of critical_path
//! ```
//! The survey holds open states and messages in flight. So does the walk, which meets them the other way round: what
//! lies before the instant at which it is, and decides where it goes, is in the records. Same steps as
//! [`critical_path`](super::critical_path), for states that do not overlap.

mod back_lane;
mod records;
mod survey;
mod survey_lane;
#[cfg(test)]
mod tests;
mod walk;

pub use records::{BackStep, JoinedNumbers, PathFacts, PathRecord, StateRecord, SurveyedMessage};
pub use survey::PathSurvey;
pub use walk::PathWalkBack;

//! What members do of their own, by value and slice.

use super::rows::StateActivity;

/// A value of states.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RunValue {
    pub(super) name: String,
    pub(super) activity: StateActivity,
    /// Whether it is no value of states, but the time between two.
    pub(super) is_between: bool,
}

/// States of a member and value that begin in a slice; or the times between two states, where these are computation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WorkCell {
    pub(super) member: usize,
    pub(super) value: usize,
    pub(super) slice: usize,
    pub(super) states: f64,
    pub(super) seconds: f64,
    /// When the first begins, and when the last ends.
    pub(super) first: f64,
    pub(super) last: f64,
}

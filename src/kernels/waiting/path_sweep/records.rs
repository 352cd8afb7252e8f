//! What a survey says of a trace, and what a walk back makes of it.

use super::super::facts::WaitFacts;
use super::super::{StepKind, TimedState};

/// Which states are one collective with a state, in both ways in which this may be found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinedNumbers {
    /// It is the n-th of its value in its container.
    pub in_container: u32,
    /// Number of the states of its value that have an instant in common.
    pub in_common: u32,
}

/// A message whose target is in a state in which others can hold it up when it arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SurveyedMessage {
    /// The container that sends it.
    pub source: u32,
    /// The container that receives it.
    pub target: u32,
    /// When it is sent, or received if that is before.
    pub start: i64,
    /// When it is received.
    pub end: i64,
    /// What the caller knows it by.
    pub label: u32,
    /// Binary digits of its size; 0 when that is unknown.
    pub size: u8,
    /// Whether it stands for a collective operation.
    pub is_collective: bool,
    /// When the state of its target begins.
    pub began: i64,
}

/// A state that has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateRecord {
    /// The state.
    pub state: TimedState,
    /// When the first message arrived that may have ended a wait in it.
    pub first_arrival: Option<i64>,
    /// Whether a message arrived in it, or was picked up.
    pub is_reached: bool,
    /// Of a collective.
    pub joined: Option<JoinedNumbers>,
    /// Whether other states have an instant in common with it, as one collective.
    pub is_common: bool,
}

/// A line of the log that a survey writes and a walk reads backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRecord {
    /// A collective of a container begins: container, start, value and numbers.
    Begin(u32, i64, u32, JoinedNumbers),
    /// A message arrives, and whether it may end a wait.
    Arrival(SurveyedMessage, bool),
    /// A message of the container of the state that ends next, received in that state.
    Receipt(SurveyedMessage),
    /// A state ends.
    End(StateRecord),
}

/// What must be known of a whole trace before a walk.
#[derive(Debug, Clone, Default)]
pub struct PathFacts {
    pub(crate) waits: WaitFacts,
    /// The container in which the path ends.
    pub(super) last: Option<u32>,
}

/// A step of the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackStep {
    /// What it is.
    pub kind: StepKind,
    /// The container that is on the path; of a message, its source.
    pub container: u32,
    /// The container that receives the message.
    pub target: Option<u32>,
    /// Value of the state, or label of the message; `None` in no state.
    pub value: Option<u32>,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
}

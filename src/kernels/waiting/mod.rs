//! Waiting: what a container waits for, and the chain of dependencies that sets the end.
//!
//! ```text
//!  receiver  ..[=== wait ===]      until the message is sent it is late, then it is in transfer
//!  sender    ......s────────►
//!
//!  sender    ..[=== wait ===]      until the receive begins that is late, then the message is in transfer
//!  receiver  .......[receive ]
//!
//!  one       ..[= barrier ==]      until the last one comes
//!  last      ......[ barrier]
//! ```
//! In: states and messages. Out: every tick of a waiting state with its kind, and the critical path. Ties go to the
//! smaller container. O((n + m) log (n + m)) for n states and m messages.

mod causes;
mod collectives;
mod facts;
mod flights;
mod open_wait;
mod path;
mod path_sweep;
mod sweep;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod twins;
mod waits;

pub use causes::WaitTrace;
pub(crate) use facts::CollectiveNumbers;
pub use facts::WaitFacts;
pub use open_wait::{SweptMessage, SweptWait};
pub use path::{CriticalStep, StepKind, critical_path};
pub use path_sweep::{
    BackStep, JoinedNumbers, PathFacts, PathRecord, PathSurvey, PathWalkBack, StateRecord, SurveyedMessage,
};
pub use sweep::WaitSweep;
pub use waits::{WaitKind, WaitPiece, for_each_wait};

/// A message that was less than this part of its flight in the wait had arrived before: it was only picked up.
pub(crate) const LEAST_PART: i64 = 100;

/// A state. Times are ticks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimedState {
    /// The container that is in it.
    pub container: u32,
    /// When it starts.
    pub start: i64,
    /// When it ends.
    pub end: i64,
    /// Number of its value: collectives of one value belong together.
    pub value: u32,
    /// What the container does in it.
    pub role: StateRole,
    /// Whether it is a collective operation.
    pub joins: bool,
}

impl TimedState {
    /// Whether others can hold the container up in it.
    pub(crate) fn is_blocked(&self) -> bool {
        self.joins || matches!(self.role, StateRole::Communicates | StateRole::Waits)
    }
}

/// What a container does in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateRole {
    /// It computes.
    Works,
    /// It does something else on its own, such as input and output, or overhead.
    Other,
    /// Nobody knows.
    Unknown,
    /// It sends or receives, and perhaps waits for others.
    Communicates,
    /// It waits.
    Waits,
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitMessage {
    /// The container that sends it.
    pub source: u32,
    /// The container that receives it.
    pub target: u32,
    /// When it is sent.
    pub start: i64,
    /// When it is received.
    pub end: i64,
    /// What the caller knows it by.
    pub label: u32,
    /// Binary digits of its size; 0 when that is unknown.
    pub size: u8,
    /// Whether it stands for a collective operation: from the one that was waited for to one that waited.
    pub is_collective: bool,
}

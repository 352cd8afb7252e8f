//! What if: a trace as a graph of dependencies, run again with other durations.
//!
//! ```text
//!  A  ====s                     a point is an instant at which a container begins or ends a state, sends or receives;
//!         └─────►               it is reached when the time since the point before is spent, and everything that the
//!  B  ===[ wait ]====           container waits for is there: messages, members of a collective, receivers
//! ```
//! In: states, of which those that are followed do not overlap ([`LeadingStates`]), and links, in the order in which they begin, twice: [`ReplaySurvey`], then
//! [`ReplaySweep`]. Out: each of them with its new times. What is computation, communication and waiting, and what ends
//! a wait, is what [`critical_path`](crate::waiting::critical_path) takes it for. Without changes everything comes out as
//! it was, to the tick: whatever is not explained by others is time of the container's own.
//!
//! All dependencies lead forwards in measured time, so what is open is held, and nothing else.

mod balance;
mod carried;
mod changes;
mod facts;
mod groups;
mod happenings;
mod instant;
mod lane;
mod leading;
mod moment;
mod phases;
mod points;
#[cfg(test)]
mod samples;
mod sweep;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;

pub use balance::BalanceSurvey;
pub use changes::{ChosenLinks, NetworkChange, ReplayChanges};
pub use facts::{ReplayFacts, ReplaySurvey};
pub use leading::{LeadingStates, LedState};
pub use phases::BalancedPhases;
pub use sweep::ReplaySweep;

use crate::waiting::{TimedState, WaitMessage};

/// What a state is in a replay: a container follows one at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplayPart {
    /// Its container follows it.
    Whole,
    /// A piece of a carried state, which its container follows. It is not given back.
    Piece,
    /// Its container follows other states, or pieces of it, at the same time: its ends keep their place between points.
    Carried,
}

/// A state that is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayState<D> {
    /// The state.
    pub state: TimedState,
    /// What it is.
    pub part: ReplayPart,
    /// What its own time is multiplied by, where changes apply.
    pub factor: f64,
    /// What the caller knows of it.
    pub detail: D,
}

/// A link that is replayed.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplayLink<D> {
    /// The message. Its label is not used.
    pub message: WaitMessage,
    /// Its size.
    pub volume: Option<f64>,
    /// What the caller knows of it.
    pub detail: D,
}

/// A state or a link.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayRow<D> {
    /// A state.
    State(ReplayState<D>),
    /// A link.
    Link(ReplayLink<D>),
}

/// A state or a link with its new times.
#[derive(Debug, Clone, PartialEq)]
pub struct Replayed<D> {
    /// As it was.
    pub row: ReplayRow<D>,
    /// When it starts now.
    pub start: i64,
    /// When it ends now.
    pub end: i64,
}

//! How commands end.

/// How a command ended when nothing failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The command did its work.
    Done,
    /// The command did its work and found faults, as `validate` does.
    FoundFaults,
}

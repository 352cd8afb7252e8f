//! What a generated MPI trace looks like.

/// What the trace looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MpiOptions {
    /// Lines after the header of event definitions.
    pub events: u64,
    /// How many ranks there are.
    pub ranks: u32,
    /// Where the random numbers start.
    pub seed: u64,
}

impl Default for MpiOptions {
    fn default() -> MpiOptions {
        MpiOptions { events: 5_000_000, ranks: 64, seed: 1 }
    }
}

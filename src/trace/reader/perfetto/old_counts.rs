//! Counts of older programs, which are written as they are or as differences to the event before on the same sequence.

/// A count as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OldCount {
    Absolute(i64),
    Difference(i64),
}

/// What the differences of a sequence are added to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OldSums {
    /// Of timestamps, in microseconds.
    pub timestamp_us: i64,
    /// Of the time that the thread ran, in microseconds.
    pub thread_time_us: i64,
    pub thread_instructions: i64,
}

impl OldCount {
    /// The count itself; a difference moves the sum. `None` beyond 64 bits.
    pub fn value(self, sum: &mut i64) -> Option<i64> {
        match self {
            OldCount::Absolute(count) => Some(count),
            OldCount::Difference(more) => {
                *sum = sum.checked_add(more)?;
                Some(*sum)
            }
        }
    }
}

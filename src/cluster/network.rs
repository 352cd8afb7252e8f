//! What all parts of a cluster agree on when they talk to each other.

/// Largest message between the parts: plans with many files, and batches with long texts.
pub(super) const LARGEST_MESSAGE: u32 = 1 << 30;
/// Seconds between two signs of life of an executor.
pub(super) const HEARTBEAT: u64 = 2;
/// Seconds without a sign of life after which an executor counts as gone and its tasks start elsewhere.
pub(super) const EXECUTOR_TIMEOUT: u64 = 8;
/// Seconds without an executor after which the scheduler ends a job. Clients decide by themselves how long they wait;
/// this is for the jobs of those that died.
pub(super) const ABANDONED_JOB: u64 = 3600;

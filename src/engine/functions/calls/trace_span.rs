//! The time that a trace takes.

use ocellus_trace::time::Resolution;

/// When a trace starts and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceSpan {
    pub start_tick: i64,
    pub end_tick: i64,
    pub resolution: Resolution,
    /// Date of the trace's zero, in nanoseconds since 1970.
    pub origin: i64,
}

//! The time that a trace takes.

use ocellus_trace::time::Resolution;

/// When a trace starts and ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TraceSpan {
    pub(crate) start_tick: i64,
    pub(crate) end_tick: i64,
    pub(crate) resolution: Resolution,
    /// Date of time 0 of the trace, in nanoseconds since 1970.
    pub(crate) origin: i64,
}

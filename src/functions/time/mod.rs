//! Time: from the ticks of a trace to seconds.

pub mod tick_seconds;

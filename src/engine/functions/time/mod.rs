//! Time: from the ticks of a trace to seconds, and from seconds to dates.

pub mod dated;
pub mod tick_seconds;
pub(crate) mod tick_totals;
pub mod timestamp_of;

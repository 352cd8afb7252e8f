//! Time slices: what happened in each part of a window of time.

pub mod event_slices;
pub mod link_slices;
pub mod overlap;
pub mod slice_events;
pub mod slice_integral;
pub mod slice_of;
pub mod slice_seconds;
pub mod slice_time;
pub mod slice_totals;
pub mod state_slices;
pub mod variable_slices;

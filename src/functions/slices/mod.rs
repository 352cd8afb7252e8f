//! Time slices: what happened in each part of a window of time.

pub mod slice_time;
pub mod state_slices;

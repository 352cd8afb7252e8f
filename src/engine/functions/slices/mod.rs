//! Time slices: what happened in each part of a window of time.

pub mod event_slices;
pub mod link_slices;
pub mod overlap;
mod slice_aggregate;
pub(crate) mod slice_cells;
pub mod slice_events;
mod slice_groups;
pub mod slice_integral;
pub(crate) mod slice_kind;
mod slice_lists;
pub(crate) mod slice_names;
pub mod slice_of;
pub(crate) mod slice_plan;
pub mod slice_seconds;
mod slice_state_codec;
pub mod slice_time;
pub(crate) mod slice_times;
pub mod slice_totals;
pub(crate) mod slice_window;
pub mod state_slices;
pub mod variable_slices;

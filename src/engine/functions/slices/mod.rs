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

use datafusion::logical_expr::AggregateUDF;

use super::plans::query_links::MemorySlot;

/// Where an aggregate of slices finds the memory of its query; `None` for other aggregates.
pub(crate) fn memory_slot(function: &AggregateUDF) -> Option<&MemorySlot> {
    slice_aggregate::memory_slot::<state_slices::SlicedStates>(function)
        .or_else(|| slice_aggregate::memory_slot::<variable_slices::SlicedVariables>(function))
        .or_else(|| slice_aggregate::memory_slot::<event_slices::SlicedEvents>(function))
        .or_else(|| slice_aggregate::memory_slot::<link_slices::SlicedLinks>(function))
        .or_else(|| slice_lists::memory_slot::<state_slices::SlicedStates>(function))
        .or_else(|| slice_lists::memory_slot::<variable_slices::SlicedVariables>(function))
        .or_else(|| slice_lists::memory_slot::<event_slices::SlicedEvents>(function))
}

/// An aggregate of slices that is called by hand, for one call; `None` for others, which are made for each call anyway.
pub(crate) fn of_one_call(function: &AggregateUDF) -> Option<AggregateUDF> {
    slice_lists::of_one_call::<state_slices::SlicedStates>(function)
        .or_else(|| slice_lists::of_one_call::<variable_slices::SlicedVariables>(function))
        .or_else(|| slice_lists::of_one_call::<event_slices::SlicedEvents>(function))
}

//! `time_profile`: the view of `sql/views/time_profile.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "time_profile",
    "What all containers together were doing over time: the time in each state, in 100 slices of the trace.",
    "Counts the innermost state (state_segments). States that do not occur in a slice give no row. For other \
     slices or a window, call state_slices(state_segments, slices => …, start => …, stop => …) and sum over \
     containers, as the cookbook does.",
    &[
        column("slice", "BIGINT", "Number of the slice, from 0 on."),
        column("slice_start", "DOUBLE", "When the slice begins, in seconds."),
        column("slice_end", "DOUBLE", "When it ends, in seconds."),
        column("type", "TEXT", "Type of the state."),
        column("value", "TEXT", "Name of the state."),
        column("seconds", "DOUBLE", "Time in it, of all containers together; the innermost state counts."),
        column("containers", "DOUBLE", "How many containers were in it, on average over the slice."),
    ],
    &["SELECT slice_start, slice_end, value, seconds, containers FROM time_profile WHERE slice = 39 ORDER BY \
         value"],
    include_str!("../../../../sql/views/time_profile.sql"),
);

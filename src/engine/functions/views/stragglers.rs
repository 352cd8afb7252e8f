//! `stragglers`: the view of `sql/views/stragglers.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "stragglers",
    "Which containers deviate from their siblings, and when: in 100 slices of the trace.",
    "Counts the innermost state. With n siblings nobody can be more than sqrt(n - 1) standard deviations away, \
     so that groups of less than five have no rows. The standard deviation is that of all siblings, not of a \
     sample. Siblings that are equal to each other have no rows. Cost: one row for each slice, container and \
     value; for fewer slices, start from state_slices.",
    &[
        column("slice", "BIGINT", "Number of the slice, from 0 on."),
        column("slice_start", "DOUBLE", "When the slice begins, in seconds."),
        column("slice_end", "DOUBLE", "When it ends, in seconds."),
        column("container_id", "INTEGER", "The container that deviates."),
        column("container", "TEXT", "Name of it."),
        column("type", "TEXT", "Type of the state."),
        column("value", "TEXT", "The state in which it spends more or less time than its siblings."),
        column("seconds", "DOUBLE", "Its time in the state, within the slice."),
        column("mean_seconds", "DOUBLE", "The mean of all siblings, itself included."),
        column("z_score", "DOUBLE", "How many standard deviations above the mean; negative when below."),
        column("siblings", "BIGINT", "How many siblings there are, itself included."),
    ],
    &["SELECT slice_start, container, value, seconds, mean_seconds, z_score FROM stragglers ORDER BY value"],
    include_str!("../../../../sql/views/stragglers.sql"),
);

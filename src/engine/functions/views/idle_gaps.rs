//! `idle_gaps`: the view of `sql/views/idle_gaps.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "idle_gaps",
    "When containers were in no state: the gaps between states, before the first and after the last.",
    "Looks at each container and type that it has states of, from the creation of the container to its end. A \
     container that has no state of a type at all has no rows; states of no length do not end a gap. Gaps and \
     states together are the life of the container. Sorts all segments once.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "The type of state that is missing."),
        column("start_time", "DOUBLE", "When the gap begins, in seconds."),
        column("end_time", "DOUBLE", "When it ends, in seconds."),
        column("seconds", "DOUBLE", "How long it is."),
        column("previous_value", "TEXT", "The state before it; NULL for a gap before the first."),
        column("next_value", "TEXT", "The state after it; NULL for a gap after the last."),
    ],
    &["SELECT container, start_time, end_time, previous_value, next_value FROM idle_gaps ORDER BY \
         container_id, start_time"],
    include_str!("../../../../sql/views/idle_gaps.sql"),
);

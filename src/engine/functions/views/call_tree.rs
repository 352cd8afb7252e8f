//! `call_tree`: the view of `sql/views/call_tree.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "call_tree",
    "How long containers were in each state, by the states around it: nested states as paths.",
    "The parent of a state is the state of the same container and type that it lies in. Recursion gives longer \
     paths, so no time is counted twice within a path. The exclusive times of a container and type add up to \
     the time that it was in any state of the type, as those of flat_profile do. A slash in the name of a state \
     is kept as it is. A state of no length may be given a parent of its own instant that it did not lie in, \
     since the order of what happens at one instant is not stored; seconds are right all the same. Sorts all \
     states once.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "Type of the states."),
        column("path", "TEXT", "The states from the outermost down to it, joined by slashes."),
        column("value", "TEXT", "The state itself, last in the path."),
        column("depth", "INTEGER", "How many states lie around it."),
        column("states", "BIGINT", "How often the container was in it by this path."),
        column("inclusive_seconds", "DOUBLE", "Time in it and in what is nested in it."),
        column("exclusive_seconds", "DOUBLE", "Time in it alone."),
    ],
    &["SELECT path, states, inclusive_seconds, exclusive_seconds FROM call_tree WHERE container = 'process 1' \
         ORDER BY path"],
    include_str!("../../../../sql/views/call_tree.sql"),
);

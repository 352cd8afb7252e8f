//! `flat_profile`: the view of `sql/views/flat_profile.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "flat_profile",
    "How long each container was in each state: counting what is nested in the state, and without it.",
    "Inclusive time counts a state from its start to its end, exclusive time only while it is the innermost of \
     its type. A state nested in one of the same value (recursion) is counted in states, and adds nothing to \
     the inclusive time. The exclusive times of a container and type add up to the time that it was in any \
     state of the type. States of no length count with zero seconds. Sum over containers for the profile of the \
     whole trace; state_slices gives the profile of a window. Without states there are no rows.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "Type of the states."),
        column("value", "TEXT", "Name of the state."),
        column("states", "BIGINT", "How often the container was in it, recursion included."),
        column("inclusive_seconds", "DOUBLE", "Time in it and in what is nested in it."),
        column("exclusive_seconds", "DOUBLE", "Time in it alone."),
    ],
    &["SELECT container, value, states, inclusive_seconds, exclusive_seconds FROM flat_profile ORDER BY \
         container_id, value"],
    include_str!("../../../../sql/views/flat_profile.sql"),
);

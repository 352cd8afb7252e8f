//! `computation_vs_communication`: the view of `sql/views/computation_vs_communication.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "computation_vs_communication",
    "How much each container computes for what it communicates: a measure of its efficiency.",
    "Time is exclusive: that of the innermost state. What a state is for is told by its name, by the rules of \
     state_activities. Containers without states have no row. Rows of several types of state of one container \
     must not be added up.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "Type of the states."),
        column("computation_seconds", "DOUBLE", "Time in states of computation."),
        column("communication_seconds", "DOUBLE", "Time in states of communication."),
        column("waiting_seconds", "DOUBLE", "Time in states of waiting."),
        column("overhead_seconds", "DOUBLE", "Time in states of overhead."),
        column("ratio", "DOUBLE", "Computation / (communication + waiting); NULL when there is none of these."),
        column("efficiency", "DOUBLE", "Computation / time in any state of the type; NULL when that is no time."),
    ],
    &["SELECT container, computation_seconds, round(communication_seconds, 9) AS communication_seconds, \
         waiting_seconds, round(ratio, 9) AS ratio FROM computation_vs_communication ORDER BY container_id"],
    include_str!("../../../../sql/views/computation_vs_communication.sql"),
);

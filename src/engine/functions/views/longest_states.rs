//! `longest_states`: the view of `sql/views/longest_states.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "longest_states",
    "The ten longest states of every type and value.",
    "Durations are inclusive. Of states that are equally long, the earliest comes first, then the one of the \
     first container. Rows come in no order: ORDER BY type, value, rank. Sorts all states once; for one value, \
     SELECT … FROM states WHERE value = … ORDER BY duration DESC LIMIT 10 is faster.",
    &[
        column("type", "TEXT", "Type of the state."),
        column("value", "TEXT", "Name of the state."),
        column("rank", "BIGINT", "1 for the longest."),
        column("container_id", "INTEGER", "The container that was in it."),
        column("container", "TEXT", "Name of that container."),
        column("start_time", "DOUBLE", "When it began, in seconds."),
        column("end_time", "DOUBLE", "When it ended, in seconds."),
        column("duration", "DOUBLE", "How long it took, nested states included, in seconds."),
        column("depth", "INTEGER", "How many states lie beneath it on the stack."),
    ],
    &["SELECT value, rank, container, start_time, duration FROM longest_states WHERE value = 'MPI_Recv' ORDER \
         BY rank"],
    include_str!("../../../../sql/views/longest_states.sql"),
);

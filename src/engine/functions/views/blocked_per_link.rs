//! `blocked_per_link`: the view of `sql/views/blocked_per_link.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "blocked_per_link",
    "How long each container was blocked for each of its links, on average.",
    "Blocked is the time in states of waiting, by the rules of state_activities: blocked, MPI_Recv, MPI_Wait \
     and so on. A link from a container to itself counts twice. Containers with neither states nor links have \
     no row.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("blocked_seconds", "DOUBLE", "Time in states of waiting, of all types."),
        column("sent_links", "BIGINT", "Links that start there."),
        column("received_links", "BIGINT", "Links that end there."),
        column("seconds_per_link", "DOUBLE", "Blocked_seconds / all of them; NULL without links."),
    ],
    &["SELECT container, blocked_seconds, sent_links, received_links, seconds_per_link FROM blocked_per_link \
         ORDER BY container_id"],
    include_str!("../../../../sql/views/blocked_per_link.sql"),
);

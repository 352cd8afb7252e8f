//! `comm_by_container`: the view of `sql/views/comm_by_container.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "comm_by_container",
    "What each container sent and received.",
    "A link from a container to itself is sent and received. Containers without links have no row. link_slices \
     gives the same over time.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "Type of the links."),
        column("sent_links", "BIGINT", "Links that start there."),
        column("received_links", "BIGINT", "Links that end there."),
        column("sent_volume", "DOUBLE", "What the first carried; NULL when none tells."),
        column("received_volume", "DOUBLE", "What the second carried; NULL when none tells."),
        column("sent_seconds", "DOUBLE", "Durations of the first together."),
        column("received_seconds", "DOUBLE", "Durations of the second together."),
        column("targets", "BIGINT", "How many different containers it sent to."),
        column("sources", "BIGINT", "How many different containers it received from."),
    ],
    &["SELECT container, sent_links, sent_volume, received_links, received_volume FROM comm_by_container \
         ORDER BY container_id"],
    include_str!("../../../../sql/views/comm_by_container.sql"),
);

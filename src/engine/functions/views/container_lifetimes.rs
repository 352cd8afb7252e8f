//! `container_lifetimes`: the view of `sql/views/container_lifetimes.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "container_lifetimes",
    "When each container lived, and for which part of the trace.",
    "A container that is never destroyed lives to the end of the trace.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "Type of the container."),
        column("path", "TEXT", "Names from the root down to it."),
        column("depth", "INTEGER", "Distance from the root."),
        column("start_time", "DOUBLE", "When it was created, in seconds."),
        column("end_time", "DOUBLE", "When it was destroyed, in seconds."),
        column("seconds", "DOUBLE", "How long it lived."),
        column("share", "DOUBLE", "Which part of the trace that is; NULL when the trace takes no time."),
        column("began_after", "DOUBLE", "Seconds from the start of the trace to its creation."),
        column("ended_before", "DOUBLE", "Seconds from its end to the end of the trace."),
    ],
    &["SELECT container, start_time, end_time, seconds, share FROM container_lifetimes ORDER BY container_id"],
    include_str!("../../../../sql/views/container_lifetimes.sql"),
);

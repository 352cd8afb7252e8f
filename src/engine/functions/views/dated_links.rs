//! `dated_links`: the view of `sql/views/dated_links.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "dated_links",
    "Links with their dates: when each was sent and received.",
    "The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor \
     --origin told another. A filter on them reads only the row groups of those times. Columns that a trace adds of \
     its own are in dated(links).",
    &[
        column("container_id", "INTEGER", "The container that holds both ends; NULL when the root of the tree does."),
        column("container", "TEXT", "Name of that container."),
        column("type", "TEXT", "Name of the link type."),
        column("value", "TEXT", "Value of the link."),
        column("key", "TEXT", "What matched the start to the end."),
        column("source_id", "INTEGER", "The container where it started."),
        column("source", "TEXT", "Name of that container."),
        column("target_id", "INTEGER", "The container where it ended."),
        column("target", "TEXT", "Name of that container."),
        column("start_time", "DOUBLE", "When the link began."),
        column("end_time", "DOUBLE", "When the link ended; the interval is half-open."),
        column("duration", "DOUBLE", "end_time - start_time."),
        column("volume", "DOUBLE", "Size of what was sent: a Size or Volume field, else a numeric value, else NULL."),
        column("started_at", "TIMESTAMP", "Date of start_time."),
        column("ended_at", "TIMESTAMP", "Date of end_time."),
        column("start_tick", "BIGINT", "start_time as stored."),
        column("end_tick", "BIGINT", "end_time as stored."),
    ],
    &["SELECT source, target, started_at, ended_at FROM dated_links ORDER BY started_at, source LIMIT 2"],
    include_str!("../../../../sql/views/dated_links.sql"),
);

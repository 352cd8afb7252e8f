//! `dated_events`: the view of `sql/views/dated_events.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "dated_events",
    "Events with their dates.",
    "The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor \
     --origin told another. A filter on them reads only the row groups of those times. Columns that a trace adds of \
     its own are in dated(events).",
    &[
        column("container_id", "INTEGER", "The container that it belongs to."),
        column("container", "TEXT", "Name of that container."),
        column("type", "TEXT", "Name of the event type."),
        column("value", "TEXT", "Value of the event."),
        column("time", "DOUBLE", "When it happened."),
        column("happened_at", "TIMESTAMP", "Date of time."),
        column("tick", "BIGINT", "time as stored."),
    ],
    &["SELECT container, value, happened_at FROM dated_events ORDER BY happened_at, container LIMIT 2"],
    include_str!("../../../../sql/views/dated_events.sql"),
);

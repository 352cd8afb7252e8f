//! `dated_states`: the view of `sql/views/dated_states.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "dated_states",
    "States with their dates: when each began and ended, as a clock on the wall tells it.",
    "The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor \
     --origin told another. A filter on them reads only the row groups of those times. Columns that a trace adds of \
     its own are in dated(states).",
    &[
        column("container_id", "INTEGER", "The container that it belongs to."),
        column("container", "TEXT", "Name of that container."),
        column("type", "TEXT", "Name of the state type."),
        column("value", "TEXT", "Name of the state."),
        column("start_time", "DOUBLE", "When the state began."),
        column("end_time", "DOUBLE", "When the state ended; the interval is half-open."),
        column("duration", "DOUBLE", "end_time - start_time."),
        column(
            "depth",
            "INTEGER",
            "How many states of the same type lie beneath it on the stack; 0 for the outermost.",
        ),
        column("started_at", "TIMESTAMP", "Date of start_time."),
        column("ended_at", "TIMESTAMP", "Date of end_time."),
        column("start_tick", "BIGINT", "start_time as stored."),
        column("end_tick", "BIGINT", "end_time as stored."),
    ],
    &[
        "SELECT container, value, started_at, ended_at FROM dated_states WHERE started_at >= '1970-01-01T00:00:02.4Z' ORDER BY container, started_at",
    ],
    include_str!("../../../../sql/views/dated_states.sql"),
);

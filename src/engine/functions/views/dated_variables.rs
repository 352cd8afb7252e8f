//! `dated_variables`: the view of `sql/views/dated_variables.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "dated_variables",
    "Variables with their dates: one row per interval of constant value.",
    "The dates are in UTC: trace_info.origin plus the seconds; 1970-01-01 is the origin when neither the format nor \
     --origin told another. A filter on them reads only the row groups of those times. Columns that a trace adds of \
     its own are in dated(variables).",
    &[
        column("container_id", "INTEGER", "The container that it belongs to."),
        column("container", "TEXT", "Name of that container."),
        column("type", "TEXT", "Name of the variable type."),
        column("value", "DOUBLE", "Value during the interval."),
        column("start_time", "DOUBLE", "When the value began."),
        column("end_time", "DOUBLE", "When the value ended; the interval is half-open."),
        column("duration", "DOUBLE", "end_time - start_time."),
        column("started_at", "TIMESTAMP", "Date of start_time."),
        column("ended_at", "TIMESTAMP", "Date of end_time."),
        column("start_tick", "BIGINT", "start_time as stored."),
        column("end_tick", "BIGINT", "end_time as stored."),
    ],
    &["SELECT container, type, value, started_at FROM dated_variables ORDER BY started_at, container, type LIMIT 2"],
    include_str!("../../../../sql/views/dated_variables.sql"),
);

//! `pop_metrics`: the view of `sql/views/pop_metrics.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "pop_metrics",
    "How efficient the run is over time: the POP metrics, in 100 slices of the trace.",
    "Definitions of the POP centre of excellence, with the slice as the run. Useful is the time in states of \
     computation, by the rules of state_activities; where a type has no such state, as in traces that mark MPI \
     calls only, it is the time in no state. A container counts in the slices in which it lives. The cookbook \
     computes the metrics of the whole run, and shows where to change the rules.",
    &[
        column("slice", "BIGINT", "Number of the slice, from 0 on."),
        column("slice_start", "DOUBLE", "When the slice begins, in seconds."),
        column("slice_end", "DOUBLE", "When it ends, in seconds."),
        column("type", "TEXT", "Type of the states."),
        column("containers", "BIGINT", "How many containers count."),
        column("mean_seconds", "DOUBLE", "Mean of their useful times within the slice."),
        column("max_seconds", "DOUBLE", "The longest of them."),
        column("load_balance", "DOUBLE", "1 when all have the same useful time; NULL when none has any."),
        column("communication_efficiency", "DOUBLE", "1 when the one with the most useful time did nothing else."),
        column("parallel_efficiency", "DOUBLE", "1 when all time of all is useful."),
    ],
    &["SELECT slice_start, containers, load_balance, communication_efficiency, parallel_efficiency FROM \
         pop_metrics WHERE slice IN (38, 39) ORDER BY slice"],
    include_str!("../../../../sql/views/pop_metrics.sql"),
);

//! `computation_vs_variable`: the view of `sql/views/computation_vs_variable.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "computation_vs_variable",
    "How much time in computation there is for what a variable says: efficiency, with one of CPU utilization.",
    "Made for a variable of CPU utilization, and there for all: choose one with WHERE variable = '…'. The mean \
     is weighted by time. Containers without computation below them have zero seconds.",
    &[
        column("container_id", "INTEGER", "The container that has the variable."),
        column("container", "TEXT", "Name of it."),
        column("variable", "TEXT", "Type of the variable."),
        column("mean", "DOUBLE", "Mean of the variable over time."),
        column(
            "computation_seconds",
            "DOUBLE",
            "Time in states of computation (see state_activities), of it and of all below.",
        ),
        column("seconds_per_value", "DOUBLE", "Computation_seconds / mean; NULL when the mean is 0 or NULL."),
    ],
    &["SELECT container, variable, mean, computation_seconds, round(seconds_per_value, 6) AS \
         seconds_per_value FROM computation_vs_variable ORDER BY container_id"],
    include_str!("../../../../sql/views/computation_vs_variable.sql"),
);

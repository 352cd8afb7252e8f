//! `variable_statistics`: the view of `sql/views/variable_statistics.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "variable_statistics",
    "What values each variable had: one row per container and type, weighted by time.",
    "Mean and standard deviation are weighted by time, over the time that the variable had a value. Both are \
     NULL when that is no time. Reads the variables twice, so that small deviations of large values are not \
     lost. variable_slices gives the same over time.",
    &[
        column("container_id", "INTEGER", "The container."),
        column("container", "TEXT", "Name of the container."),
        column("type", "TEXT", "Type of the variable."),
        column("changes", "BIGINT", "How many intervals of constant value it had."),
        column("seconds", "DOUBLE", "How long it had a value."),
        column("mean", "DOUBLE", "Integral / seconds; NULL when it had a value for no time."),
        column("minimum", "DOUBLE", "The least value."),
        column("maximum", "DOUBLE", "The largest value."),
        column("standard_deviation", "DOUBLE", "How far it was from its mean, weighted by time; NULL as mean."),
        column("integral", "DOUBLE", "Value times seconds, added up."),
    ],
    &["SELECT container, type, changes, mean, minimum, maximum, integral FROM variable_statistics ORDER BY \
         container_id, type"],
    include_str!("../../../../sql/views/variable_statistics.sql"),
);

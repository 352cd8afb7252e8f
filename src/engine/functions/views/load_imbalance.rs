//! `load_imbalance`: the view of `sql/views/load_imbalance.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "load_imbalance",
    "How unevenly each state is spread over the containers, at every depth of the container tree.",
    "Time is exclusive (state_segments) and adds up the container tree. At a depth, every container counts that \
     has states of the type itself or below it; one that is never in the state counts with zero. The standard \
     deviation is that of all of them, not of a sample. Choose a depth with WHERE depth = …: containers of \
     several depths must not be mixed.",
    &[
        column("type", "TEXT", "Type of the states."),
        column("value", "TEXT", "Name of the state."),
        column("depth", "INTEGER", "Depth of the containers that are compared."),
        column("containers", "BIGINT", "How many they are."),
        column("mean_seconds", "DOUBLE", "Mean of their times in the state."),
        column("max_seconds", "DOUBLE", "The longest of them."),
        column(
            "standard_deviation",
            "DOUBLE",
            "How far they spread around the mean (of all of them, not of a sample).",
        ),
        column("imbalance", "DOUBLE", "Max / mean - 1: 0 is even; NULL when nobody spent time."),
        column("worst_id", "INTEGER", "The container with the longest; the first of several."),
        column("worst", "TEXT", "Name of it."),
    ],
    &["SELECT value, depth, mean_seconds, max_seconds, imbalance, worst FROM load_imbalance WHERE value = \
         'MPI_Recv' ORDER BY depth"],
    include_str!("../../../../sql/views/load_imbalance.sql"),
);

//! `state_activities`: the view of `sql/views/state_activities.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "state_activities",
    "What containers do in each state, told by its name: computation, communication, waiting or overhead.",
    "The page of the view lists the rules; they look at the name only. Other views take their notion of \
     computation, communication and waiting from here: for other rules, join with state_slices or flat_profile \
     by hand, as the cookbook does.",
    &[
        column("type", "TEXT", "Type of the states."),
        column("value", "TEXT", "Name of the state."),
        column("activity", "TEXT", "Computation, communication, waiting or overhead."),
    ],
    &["SELECT value, activity FROM state_activities ORDER BY value"],
    include_str!("../../../../sql/views/state_activities.sql"),
);

//! `state_transitions`: the view of `sql/views/state_transitions.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "state_transitions",
    "Which state follows which, over all containers.",
    "Reads state_segments in the order of time, so that entering a nested state and coming back from it count. \
     Each container and type is a sequence of its own: n segments have n - 1 transitions. States of no length \
     are left out, since the order of those of one instant is not stored. Sorts all segments once.",
    &[
        column("type", "TEXT", "Type of the states."),
        column("from_value", "TEXT", "The state that ended, or was interrupted."),
        column("to_value", "TEXT", "The state that came next in the same container."),
        column("transitions", "BIGINT", "How often."),
        column("share", "DOUBLE", "Which part of the transitions from that state."),
        column("gap_seconds", "DOUBLE", "Time between the two, in total; 0 when one follows at once."),
    ],
    &["SELECT from_value, to_value, transitions, gap_seconds FROM state_transitions ORDER BY from_value, \
         to_value"],
    include_str!("../../../../sql/views/state_transitions.sql"),
);

//! `conservation`: the view of `sql/views/conservation.sql`.

use super::{column, view};
use crate::functions::definition::View;

pub static VIEW: View = view(
    "conservation",
    "Whether nothing is lost or counted twice: what must add up, and whether it does.",
    "Every rule is checked part by part, and difference is the largest difference of a part. Sums of DOUBLE are \
     not exact, so that a rule holds when no part differs by more than a billionth of expected, or of 1 where \
     expected is smaller. Costs about as much as all functions of slices together.",
    &[
        column("rule", "TEXT", "What is checked."),
        column("type", "TEXT", "Type of the states, variables, links or events."),
        column("parts", "BIGINT", "How many parts were compared."),
        column("expected", "DOUBLE", "What they must add up to: seconds, integral or events."),
        column("found", "DOUBLE", "What they do add up to."),
        column("difference", "DOUBLE", "The largest difference of a part."),
        column("holds", "BOOLEAN", "Whether no part differs by more than a billionth of expected, or of 1."),
    ],
    &["SELECT rule, type, parts, round(expected, 6) AS expected, holds FROM conservation ORDER BY rule, type"],
    include_str!("../../../../sql/views/conservation.sql"),
);

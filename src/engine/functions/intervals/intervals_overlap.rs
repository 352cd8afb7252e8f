//! `intervals_overlap(…)`: whether two intervals overlap. In the condition of a join, with or without
//! equal keys, it makes the join an [`interval_join`](super::interval_join).

use super::{BOUNDS, OfTwoIntervals, OverlapQuestion};
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::ScalarFunction;

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "intervals_overlap",
        family: "intervals",
        form: Form::Scalar,
        description: "Returns whether two half-open intervals overlap.",
        notes: "[a, b) and [c, d) overlap when a < d and c < b, so intervals that touch do not. An empty interval \
                [t, t) is the instant t: it overlaps [a, b) when a <= t < b, and another instant when both are equal. \
                NaN and reversed bounds overlap nothing. NULL gives NULL. As the condition of a JOIN, beside \
                equalities of keys, it is planned as interval_join is, which is far faster than two inequalities.",
        relations: &[],
        constants: BOUNDS,
        columns: &[OutputColumn { name: "overlap", kind: "BOOLEAN", doc: "Whether they overlap." }],
        examples: &[
            "SELECT intervals_overlap(1, 3, 2, 4) AS overlapping, intervals_overlap(1, 2, 2, 4) AS touching",
            "SELECT s.value, l.key FROM states AS s JOIN links AS l ON s.container_id = l.source_id \
             AND intervals_overlap(s.start_time, s.end_time, l.start_time, l.end_time) ORDER BY l.key, s.start_time",
        ],
    },
    make: || OfTwoIntervals::make(FUNCTION.definition.name, OverlapQuestion::Overlap),
};

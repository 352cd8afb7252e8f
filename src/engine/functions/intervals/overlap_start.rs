//! `overlap_start(…)`: where the overlap of two intervals starts.

use super::{BOUNDS, OfTwoIntervals, OverlapQuestion};
use crate::functions::calls::definition::{Definition, Form, OutputColumn};
use crate::functions::calls::sql_function::ScalarFunction;

pub static FUNCTION: ScalarFunction = ScalarFunction {
    definition: Definition {
        name: "overlap_start",
        family: "intervals",
        form: Form::Scalar,
        description: "Returns the start of the overlap of two half-open intervals.",
        notes: "NULL when they do not overlap, as intervals_overlap defines it, and when a bound is NULL. Whole numbers, \
                such as ticks, give a BIGINT.",
        relations: &[],
        constants: BOUNDS,
        columns: &[OutputColumn { name: "start", kind: "DOUBLE", doc: "The later start." }],
        examples: &["SELECT overlap_start(1.0, 3.0, 2.0, 4.0) AS shared, overlap_start(1.0, 2.0, 2.0, 4.0) AS nothing"],
    },
    make: || OfTwoIntervals::make(FUNCTION.definition.name, OverlapQuestion::Start),
};
